// Upstreams that send anything: the readers must always give a turn that keeps its invariants, the same for every
// chunking, and must never throw.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AnthropicReader } from '../../src/protocols/anthropic-messages/read.ts'
import { GeminiReader } from '../../src/protocols/gemini/read.ts'
import { ChatReader } from '../../src/protocols/openai-chat/read.ts'
import { ResponsesReader } from '../../src/protocols/openai-responses/read.ts'
import type { TurnReader } from '../../src/protocols/streams/reader.ts'
import { createSseReader } from '../../src/protocols/streams/sse.ts'
import { checkTurn } from '../check-turn.ts'
import { readChunks } from '../contract/reader.ts'
import { geminiChunk } from './gemini-chunks.ts'
import { fuzz } from './settings.ts'

const options = (wholeArguments: boolean) => ({
  turnId: 'turn_1',
  model: 'm',
  backend: 'box',
  wholeArguments,
  note: () => undefined,
})
const readers: Record<string, (whole: boolean) => TurnReader> = {
  chat: (whole) => new ChatReader(options(whole)),
  anthropic: (whole) => new AnthropicReader({ ...options(whole), toolName: (name) => name }),
  responses: (whole) => new ResponsesReader({ ...options(whole), source: 's', offered: new Set(['read']) }),
  gemini: () => new GeminiReader({ ...options(true), source: 's' }),
}
const form = 'message' as const
/** The same readers with their lanes open. The lane of Chat is for clients that take arguments whole. */
const laneReaders: typeof readers = {
  chat: () => new ChatReader({ ...options(true), lane: { dialect: 'openai-chat', form } }),
  anthropic: (whole) =>
    new AnthropicReader({
      ...options(whole),
      toolName: (name) => name,
      lane: { dialect: 'anthropic-messages', form },
    }),
  responses: (whole) =>
    new ResponsesReader({
      ...options(whole),
      source: 's',
      offered: new Set(['read']),
      lane: { dialect: 'openai-responses', form },
    }),
  gemini: () => new GeminiReader({ ...options(true), source: 's', lane: { dialect: 'gemini', form } }),
}

const piece = fc.constantFrom(
  '',
  '{',
  '}',
  '{}',
  '{"a":',
  '1}',
  '"x',
  '\\"',
  '{"a":1}',
  ' ',
  '[',
  'null',
  '🙂',
)
const text = fc.constantFrom('', 'a', '🙂', '\n')
const junk = fc.jsonValue({ maxDepth: 2 })
const maybe = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 8, arbitrary }, { weight: 1, arbitrary: junk })
const record = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] })

const toolDelta = record({
  index: maybe(fc.constantFrom(0, 0, 1, 2, -1)),
  id: maybe(fc.constantFrom('a', 'b', '', null)),
  type: fc.constant('function'),
  function: maybe(
    record({ name: maybe(fc.constantFrom('read', 'list', '', null)), arguments: maybe(piece) }),
  ),
})
const chatDelta = record({
  role: fc.constant('assistant'),
  content: maybe(text),
  reasoning_content: maybe(text),
  refusal: maybe(text),
  tool_calls: maybe(fc.array(toolDelta, { maxLength: 3 })),
  function_call: maybe(record({ name: text, arguments: piece })),
})
const chatEvent = fc.oneof(
  {
    weight: 12,
    arbitrary: record({
      id: text,
      model: text,
      choices: maybe(
        fc.array(
          record({
            index: fc.constantFrom(0, 0, 0, 1),
            delta: maybe(chatDelta),
            message: maybe(chatDelta),
            finish_reason: maybe(
              fc.constantFrom(
                null,
                null,
                null,
                'stop',
                'length',
                'tool_calls',
                'content_filter',
                'constructor',
              ),
            ),
          }),
          { maxLength: 2 },
        ),
      ),
      usage: maybe(record({ prompt_tokens: junk, completion_tokens: fc.nat() })),
    }),
  },
  { weight: 1, arbitrary: record({ error: junk }) },
  { weight: 1, arbitrary: junk },
)

const block = record({
  type: maybe(fc.constantFrom('text', 'thinking', 'tool_use', 'redacted_thinking', 'server_tool_use')),
  text: maybe(text),
  thinking: maybe(text),
  id: maybe(fc.constantFrom('a', 'b', 'c')),
  name: maybe(fc.constantFrom('read', 'list')),
  input: maybe(fc.constantFrom({}, { a: 1 })),
  data: maybe(text),
})
const anthropicEvent = fc.oneof(
  fc.record({
    type: fc.constant('message_start'),
    message: maybe(record({ id: text, model: text, usage: junk })),
  }),
  fc.record({ type: fc.constant('content_block_start'), index: fc.nat(3), content_block: maybe(block) }),
  fc.record({
    type: fc.constant('content_block_delta'),
    index: fc.nat(3),
    delta: maybe(
      record({
        type: fc.constantFrom('text_delta', 'input_json_delta', 'thinking_delta', 'signature_delta'),
        text: maybe(text),
        partial_json: maybe(piece),
        thinking: maybe(text),
        signature: maybe(text),
      }),
    ),
  }),
  fc.record({ type: fc.constant('content_block_stop'), index: fc.nat(3) }),
  fc.record({
    type: fc.constant('message_delta'),
    delta: maybe(
      record({
        stop_reason: maybe(fc.constantFrom('end_turn', 'tool_use', 'max_tokens', 'refusal', '__proto__')),
      }),
    ),
    usage: junk,
  }),
  fc.constant({ type: 'message_stop' }),
  fc.constant({ type: 'ping' }),
)

