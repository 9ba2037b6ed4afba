import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inBatches, turns } from '../../../test/contract/turns.ts'
import { fuzz } from '../../../test/fuzz/settings.ts'
import { readResponsesStream } from '../../../test/responses-stream.ts'
import { TurnCollector } from '../../core/collect.ts'
import { type ErrorCode, errorCodes, GatewayError } from '../../core/errors.ts'
import type { FinishReason, TurnEvent } from '../../core/events.ts'
import { wholeResponse } from './response-out.ts'
import { type ClientTool, ToolNames } from './tool-names.ts'
import { ResponsesWriter, type ResponsesWriterOptions } from './write.ts'

const names = (...custom: string[]) =>
  new ToolNames(custom.map((name): ClientTool => ({ name, kind: 'custom' })))

const options: ResponsesWriterOptions = {
  id: 'abc',
  model: 'asked/for',
  createdAt: 1,
  now: () => 2,
  names: names(),
  includeProofs: false,
  echo: { tools: [], metadata: {} },
  toolArguments: 'whole',
  lateNotes: () => [],
}

const streamOf = (raw: string) =>
  readResponsesStream(new Response(raw, { headers: { 'content-type': 'text/event-stream' } }))

const written = (events: readonly TurnEvent[], more: Partial<ResponsesWriterOptions> = {}) =>
  streamOf(new ResponsesWriter({ ...options, ...more }).push(events))

function collected(events: readonly TurnEvent[]) {
  const collector = new TurnCollector()
  collector.push(events)
  return collector.turn
}

const start: TurnEvent = { type: 'turn-start', id: 'x', model: 'm' }
const said = (text: string, refusal?: true): TurnEvent[] => [
  { type: 'text-start', block: 0, ...(refusal ? { refusal } : {}) },
  { type: 'text-delta', block: 0, delta: text },
  { type: 'text-end', block: 0 },
]
const call = (name: string, input: string): TurnEvent[] => [
  { type: 'tool-call-start', block: 0, callId: 'call_1', name },
  { type: 'tool-call-delta', block: 0, delta: input },
  { type: 'tool-call-end', block: 0, callId: 'call_1', name, input },
]
const end = (reason: FinishReason): TurnEvent => ({ type: 'turn-end', reason })

