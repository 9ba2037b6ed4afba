// Cancellation: Cursor's service sees within 250 ms that the client disconnected, in every state of the run; a parked run stays.

import { describe, expect, it } from 'vitest'
import type { CursorStep } from '../../sim/cursor.ts'
import { answerOf, askCursor, followUp, transports, useCursorBench } from '../cursor-bench.ts'
import { startStopwatch } from '../stopwatch.ts'
import { expectNothingStray, until } from './wire.ts'

const longestMs = 250
expectNothingStray()

const windows: { name: string; stream: boolean; steps: CursorStep[]; seen?: string }[] = [
  { name: 'before upstream headers', stream: true, steps: [{ bare: true }, { fault: 'hang' }] },
  { name: 'before the first token', stream: true, steps: [{ fault: 'hang' }] },
  { name: 'mid-stream, silent', stream: true, steps: [{ say: 'token' }, { fault: 'hang' }], seen: 'token' },
  {
    name: 'mid-stream, heartbeats only',
    stream: true,
    steps: [{ say: 'token' }, { heartbeats: { everyMs: 20, count: 'forever' } }],
    seen: 'token',
  },
  {
    name: 'mid-stream, at full speed',
    stream: true,
    steps: [{ flood: { deltas: 500_000, text: 'token' } }],
    seen: 'token',
  },
  { name: 'not streamed', stream: false, steps: [{ say: 'token' }, { fault: 'hang' }] },
]

describe.each(transports)('over %s', (transport) => {
  const bench = useCursorBench({ transport })

  it.each(windows)('$name', async ({ stream, steps, seen }) => {
    bench.sim.play(steps)
    const leave = new AbortController()
    let text = ''
    const gone = fetch(`${bench.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...askCursor('hello'), stream }),
      signal: leave.signal,
    })
      .then(async (answer) => {
        for await (const piece of answer.body ?? []) text += Buffer.from(piece).toString()
      })
      .catch(() => undefined)
    await until(() => bench.sim.runs.length > 0 && (bench.sim.runs[0]?.received.length ?? 0) > 0)
    if (seen !== undefined) await until(() => text.includes(seen))
    const elapsed = startStopwatch()
    leave.abort()
    expect(await bench.sim.runs[0]?.waitForClose()).toBe('by-client')
    expect(elapsed()).toBeLessThan(longestMs)
    await gone
  })

  it('a parked run does not mind that its client closed the connection', async () => {
    bench.sim.play([{ exec: { read: { path: 'a' } } }, { await: 'results' }, { say: 'live' }, { end: true }])
    const body = askCursor('read it')
    const first = await answerOf(bench.url, body, 'streamed')
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(bench.sim.runs[0]?.closed).toBeUndefined()
    const second = await answerOf(bench.url, followUp(body, first, ['A']), 'streamed')
    expect(second).toMatchObject({ text: 'live', session: 'live' })
  })
})
