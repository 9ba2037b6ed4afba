// The comparison of both sides of a turn: any two bodies can be compared, and each leaf of both is in exactly one row.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish } from '../../src/base/slices.ts'
import { Notes } from '../../src/core/notes.ts'
import type { TurnRequest } from '../../src/core/request.ts'
import { compareTraffic, compareTurn } from '../../src/inspector/comparison/compare-turn.ts'
import { compareUnits } from '../../src/inspector/comparison/compare-units.ts'
import { uncovered } from '../../src/inspector/comparison/covered.fixture.ts'
import { joinAnswer } from '../../src/inspector/comparison/joined-answer.ts'
import { answerUnits, requestUnits } from '../../src/inspector/comparison/outline.ts'
import { trafficOf } from '../../src/inspector/comparison/traffic.ts'
import { viewOf } from '../../src/inspector/comparison/view.ts'
import { runDecoder } from '../../src/inspector/decode-run.ts'
import { fromChatRequest } from '../../src/protocols/openai-chat/request-in.ts'
import type { FrameBody } from '../../src/tapes/frame.ts'
import { patience, toAnthropic, typed } from './accepted.ts'
import { chatRequests } from './chat-request.ts'
import { geminiChunk } from './gemini-chunks.ts'
import { geminiRequests } from './gemini-request.ts'
import { messagesRequests } from './messages-request.ts'
import { ollamaRequests } from './ollama-request.ts'
import { services } from './services.ts'
import { fuzzShare } from './settings.ts'

/** Bodies are large, and each leaf of both is looked for. */
const share = fuzzShare(0.2)

const anyJson = fc.jsonValue({ maxDepth: 3 })

/** As it is on the wire. */
const onWire = (body: unknown): unknown => JSON.parse(JSON.stringify(body) ?? 'null')

const part = fc.oneof(
  anyJson,
  fc.record({ type: fc.constantFrom('text', 'thinking', 'tool_use', 'tool_result', 'image', 'function_call', 'reasoning', 'tool-result'), text: anyJson, content: anyJson, id: anyJson, name: anyJson, input: anyJson, summary: anyJson, arguments: anyJson, result: anyJson, function: anyJson, custom: anyJson, functionCall: anyJson, functionResponse: anyJson, inlineData: anyJson }, { requiredKeys: [] }),
) // biome-ignore format: one line a shape
const message = fc.record(
  { role: fc.constantFrom('user', 'assistant', 'tool', 'system'), content: fc.oneof(anyJson, fc.array(part)), tool_calls: fc.oneof(anyJson, fc.array(part)), function_call: anyJson, tool_call_id: anyJson, reasoning: anyJson, parts: fc.array(part), type: anyJson },
  { requiredKeys: [] },
) // biome-ignore format: one line a shape
const tool = fc.record({ name: anyJson, function: anyJson, functionDeclarations: fc.array(fc.record({ name: fc.string() })), parameters: anyJson }, { requiredKeys: [] }) // biome-ignore format: one line
const body = fc.oneof(
  anyJson,
  chatRequests({ conforming: false }),
  messagesRequests('claude-demo', { conforming: false }),
  geminiRequests('box/asked', 'claude-demo'),
  ollamaRequests(),
  fc.record({ messages: fc.array(message), system: fc.oneof(anyJson, fc.array(part)), input: fc.oneof(anyJson, fc.array(part)), contents: fc.array(message), systemInstruction: anyJson, tools: fc.oneof(anyJson, fc.array(tool)), generationConfig: anyJson, tool_choice: anyJson, thinking: anyJson, ['odd "name'.concat('"')]: anyJson }, { requiredKeys: [] }),
) // biome-ignore format: one line a shape
const answer = fc.oneof(
  anyJson,
  fc.record({ choices: fc.array(fc.record({ message, finish_reason: anyJson }, { requiredKeys: [] })), usage: anyJson, id: anyJson }, { requiredKeys: [] }),
  geminiChunk,
  fc.record({ candidates: fc.array(fc.record({ content: message, finishReason: anyJson }, { requiredKeys: [] })), usageMetadata: anyJson }, { requiredKeys: [] }),
  fc.record({ model: anyJson, message, done: anyJson, done_reason: anyJson, eval_count: anyJson }, { requiredKeys: [] }),
  fc.record({ content: fc.array(part), stop_reason: anyJson, usage: anyJson }, { requiredKeys: [] }),
  fc.record({ output: fc.array(fc.oneof(part, message)), status: anyJson }, { requiredKeys: [] }),
) // biome-ignore format: one line a shape

/** A random Chat request and what it becomes are covered by their comparison, each leaf once. */
function expectCovered(become: (turn: TurnRequest) => unknown): void {
  const property = fc.property(chatRequests({ conforming: true }), (chat) => {
    const turn = typed(() => fromChatRequest(chat, new Notes()).turn)
    const upstream = turn && become(turn)
    if (!upstream) return
    const [client, theirs] = [onWire(chat), onWire(upstream)]
    const rows = compareUnits(requestUnits(client), requestUnits(theirs), {
      direction: 'to upstream',
      sameDialect: false,
    })
    expect([...uncovered(rows, 'client', client), ...uncovered(rows, 'upstream', theirs)]).toEqual([])
  })
  fc.assert(property, share)
}

