import { describe, expect, it } from 'vitest'
import { describeReader, readChunks } from '../../../test/contract/reader.ts'
import { fixtures } from '../../../test/fixtures.ts'
import { TurnCollector } from '../../core/collect.ts'
import type { TurnEvent } from '../../core/events.ts'
import { repairNotes } from '../../core/repairs.ts'
import { GeminiReader } from './read.ts'

const createReader = (notes: string[] = [], lane?: { dialect: string; form: 'message' | 'answer' }) =>
  new GeminiReader({
    turnId: 'turn_1',
    model: 'gemini-3.8-flash',
    backend: 'google',
    wholeArguments: true,
    source: 'here',
    lane,
    note: (text) => notes.push(text),
  })

const all = fixtures('gemini')
const bytesOf = (name: string) =>
  all.find((fixture) => fixture.name === name)?.bytes() ?? expect.unreachable(`no fixture ${name}`)
const read = (name: string, reader = createReader()) => readChunks(reader, [bytesOf(name)])

function turnOf(events: readonly TurnEvent[]) {
  const collector = new TurnCollector()
  collector.push(events)
  if (collector.error) throw collector.error
  return collector.turn
}
const errorOf = (events: readonly TurnEvent[]) => {
  const last = events.at(-1)
  return last?.type === 'turn-error' ? last.error : undefined
}
const usage = { inputTokens: 9, outputTokens: 43, cacheReadTokens: 4, reasoningTokens: 40 }

describeReader({ createReader: () => createReader(), fixtures: all })

describe('GeminiReader', () => {
  it('emits text and the last figures, with thoughts counted as output', () => {
    expect(read('text')).toEqual([
      { type: 'turn-start', id: 'answer-1', model: 'gemini-3.8-flash' },
      { type: 'text-start', block: 0 },
      { type: 'text-delta', block: 0, delta: 'Grüße, ' },
      { type: 'text-delta', block: 0, delta: '日本語 🙂' },
      { type: 'text-end', block: 0 },
      { type: 'turn-end', reason: 'stop', rawReason: 'STOP', usage },
    ])
  })

  it('emits thoughts as reasoning', () => {
    expect(turnOf(read('thoughts')).parts).toEqual([
      { type: 'reasoning', text: '**Look**\n\nhm hm' },
      { type: 'text', text: 'yes', refusal: false },
    ])
  })

  it('emits calls with every digit, and the signature of the first before it', () => {
    const reader = createReader()
    const { parts, reason } = turnOf(read('calls', reader))
    expect(parts).toEqual([
      { type: 'reasoning', text: 'hm', signature: 'gemini1.here.c2lnMQ==' },
      { type: 'tool-call', callId: 'fc_1', name: 'read', input: '{"path":"a \\"q\\""}' },
      { type: 'tool-call', callId: 'fc_2', name: 'read', input: '{"n":9007199254740993}' },
    ])
    expect(reason).toBe('tool-calls')
    expect([reader.signatureOf('fc_1'), reader.signatureOf('fc_2')]).toEqual(['c2lnMQ==', undefined])
  })

  it('gives calls an id and empty arguments where they have none', () => {
    expect(turnOf(read('no-ids')).parts).toEqual([
      { type: 'tool-call', callId: 'call_1_0', name: 'read', input: '{"path":"a"}' },
      { type: 'tool-call', callId: 'call_1_1', name: 'now', input: '{}' },
    ])
  })

  it('puts arguments in pieces together', () => {
    const calls = turnOf(read('pieces')).parts.filter((part) => part.type === 'tool-call')
    expect(calls.map(({ input }) => JSON.parse(input))).toEqual([
      { items: [{ name: 'apple', price: 0.5 }], 'a b': null },
      { last: true },
    ])
  })

  it.each([
    ['max-tokens', 'length'],
    ['safety', 'content-filter'],
    ['recitation', 'content-filter'],
    ['empty', 'stop'],
  ])('ends %s by its reason: %s', (name, reason) => {
    expect(turnOf(read(name)).reason).toBe(reason)
  })

  it.each([
    ['malformed', 'upstream-protocol', /could not read \(MALFORMED_FUNCTION_CALL\)/, true],
    ['blocked', 'invalid-request', /blocked the prompt \(PROHIBITED_CONTENT\)/, false],
    ['no-finish', 'upstream-protocol', /end of its stream in the middle/, true],
    ['error', 'upstream-unavailable', /The model is overloaded/, true],
  ] as const)('never takes %s for an answer', (name, code, message, retryable) => {
    const error = errorOf(read(name))
    expect(error).toMatchObject({ code, retryable })
    expect(error?.message).toMatch(message)
  })

  it.each([
    ['OTHER', ''],
    ['TOO_MANY_TOOL_CALLS', 'said'],
    ['UNEXPECTED_TOOL_CALL', ''],
  ])('%s after %j is an error', (finishReason, text) => {
    const events = createReader().whole({ candidates: [{ content: { parts: [{ text }] }, finishReason }] })
    expect(errorOf(events)).toMatchObject({ code: 'upstream-protocol', serviceCode: finishReason })
  })

  it('takes an unknown reason after text for the end, with a note', () => {
    const notes: string[] = []
    const answer = { candidates: [{ content: { parts: [{ text: 'so' }] }, finishReason: 'NEW_ONE' }] }
    expect(createReader(notes).whole(answer).at(-1)).toMatchObject({ type: 'turn-end', reason: 'other' })
    expect(notes).toEqual([repairNotes['odd-finish']])
  })

  it.each([
    ['own-parts', 'odd-part'],
    ['after-end', 'output-after-end'],
  ] as const)('notes what is left out of %s', (name, kind) => {
    const notes: string[] = []
    read(name, createReader(notes))
    expect(notes).toEqual([repairNotes[kind]])
  })

  it('refuses a whole answer without a finish reason', () => {
    const events = createReader().whole({ candidates: [{ content: { parts: [{ text: 'half' }] } }] })
    expect(errorOf(events)?.message).toMatch(/without a finish reason/)
  })

  it('covers every chunk in a lane, also a blocked prompt', () => {
    const lane = { dialect: 'gemini', form: 'message' as const }
    for (const name of ['own-parts', 'calls', 'blocked']) {
      const events = read(name, createReader([], lane))
      const sent = new TextDecoder().decode(bytesOf(name)).split('\n\n').filter(Boolean)
      const passed = events.flatMap((event) => (event.type === 'opaque' ? [`data: ${event.data}`] : []))
      expect(passed).toEqual(sent)
      expect(events.at(-1)?.type).toBe('turn-end')
    }
  })
})
