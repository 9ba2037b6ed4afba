import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inBatches, turns } from '../../../test/contract/turns.ts'
import { fuzz } from '../../../test/fuzz/settings.ts'
import { readGeminiStream } from '../../../test/gemini-stream.ts'
import { TurnCollector } from '../../core/collect.ts'
import { errorCodes, GatewayError } from '../../core/errors.ts'
import type { TurnEvent } from '../../core/events.ts'
import { geminiAnswer } from './answer.ts'
import { fromThoughtSignature } from './thought-signature.ts'
import { GeminiWriter, type GeminiWriterOptions } from './write.ts'

const options: GeminiWriterOptions = {
  id: 'r1',
  model: 'asked/for',
  showsThoughts: true,
  form: 'sse',
  lateNotes: () => [],
}
const types = { sse: 'text/event-stream', array: 'application/json' }
const start: TurnEvent = { type: 'turn-start', id: 'u', model: 'm' }

function written(
  events: readonly TurnEvent[],
  more: Partial<GeminiWriterOptions> = {},
  sizes: number[] = [50],
) {
  const writer = new GeminiWriter({ ...options, ...more })
  const raw = inBatches(events, sizes)
    .map((batch) => writer.push(batch))
    .join('')
  const headers = { 'content-type': types[more.form ?? 'sse'] }
  return readGeminiStream(new Response(raw + (writer.parting() ?? ''), { headers }))
}

function collected(events: readonly TurnEvent[]) {
  const collector = new TurnCollector()
  collector.push(events)
  return collector.turn
}

const call = (block: number, input: string): TurnEvent[] => [
  { type: 'tool-call-start', block, callId: `call_${block}`, name: 'read' },
  { type: 'tool-call-delta', block, delta: input },
  { type: 'tool-call-end', block, callId: `call_${block}`, name: 'read', input },
]
const text = (block: number, delta: string): TurnEvent[] => [
  { type: 'text-start', block },
  { type: 'text-delta', block, delta },
  { type: 'text-end', block },
]
const thought = (block: number, proof: object): TurnEvent[] => [
  { type: 'reasoning-start', block },
  { type: 'reasoning-delta', block, delta: `hm${block}` },
  { type: 'reasoning-end', block, ...proof },
]
const end = (reason: 'stop' | 'tool-calls' | 'length' | 'content-filter'): TurnEvent => ({
  type: 'turn-end',
  reason,
  usage: { inputTokens: 7, outputTokens: 5, reasoningTokens: 2, cacheReadTokens: 3 },
})