describe('comparisons', patience, () => {
  it.each([
    ['requests', body, requestUnits],
    ['answers', answer, answerUnits],
  ] as const)('of any %s cover each leaf once', (_, bodies, units) => {
    fc.assert(
      fc.property(bodies, bodies, fc.boolean(), (one, other, sameDialect) => {
        const [client, upstream] = [onWire(one), onWire(other)]
        for (const theirs of [upstream, client]) {
          const rows = compareUnits(units(client), units(theirs), { direction: 'to upstream', sameDialect })
          expect(uncovered(rows, 'client', client)).toEqual([])
          expect(uncovered(rows, 'upstream', theirs)).toEqual([])
          if (theirs === client) expect(rows.filter(({ kind }) => kind !== 'same')).toEqual([])
        }
      }),
      share,
    )
  })

  it('of a Chat request and its translation cover each leaf once', () => {
    expectCovered((turn) => toAnthropic(turn, 'claude-demo'))
  })

  it.each(services)(
    'of a Chat request and its translation for $service cover each leaf once',
    ({ model, bodyOf }) => {
      expectCovered((turn) => bodyOf(turn, model))
    },
  )

  it('of any answer do not fail, streamed or whole', () => {
    const event = fc.oneof(anyJson, fc.record({ type: fc.constantFrom('message_start', 'content_block_start', 'content_block_delta', 'content_block_stop', 'message_delta', 'response.created', 'response.output_item.added', 'response.output_item.done', 'response.output_text.delta', 'response.completed'), index: anyJson, message, delta: anyJson, item: part, response: anyJson, output_index: anyJson, content_block: part }, { requiredKeys: [] }), fc.record({ choices: fc.array(fc.record({ delta: message, index: anyJson, finish_reason: anyJson }, { requiredKeys: [] })) }), geminiChunk)
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.array(event)), fc.boolean(), (came, asked) => {
        const text = typeof came === 'string' ? came : came.map((data) => `data: ${JSON.stringify(data) ?? ''}\n\n`).join('')
        const { whole, facts } = joinAnswer(text, asked)
        const wire = onWire(whole)
        const rows = compareUnits(answerUnits(wire), answerUnits('x'), { direction: 'to client', sameDialect: false })
        expect(uncovered(rows, 'client', wire)).toEqual([])
        for (const { value } of facts) expect(typeof value).toBe('string')
      }),
      share,
    )
  }) // biome-ignore format: one line a shape

  it('of any frames do not fail', async () => {
    const text = fc.oneof(fc.string(), anyJson.map((json) => JSON.stringify(json) ?? ''))
    const base64 = fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64'))
    const exchange = fc.integer({ min: 1, max: 3 })
    const head = { backend: 'b', origin: 'http://x', path: '/v1/messages', headers: {} }
    const frame: fc.Arbitrary<FrameBody> = fc.oneof(
      text.map((body): FrameBody => ({ side: 'client', do: 'request', method: 'POST', path: '/v1/chat/completions', headers: {}, body })),
      fc.constant<FrameBody>({ side: 'client', do: 'response', status: 200, headers: {} }),
      text.map((write): FrameBody => ({ side: 'client', do: 'write', text: write })),
      fc.tuple(exchange, text).map(([number, body]): FrameBody => ({ side: 'upstream', do: 'request', exchange: number, method: 'POST', ...head, body })),
      fc.tuple(exchange, text).map(([number, data]): FrameBody => ({ side: 'upstream', do: 'data', exchange: number, text: data })),
      exchange.map((number): FrameBody => ({ side: 'upstream', do: 'response', exchange: number, status: 200, headers: {} })),
      fc.tuple(exchange, base64).map(([number, bytes]): FrameBody => ({ side: 'run', do: 'sent', exchange: number, base64: bytes })),
      fc.tuple(exchange, base64).map(([number, bytes]): FrameBody => ({ side: 'run', do: 'received', exchange: number, base64: bytes })),
      fc.string().map((note): FrameBody => ({ side: 'gateway', do: 'note', text: note })),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(frame), async (frames) => {
        const tape = frames.map((one) => ({ at: 0, turn: 'turn_a', ...one }))
        const comparison = await compareTurn(tape)
        if (!comparison) throw new Error('no comparison')
        const view = viewOf(comparison, false)
        const shown = new Set([...view.wholeTurn, ...view.groups.flatMap(({ rows }) => rows.flatMap(({ notes = [] }) => notes))])
        expect(shown.size).toBe(view.notes.length)
        for (const { number } of view.exchanges) expect(finish(compareTraffic(trafficOf(tape), number, runDecoder))).toBeDefined()
      }),
      share,
    )
  }) // biome-ignore format: one line a frame
})
