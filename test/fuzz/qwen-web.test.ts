// A web chat that sends anything: its reader must always give a turn that keeps its invariants, the same for every
// chunking, must never throw, and must never call an empty answer a success.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TurnEvent } from '../../src/core/events.ts'
import { QwenWebReader } from '../../src/protocols/qwen-web/read.ts'
import { checkTurn } from '../check-turn.ts'
import { readChunks } from '../contract/reader.ts'
import { fuzz } from './settings.ts'

const createReader = (toolsOffered: boolean) =>
  new QwenWebReader({
    turnId: 'turn_1',
    model: 'm',
    backend: 'qwen',
    wholeArguments: true,
    toolsOffered,
    note: () => undefined,
  })

const junk = fc.jsonValue({ maxDepth: 2 })
const maybe = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 8, arbitrary }, { weight: 1, arbitrary: junk })
const record = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] })

const text = fc.constantFrom(
  '',
  'a',
  'ab',
  'abc',
  'abcd',
  'abcde',
  '🙂',
  '\n',
  'Tool ',
  'read',
  ' does not exists.',
)
const status = fc.constantFrom('typing', 'typing', 'typing', 'typing', 'finished', 'error', '__proto__')
const phase = fc.constantFrom(
  'answer',
  'answer',
  null,
  'think',
  'thinking_summary',
  'web_search',
  'constructor',
)
const extra = record({
  summary_thought: maybe(record({ content: maybe(fc.array(maybe(text), { maxLength: 3 })) })),
})
const delta = record({
  role: fc.constantFrom('assistant', 'assistant', 'function'),
  content: maybe(text),
  phase: maybe(phase),
  status,
  name: maybe(text),
  extra: maybe(extra),
})
const event = fc.oneof(
  {
    weight: 14,
    arbitrary: record({
      choices: maybe(fc.array(record({ delta: maybe(delta) }), { minLength: 1, maxLength: 2 })),
      usage: maybe(
        record({ input_tokens: maybe(fc.nat()), output_tokens: junk, cached_tokens: maybe(fc.nat()) }),
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ 'response.created': maybe(record({ response_id: maybe(text) })) }) },
  {
    weight: 1,
    arbitrary: record({
      success: fc.boolean(),
      data: maybe(record({ code: junk, details: junk, num: junk })),
    }),
  },
  { weight: 1, arbitrary: record({ ret: junk, error: junk }) },
  { weight: 1, arbitrary: junk },
)
const last = fc.constantFrom<unknown>(
  '[DONE]',
  { choices: [{ delta: { content: '', phase: 'answer', status: 'finished' } }] },
  {},
)
const stream = fc.tuple(fc.array(event, { maxLength: 12 }), last).map(([events, end]) => [...events, end])

const encode = (events: readonly unknown[]) =>
  new TextEncoder().encode(
    events.map((entry) => `data: ${typeof entry === 'string' ? entry : JSON.stringify(entry)}\n\n`).join(''),
  )

function cutAt(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...places].map((from, at) => bytes.subarray(from, places[at] ?? bytes.length))
}

function expectSound(events: readonly TurnEvent[]): void {
  expect(checkTurn(events)).toEqual([])
  const end = events.at(-1)
  if (end?.type === 'turn-error') expect(end.error.code).not.toBe('internal')
  else expect(events.some(({ type }) => type === 'text-delta')).toBe(true)
}

describe('the reader of the Qwen web chat', () => {
  it('keeps the invariants of a turn, the same for every chunking, whatever comes', () => {
    const cuts = fc.array(fc.nat(2_000), { maxLength: 5 })
    fc.assert(
      fc.property(stream, fc.boolean(), cuts, (events, toolsOffered, places) => {
        const bytes = encode(events)
        const expected = readChunks(createReader(toolsOffered), [bytes])
        expectSound(expected)
        expect(readChunks(createReader(toolsOffered), cutAt(bytes, places))).toEqual(expected)
      }),
      fuzz,
    )
  })

  it('reads whole answers of any shape', () => {
    fc.assert(
      fc.property(fc.oneof(event, junk), (answer) => {
        const events = createReader(true).whole(answer)
        expectSound(events)
        expect(events.at(-1)?.type).toBe('turn-error')
      }),
      fuzz,
    )
  })
})