describe('GeminiWriter', () => {
  it('a strict client reads any turn, in any batching and both forms; whole answers say the same', async () => {
    const forms = fc.constantFrom('sse' as const, 'array' as const)
    const batches = fc.array(fc.nat(), { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(turns, batches, forms, fc.boolean(), async (events, sizes, form, showsThoughts) => {
        const turn = collected(events)
        const stream = await written(events, { form, showsThoughts }, sizes)
        const ids = turn.parts.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : []))
        // Such a turn does not come from a backend: the strict reader says so.
        const repeats = new Set(ids).size < ids.length ? ['call ids are not distinct'] : []
        expect(stream.problems).toEqual(repeats)
        const whole = await readGeminiStream(
          new Response(`[${geminiAnswer(turn, { ...options, showsThoughts })}]`),
        )
        const said = ({ text, thoughts, calls, finishReason, usage }: typeof stream) => ({
          ...{ text, thoughts, calls, finishReason, usage },
        })
        expect(said(whole)).toEqual(said(stream))
        const texts = (type: string) =>
          turn.parts.map((part) => (part.type === type && 'text' in part ? part.text : '')).join('')
        if (turn.parts.some(({ type }) => type !== 'reasoning')) expect(stream.text).toBe(texts('text'))
        expect(stream.thoughts).toBe(showsThoughts ? texts('reasoning') : '')
        const calls = turn.parts.flatMap((part) =>
          part.type === 'tool-call'
            ? [{ id: part.callId, name: part.name, input: JSON.parse(part.input) }]
            : [],
        )
        expect(JSON.stringify(stream.calls)).toBe(JSON.stringify(calls))
      }),
      fuzz,
    )
  })

  it('the fast path writes the same bytes', () => {
    for (const form of ['sse', 'array'] as const) {
      const [slow, fast] = [0, 1].map(() => new GeminiWriter({ ...options, form }))
      const delta: TurnEvent = { type: 'text-delta', block: 0, delta: 'abc' }
      for (let round = 0; round < 3; round++) expect(fast?.textDelta('abc')).toBe(slow?.push([delta]))
    }
  })

  it('usage is on the last chunk, thoughts apart', async () => {
    const { usage, chunks } = await written([start, ...text(0, 'a'), end('stop')])
    expect(usage).toEqual({
      promptTokenCount: 7,
      candidatesTokenCount: 3,
      totalTokenCount: 12,
      cachedContentTokenCount: 3,
      thoughtsTokenCount: 2,
    })
    expect(chunks.map((chunk) => 'usageMetadata' in chunk)).toEqual([false, true])
  })

  it('arguments with line breaks stay on their line', async () => {
    const { calls, problems } = await written([
      start,
      ...call(0, '{\n  "a": "x\\ny"\r\n}'),
      end('tool-calls'),
    ])
    expect(problems).toEqual([])
    expect(calls[0]?.input).toEqual({ a: 'x\ny' })
  })

  it('proofs of reasoning are on the call behind them, in order', async () => {
    const events = [
      start,
      ...thought(0, { signature: 's0' }),
      ...thought(1, { redacted: 'r1' }),
      ...text(2, 'Reading.'),
      ...thought(3, { signature: 's3' }),
      ...call(4, '{}'),
      ...call(5, '{}'),
      ...thought(6, {}),
      ...call(7, '{}'),
      end('tool-calls'),
    ]
    for (const showsThoughts of [true, false]) {
      const { signatures, chunks, problems } = await written(events, { showsThoughts })
      expect(problems).toEqual([])
      expect(signatures).toHaveLength(1)
      const signed = chunks.find((chunk) => JSON.stringify(chunk).includes('thoughtSignature'))
      expect(signed.candidates[0].content.parts[0].functionCall.id).toBe('call_4')
      expect(fromThoughtSignature('asked/for', signatures[0] ?? '')).toEqual([
        { type: 'reasoning', text: 'hm0', signature: 's0', leads: true },
        { type: 'reasoning', text: 'hm1', redacted: 'r1', leads: true },
        { type: 'reasoning', text: 'hm3', signature: 's3', leads: false },
      ])
      const whole = JSON.parse(geminiAnswer(collected(events), { ...options, showsThoughts }))
      const [first] = whole.candidates[0].content.parts.filter((part: object) => 'functionCall' in part)
      expect(first.thoughtSignature).toBe(signatures[0])
    }
  })

  it('without a call they are on the last chunk', async () => {
    const { signatures, chunks } = await written([
      start,
      ...thought(0, { signature: 's' }),
      ...text(1, 'a'),
      end('stop'),
    ])
    expect(chunks.at(-1).candidates[0].content.parts).toEqual([{ text: '', thoughtSignature: signatures[0] }])
  })

  it('an answer that was withheld has words, and the reason SAFETY', async () => {
    const { text: words, finishReason } = await written([start, end('content-filter')])
    expect([words, finishReason]).toEqual([expect.stringContaining('content filter'), 'SAFETY'])
    const spoken = await written([start, ...text(0, 'No.'), end('content-filter')])
    expect([spoken.text, spoken.finishReason]).toEqual(['No.', 'SAFETY'])
  })

  it('text by the fast path counts as output: a filter behind it adds no words', () => {
    const writer = new GeminiWriter(options)
    writer.push([start, { type: 'text-start', block: 0 }])
    writer.textDelta('Hello.')
    const end = writer.push([
      { type: 'text-end', block: 0 },
      { type: 'turn-end', reason: 'content-filter' },
    ])
    expect(end).not.toContain('withheld')
  })

  it('a whole answer with an empty text has a part, and words if it was withheld', () => {
    const turn = collected([
      start,
      { type: 'text-start', block: 0 },
      { type: 'text-end', block: 0 },
      { type: 'turn-end', reason: 'content-filter' },
    ])
    const { parts } = JSON.parse(geminiAnswer(turn, options)).candidates[0].content
    expect(parts).toEqual([{ text: expect.stringContaining('withheld') }])
  })

  it('late notes are a member that clients pass over', async () => {
    const { chunks, problems } = await written([start, ...text(0, 'a'), end('stop')], {
      lateNotes: () => ['a "b"\n'],
    })
    expect(problems).toEqual([])
    expect(chunks.at(-1).dragomanNotes).toEqual(['a "b"\n'])
  })

  it('so are those of a turn that fails', () => {
    const error = new GatewayError('timeout', 'It broke.')
    for (const form of ['sse', 'array'] as const) {
      const writer = new GeminiWriter({ ...options, form, lateNotes: () => ['a note'] })
      const text = writer.push([start, { type: 'turn-error', error }])
      expect(text).toContain('},"dragomanNotes":["a note"]}')
      expect(writer.parting() ?? '').not.toContain('a note')
    }
  })

  it.each(errorCodes)('%s late: a frame and the bare error, never an end', async (code) => {
    const error = new GatewayError(code, 'It broke.', { retryAfterMs: 1_500 })
    for (const form of ['sse', 'array'] as const) {
      const stream = await written([start, ...text(0, 'a'), { type: 'turn-error', error }], { form })
      expect(stream.problems).toEqual([])
      expect(stream.error).toMatchObject({ code: error.status, status: expect.stringMatching(/^[A-Z_]+$/) })
      const delays = (stream.error.details ?? []).map(({ retryDelay }: { retryDelay?: string }) => retryDelay)
      expect(delays.filter(Boolean)).toEqual(error.retryable ? ['1.5s'] : [])
    }
  })

  it('a client that repeats every 5xx gets a final one as 400', async () => {
    const failing = (retryable: boolean) =>
      written(
        [start, { type: 'turn-error', error: new GatewayError('upstream-protocol', 'x', { retryable }) }],
        {
          repeatsServerErrors: true,
        },
      )
    expect([(await failing(false)).error.code, (await failing(true)).error.code]).toEqual([400, 502])
  })
})
