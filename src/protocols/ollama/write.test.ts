import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inBatches, turns } from '../../../test/contract/turns.ts'
import { fuzz } from '../../../test/fuzz/settings.ts'
import { readOllamaStream } from '../../../test/ollama-stream.ts'
import { TurnCollector } from '../../core/collect.ts'
import { errorCodes, GatewayError } from '../../core/errors.ts'
import type { TurnEvent } from '../../core/events.ts'
import { ollamaAnswer } from './answer.ts'
import { isOllamaKeepAlive, OllamaWriter, type OllamaWriterOptions } from './write.ts'

const options: OllamaWriterOptions = {
  ...{ model: 'asked/for', createdAt: 1_800_000_000, now: () => 1_800_000_003 },
  ...{ form: 'chat', showsThinking: true, lateNotes: () => [] },
}
const start: TurnEvent = { type: 'turn-start', id: 'u', model: 'm' }
const usage = { inputTokens: 7, outputTokens: 5 }

const headers = { 'content-type': 'application/x-ndjson' }

function written(
  events: readonly TurnEvent[],
  more: Partial<OllamaWriterOptions> = {},
  sizes: number[] = [50],
) {
  const writer = new OllamaWriter({ ...options, ...more })
  const raw = inBatches(events, sizes).map((batch) => writer.push(batch))
  return readOllamaStream(new Response(raw.join(''), { headers }))
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
const thought: TurnEvent[] = [
  { type: 'reasoning-start', block: 0 },
  { type: 'reasoning-delta', block: 0, delta: 'hm' },
  { type: 'reasoning-end', block: 0 },
]
const end = (reason: 'stop' | 'tool-calls' | 'length' | 'content-filter'): TurnEvent => ({
  ...{ type: 'turn-end', reason, usage },
})

describe('any turn', () => {
  it('is a stream without a flaw, and says the same as the whole answer', async () => {
    await fc.assert(
      fc.asyncProperty(turns, fc.array(fc.nat(6)), async (events, sizes) => {
        const stream = await written(events, {}, sizes)
        const whole = JSON.parse(ollamaAnswer(collected(events), options, () => undefined))
        expect(stream.problems).toEqual([])
        expect([stream.text, stream.thinking]).toEqual([whole.message.content, whole.message.thinking ?? ''])
        const calls = (whole.message.tool_calls ?? []).map(
          ({ id, function: made }: { id: string; function: { name: string; arguments: unknown } }) => ({
            ...{ id, name: made.name, input: made.arguments },
          }),
        )
        expect(stream.calls).toEqual(calls)
        expect(stream.doneReason).toBe(whole.done_reason)
      }),
      fuzz,
    )
  })
})

describe('lines', () => {
  it('a call is alone on its line, with its digits and on one line', async () => {
    const input = '{"n":\n12345678901234567890,"t":"\u2028\u0085"}'
    const writer = new OllamaWriter(options)
    const raw = writer.push([start, ...text(0, 'so'), ...call(1, input), ...call(2, '{}'), end('tool-calls')])
    expect(raw).toContain('12345678901234567890')
    expect(raw).toContain('\\u2028\\u0085')
    const { calls, problems, doneReason, lines } = await readOllamaStream(new Response(raw, { headers }))
    expect([calls.length, problems, doneReason, lines]).toEqual([2, [], 'stop', 4])
  })

  it('the last one has the counts, the durations and the late notes', async () => {
    const { last } = await written([start, ...text(0, 'x'), end('length')], { lateNotes: () => ['a note'] })
    expect(last).toMatchObject({
      ...{ done: true, done_reason: 'length', prompt_eval_count: 7, eval_count: 5 },
      ...{ total_duration: 3_000_000_000, dragoman_notes: ['a note'] },
    })
  })

  it('thinking is left out for who wants none', async () => {
    const events = [start, ...thought, ...text(1, 'so'), end('stop')]
    expect((await written(events)).thinking).toBe('hm')
    expect((await written(events, { showsThinking: false })).thinking).toBe('')
  })

  it('the text of a prompt is in `response`, and its end has a context', async () => {
    const {
      text: said,
      last,
      problems,
    } = await written([start, ...text(0, 'x'), end('stop')], {
      form: 'generate',
    })
    expect([said, last.context, last.message, problems]).toEqual(['x', [], undefined, []])
  })

  it('a keep-alive is a line that says nothing', () => {
    for (const form of ['chat', 'generate'] as const) {
      const writer = new OllamaWriter({ ...options, form, model: 'a "quote" \\' })
      expect(isOllamaKeepAlive(writer.keepAlive())).toBe(true)
      expect(isOllamaKeepAlive(writer.push(text(0, 'x')))).toBe(false)
      expect(isOllamaKeepAlive(writer.push([end('stop')]))).toBe(false)
    }
  })

  it('a content filter is said in words, or in a note', async () => {
    const silent = await written([start, end('content-filter')])
    expect([silent.text, silent.doneReason]).toEqual([expect.stringContaining('withheld'), 'stop'])
    const cut = await written([start, ...text(0, 'half'), end('content-filter')])
    expect([cut.text, cut.last.dragoman_notes]).toEqual([
      ...['half', [expect.stringContaining('content filter')]],
    ])
    const notes: string[] = []
    ollamaAnswer(collected([start, ...text(0, 'half'), end('content-filter')]), options, (note) =>
      notes.push(note),
    )
    expect(notes).toHaveLength(1)
  })
})

it.each(errorCodes)('an error %s in mid-stream is a last line of its own', async (code) => {
  const error = new GatewayError(code, 'what to do\u2028')
  const {
    error: said,
    doneReason,
    problems,
  } = await written([...[start, ...text(0, 'half')], { type: 'turn-error', error }])
  expect([said, doneReason, problems]).toEqual(['what to do\u2028', undefined, []])
})