const item = record({
  type: maybe(
    fc.constantFrom('message', 'reasoning', 'function_call', 'custom_tool_call', 'web_search_call'),
  ),
  id: maybe(fc.constantFrom('i', 'j', '')),
  call_id: maybe(fc.constantFrom('a', 'b', '')),
  name: maybe(fc.constantFrom('read', 'list', '')),
  namespace: maybe(fc.constantFrom('', 'fs', null)),
  arguments: maybe(piece),
  input: maybe(text),
  status: maybe(fc.constantFrom('completed', 'completed', 'incomplete')),
  content: maybe(fc.array(maybe(record({ type: text, text: maybe(text), refusal: text })), { maxLength: 2 })),
  summary: maybe(fc.array(maybe(record({ text: maybe(text) })), { maxLength: 2 })),
  encrypted_content: maybe(text),
})
const response = record({
  id: text,
  model: text,
  status: maybe(fc.constantFrom('completed', 'incomplete', 'failed', 'odd')),
  incomplete_details: maybe(record({ reason: maybe(fc.constantFrom('max_output_tokens', '__proto__')) })),
  output: maybe(fc.array(maybe(item), { maxLength: 3 })),
  error: junk,
  usage: maybe(record({ input_tokens: junk, output_tokens: fc.nat(), input_tokens_details: junk })),
})
const at = {
  output_index: maybe(fc.constantFrom(0, 0, 1, 2, -1)),
  item_id: maybe(fc.constantFrom('i', 'j')),
  content_index: maybe(fc.nat(1)),
  summary_index: maybe(fc.nat(1)),
}
const responsesEvent = fc.oneof(
  record({ type: fc.constantFrom('response.created', 'response.in_progress'), response: maybe(response) }),
  record({
    type: fc.constantFrom('response.output_item.added', 'response.output_item.done'),
    item: maybe(item),
    ...at,
  }),
  record({
    type: fc.constantFrom(
      'response.output_text.delta',
      'response.output_text.done',
      'response.refusal.delta',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_text.delta',
    ),
    delta: maybe(text),
    text: maybe(text),
    ...at,
  }),
  record({
    type: fc.constantFrom(
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.custom_tool_call_input.delta',
      'response.custom_tool_call_input.done',
    ),
    delta: maybe(piece),
    arguments: maybe(piece),
    input: maybe(text),
    ...at,
  }),
  record({ type: fc.constantFrom('keepalive', 'odd', 'error'), error: junk, message: text }),
)

const streams: Record<string, fc.Arbitrary<unknown[]>> = {
  gemini: fc
    .array(geminiChunk, { maxLength: 12 })
    .map((chunks) => [...chunks, { candidates: [{ finishReason: 'STOP' }] }]),
  chat: fc.array(chatEvent, { maxLength: 12 }).map((events) => [...events, '[DONE]']),
  anthropic: fc
    .array(anthropicEvent, { maxLength: 16 })
    .map((events) => [...events, { type: 'message_stop' }]),
  responses: fc
    .tuple(fc.array(responsesEvent, { maxLength: 16 }), response)
    .map(([events, last]) => [...events, { type: 'response.completed', response: last }, '[DONE]']),
}

const encode = (events: readonly unknown[]) =>
  new TextEncoder().encode(
    events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join(''),
  )

function cutAt(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...places].map((from, at) => bytes.subarray(from, places[at] ?? bytes.length))
}

describe.each(Object.keys(readers))('%s reader', (kind) => {
  it('keeps the invariants of a turn, the same for every chunking, whatever comes', () => {
    fc.assert(
      fc.property(
        streams[kind] as fc.Arbitrary<unknown[]>,
        fc.boolean(),
        fc.boolean(),
        fc.array(fc.nat(2_000), { maxLength: 5 }),
        (events, whole, isLane, cuts) => {
          const bytes = encode(events)
          const create = (isLane ? laneReaders : readers)[kind] as (whole: boolean) => TurnReader
          const expected = readChunks(create(whole), [bytes])
          expect(checkTurn(expected)).toEqual([])
          expect(
            expected.some((event) => event.type === 'turn-error' && event.error.code === 'internal'),
          ).toBe(false)
          expect(readChunks(create(whole), cutAt(bytes, cuts))).toEqual(expected)
        },
      ),
      fuzz,
    )
  })

  it('reads whole answers of any shape', () => {
    const answers = fc.oneof(
      junk,
      kind === 'chat' ? (chatEvent as fc.Arbitrary<unknown>) : response,
      record({ content: maybe(fc.array(block)), stop_reason: maybe(text), usage: junk }),
    )
    fc.assert(
      fc.property(answers, (answer) => {
        const events = (readers[kind] as (whole: boolean) => TurnReader)(true).whole(answer)
        expect(checkTurn(events)).toEqual([])
        expect(events.some((event) => event.type === 'turn-error' && event.error.code === 'internal')).toBe(
          false,
        )
      }),
      fuzz,
    )
  })
})

describe('SSE reader', () => {
  it('gives the same messages for every chunking of any bytes, and never throws', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc
        .array(
          fc.constantFrom(
            'data: x',
            'data:',
            'event: e',
            ': c',
            'id: 1',
            'retry: x',
            '\n',
            '\r',
            '\r\n',
            '\n\n',
            'é',
            '\u0000',
            '\ufeff',
          ),
          { maxLength: 40 },
        )
        .map((parts) => new TextEncoder().encode(parts.join(''))),
    )
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(300), { maxLength: 6 }), (all, cuts) => {
        const read = (chunks: readonly Uint8Array[]) => {
          const reader = createSseReader()
          return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()]
        }
        expect(read(cutAt(all, cuts))).toEqual(read([all]))
      }),
      fuzz,
    )
  })
})