describe('ResponsesWriter', () => {
  it('a strict client reads any turn correctly, in any batching', async () => {
    await fc.assert(
      fc.asyncProperty(
        turns,
        fc.array(fc.nat(), { maxLength: 5 }),
        fc.constantFrom('whole' as const, 'streamed' as const),
        fc.boolean(),
        async (events, sizes, toolArguments, allCustom) => {
          const turn = collected(events)
          const calls = turn.parts.flatMap((part) => (part.type === 'tool-call' ? [part] : []))
          const called = events.flatMap((event) => (event.type === 'tool-call-start' ? [event.name] : []))
          const known = names(...(allCustom ? called : []))
          const writer = new ResponsesWriter({ ...options, toolArguments, names: known })
          const batches = inBatches(events, sizes).map((batch) => writer.push(batch))
          const stream = await streamOf(batches.join(''))
          expect(stream.problems).toEqual([])
          const joined = (type: 'text' | 'reasoning') =>
            turn.parts.flatMap((part) => (part.type === type ? [part.text] : [])).join('')
          expect([stream.text, stream.reasoning]).toEqual([joined('text'), joined('reasoning')])
          expect(stream.calls.map(({ id, name }) => [id, name])).toEqual(
            calls.map(({ callId, name }) => [callId, name]),
          )
          if (!allCustom)
            expect(stream.calls.map(({ input }) => input)).toEqual(calls.map(({ input }) => input))
          if (toolArguments === 'whole') expect(stream.calls.every(({ pieces }) => pieces <= 1)).toBe(true)
          expect(stream.response.usage).toMatchObject({ input_tokens: 7, output_tokens: 5, total_tokens: 12 })
          // The unstreamed answer is the same, except that it does not know of a cut-off call after the last text.
          if (events.at(-2)?.type === 'tool-call-delta') return
          const whole = wholeResponse(turn, { ...options, names: known })
          expect(whole).toEqual(writer.finished)
          expect(JSON.parse(JSON.stringify(whole.response))).toEqual(stream.response)
        },
      ),
      fuzz,
    )
  })

  it('a turn that fails in the middle keeps its finished items and reports the failure', async () => {
    await fc.assert(
      fc.asyncProperty(turns, fc.nat(), async (events, at) => {
        const error = new GatewayError('upstream-unavailable', 'gone')
        const begun = events.slice(0, at % events.length)
        const stream = await written([...begun, { type: 'turn-error', error }], { toolArguments: 'streamed' })
        expect(stream.problems).toEqual([])
        expect(stream.response).toMatchObject({
          status: 'failed',
          error: { code: 'server_error', message: 'gone' },
        })
      }),
      fuzz,
    )
  })

  it.each<[FinishReason, string, object | null, string]>([
    ['stop', 'completed', null, 'completed'],
    ['other', 'completed', null, 'completed'],
    ['length', 'incomplete', { reason: 'max_output_tokens' }, 'incomplete'],
    ['content-filter', 'incomplete', { reason: 'content_filter' }, 'incomplete'],
  ])('finish reason %s is status %s', async (reason, status, incomplete_details, itemStatus) => {
    const stream = await written([start, ...said('so far'), end(reason)])
    expect(stream.problems).toEqual([])
    expect(stream.response).toMatchObject({ status, incomplete_details })
    expect(stream.items).toMatchObject([{ type: 'message', status: itemStatus }])
  })

  it('a refusal is a part of type refusal', async () => {
    const stream = await written([start, ...said('No.', true), end('stop')])
    expect(stream.problems).toEqual([])
    expect(stream.items[0].content).toEqual([{ type: 'refusal', refusal: 'No.' }])
    expect(stream.events.map(({ type }) => type)).toContain('response.refusal.delta')
  })

  it.each([
    ['*** Begin Patch\n"x"', '{"input":"*** Begin Patch\\n\\"x\\""}'],
    ['', '{"input":""}'],
    ['a\\b\t\u0000😀\u2028\ud800', JSON.stringify({ input: 'a\\b\t\u0000😀\u2028\ud800' })],
    ['x', '{"patch":"x"}'],
    ['x', '{"note":"y","input":"x"}'],
    ['{"patch":"x","path":"y"}', '{"patch":"x","path":"y"}'],
    ['{"patch":["x"]}', '{"patch":["x"]}'],
    ['{}', '{}'],
    ['{"input":7}', '{"input":7}'],
  ])('a call of a custom tool has its text: %j', async (text, input) => {
    for (const toolArguments of ['whole', 'streamed'] as const) {
      const more = { toolArguments, names: names('apply_patch') }
      const stream = await written([start, ...call('apply_patch', input), end('tool-calls')], more)
      expect(stream.problems).toEqual([])
      expect(stream.items).toEqual([
        {
          id: 'ctc_abc_0',
          type: 'custom_tool_call',
          status: 'completed',
          call_id: 'call_1',
          name: 'apply_patch',
          input: text,
        },
      ])
    }
  })

  it('the text of a custom tool is streamed if arguments are', async () => {
    const events = (...deltas: string[]): TurnEvent[] => [
      start,
      { type: 'tool-call-start', block: 0, callId: 'call_1', name: 'apply_patch' },
      ...deltas.map((delta): TurnEvent => ({ type: 'tool-call-delta', block: 0, delta })),
      { type: 'tool-call-end', block: 0, callId: 'call_1', name: 'apply_patch', input: deltas.join('') },
      end('tool-calls'),
    ]
    const more = { toolArguments: 'streamed' as const, names: names('apply_patch') }
    const rows: [string[], string[]][] = [
      [
        ['{"in', 'put":"*** Be', 'gin\\', 'n\\ud83d', '\\ude00"', '}'],
        ['*** Be', 'gin', '\n', '😀'],
      ],
      [['{"patch":', '"x"}'], ['x']],
      [['{"input":"a","input":"b"}'], ['a']],
    ]
    for (const [deltas, shown] of rows) {
      const stream = await written(events(...deltas), more)
      expect(stream.problems).toEqual([])
      const pieces = stream.events.filter(({ type }) => type === 'response.custom_tool_call_input.delta')
      expect(pieces.map(({ delta }) => delta)).toEqual(shown)
      expect(stream.calls).toMatchObject([{ input: shown.join(''), custom: true }])
    }
  })

  it('a tool of a namespace gets its name and namespace back', async () => {
    const known = names()
    const name = known.offer({ name: 'close', namespace: 'agents', kind: 'function' })
    expect(name).toBe('agents__close')
    const stream = await written([start, ...call('agents__close', '{}'), end('tool-calls')], { names: known })
    expect(stream.calls).toMatchObject([{ name: 'close', namespace: 'agents', input: '{}' }])
    expect(stream.items[0].id).toBe('fc_abc_0')
  })

  it('proofs of reasoning are sent only on request, and always stored', () => {
    const events: TurnEvent[] = [
      start,
      { type: 'reasoning-start', block: 0 },
      { type: 'reasoning-delta', block: 0, delta: 'hm' },
      { type: 'reasoning-end', block: 0, signature: 's1' },
      { type: 'reasoning-start', block: 1 },
      { type: 'reasoning-end', block: 1, redacted: 'r1' },
      end('stop'),
    ]
    for (const includeProofs of [true, false]) {
      const writer = new ResponsesWriter({ ...options, includeProofs })
      const raw = writer.push(events)
      expect(raw.includes('encrypted_content')).toBe(includeProofs)
      expect(writer.finished?.items.every((item) => typeof item.encrypted_content === 'string')).toBe(true)
    }
  })

  it.each(errorCodes)('an error %s, early or late, ends the stream as failed', async (code) => {
    for (const begun of [[], [start, ...said('x')]]) {
      const error = new GatewayError(code, 'line\nbreak', { param: 'input' })
      const stream = await written([...begun, { type: 'turn-error', error }])
      expect(stream.problems).toEqual([])
      expect(stream.error).toMatchObject({ message: 'line\nbreak', param: 'input' })
      expect(stream.error.error.code).toBe(stream.error.code)
    }
  })

  /** Codex knows these codes. It retries five times on any other. */
  it.each<[ErrorCode, string]>([
    ['upstream-unavailable', 'server_error'],
    ['upstream-protocol', 'server_error'],
    ['timeout', 'server_error'],
    ['internal', 'server_error'],
    ['rate-limited', 'rate_limit_exceeded'],
    ['context-overflow', 'context_length_exceeded'],
    ['quota-exhausted', 'insufficient_quota'],
    ['invalid-request', 'invalid_prompt'],
    ['unauthenticated', 'invalid_prompt'],
    ['not-found', 'invalid_prompt'],
    ['upstream-challenge', 'invalid_prompt'],
  ])('%s is known to clients as %s', async (code, known) => {
    const error = new GatewayError(code, 'Words.', {
      detail: code === 'not-found' ? 'model_not_found' : undefined,
    })
    const stream = await written([start, { type: 'turn-error', error }])
    expect(stream.response.error).toEqual({ code: known, message: 'Words.' })
  })

  it('the retry delay is in the message', async () => {
    const error = new GatewayError('rate-limited', 'Slow down.', { retryAfterMs: 1_500 })
    const stream = await written([start, { type: 'turn-error', error }])
    expect(stream.response.error.message).toBe('Slow down. Please try again in 2s.')
  })

  it('cut at any byte, the stream contains no false end', async () => {
    const events = [start, ...said('Grüße'), ...call('apply_patch', '{"input":"x"}'), end('tool-calls')]
    const raw = new ResponsesWriter({ ...options, names: names('apply_patch') }).push(events)
    const bytes = Buffer.from(raw)
    for (let length = 0; length < bytes.length - 1; length++) {
      const text = bytes.subarray(0, length).toString()
      const whole = text.slice(0, text.lastIndexOf('\n\n') + 2)
      const { response, problems } = await streamOf(whole.length > 1 ? whole : '')
      expect(response).toBeUndefined()
      expect(problems.every((problem) => /cut off|must be last/.test(problem))).toBe(true)
    }
  })

  it('puts late notes into one comment before the end', () => {
    const lateNotes = () => ['one', 'two\r\nthree']
    const raw = new ResponsesWriter({ ...options, lateNotes }).push([start, end('stop')])
    expect(raw).toMatch(/\n\n: x-dragoman-notes: one; two three\nevent: response.completed\ndata: .*\n\n$/)
  })
})
