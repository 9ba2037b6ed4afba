// Faults of Cursor's agent, among them those that other gateways ran into: each has an outcome that clients can handle.

import { describe, expect, it } from 'vitest'
import type { CursorStep } from '../../sim/cursor.ts'
import {
  answerOf,
  askCursor,
  followUp,
  startCursorBench,
  transports,
  useCursorBench,
} from '../cursor-bench.ts'
import { quickRetries } from '../harness.ts'

const read = (path: string): CursorStep => ({ exec: { read: { path } } })

for (const transport of transports) {
  describe(`over ${transport}`, () => {
    const bench = useCursorBench({ transport })

    describe.each<[string, CursorStep[], RegExp]>([
      ['a reset', [{ fault: 'reset' }], /broke|end/],
      ['an early end', [{ fault: 'fin' }], /end-of-stream|end of its stream|broke/],
      ['a half frame', [{ fault: 'truncate' }, { say: 'never' }], /frame|broke/],
      ['a lying length', [{ fault: 'lying-length' }, { say: 'never' }], /frame|larger|broke/],
      ['an end frame without turn_ended', [{ end: 'frame-only' }], /middle of the turn/],
      ['a gzip bomb', [{ fault: 'gzip-bomb' }], /inflate|unpack|compressed|large/],
      ['junk', [{ raw64: Buffer.from([0, 0, 0, 0, 1, 0xff]).toString('base64') }], /decoded/],
      [
        'a frame of an unknown kind',
        [{ raw64: Buffer.from([0x40, 0, 0, 0, 0]).toString('base64') }],
        /flag|frame/,
      ],
    ])('%s', (_name, steps, message) => {
      it('after some text is an in-band error', async () => {
        bench.sim.play([{ say: 'half an answer' }, { wait: 20 }, ...steps])
        const answer = await answerOf(bench.url, askCursor('hello'), 'streamed')
        expect(answer.text).toBe('half an answer')
        expect(answer.error?.message).toMatch(message)
        expect(answer.finish).toBeUndefined()
      })

      it('before anything is an HTTP status, and the next request works', async () => {
        bench.sim.play(steps, [{ say: 'fine' }, { end: true }])
        const answer = await answerOf(bench.url, askCursor('hello'), 'streamed')
        expect(answer.status).toBe(502)
        expect(answer.error?.message).toMatch(message)
        // A connection that is just dying may cost one more try; it does not use up the turn.
        const next = async () => (await answerOf(bench.url, askCursor('hello'), 'streamed')).text
        await expect.poll(next).toBe('fine')
      })

      it('while parked costs the run, not the conversation', async () => {
        bench.sim.play([read('a'), { wait: 300 }, ...steps], [{ say: 'from the history' }, { end: true }])
        const body = askCursor('read it')
        const first = await answerOf(bench.url, body, 'streamed')
        expect(first.calls).toHaveLength(1)
        await bench.sim.runs[0]?.waitForClose()
        await new Promise((resolve) => setTimeout(resolve, 50))
        const second = await answerOf(bench.url, followUp(body, first, ['A']), 'streamed')
        expect(second).toMatchObject({ text: 'from the history', session: 'fresh' })
      })
    })

    it('errors of the service keep their meaning', async () => {
      for (const [details, status, type] of [
        [{ error: 12, title: 'Expired' }, 502, 'permission_error'],
        [{ error: 5, title: 'No such model' }, 404, 'invalid_request_error'],
        [{ error: 10, title: 'Limit' }, 402, 'insufficient_quota'],
        [{ error: 50, title: 'Slow down' }, 429, 'rate_limit_error'],
        [{ error: 43, title: 'Too long' }, 400, 'invalid_request_error'],
        [{ error: 30, title: 'Update Required' }, 400, 'invalid_request_error'],
      ] as const) {
        bench.sim.clear()
        const steps: CursorStep[] = [{ error: { code: 'resource_exhausted', message: 'Error', details } }]
        bench.sim.play(steps, steps)
        const answer = await answerOf(bench.url, askCursor('hello'), 'whole')
        expect([answer.status, answer.error?.type]).toEqual([status, type])
        expect(answer.error?.message).toContain(details.title)
        if (details.error === 30) expect(answer.error?.message).toContain('clientVersion')
      }
    })

    it('reads frames that arrive byte by byte, and compressed frames', async () => {
      bench.sim.play([
        { split: 1 },
        { say: 'Grüße 🙂' },
        { split: 0 },
        { gzip: true },
        { say: ' gepackt' },
        { end: true },
      ])
      expect((await answerOf(bench.url, askCursor('hello'), 'streamed')).text).toBe('Grüße 🙂 gepackt')
    })

    it('the same tool, asked for again, is passed on', async () => {
      bench.sim.play([
        read('a'),
        { await: 'results' },
        { 'repeat-exec': 'new-call' },
        { await: 'results' },
        { say: 'now I know' },
        { end: true },
      ])
      const body = askCursor('read it')
      const first = await answerOf(bench.url, body, 'streamed')
      const again = followUp(body, first, ['A'])
      const second = await answerOf(bench.url, again, 'streamed')
      expect(second.calls.map((call) => [call.name, call.arguments])).toEqual(
        first.calls.map((call) => [call.name, call.arguments]),
      )
      expect(second.calls[0]?.id).not.toBe(first.calls[0]?.id)
      const third = await answerOf(bench.url, followUp(again, second, ['A']), 'streamed')
      expect(third).toMatchObject({ text: 'now I know', session: 'live' })
    })

    it('an answer that is only in a blob is sent once, with a note', async () => {
      bench.sim.play([
        read('a'),
        { await: 'results' },
        { blobText: 'only stored' },
        { heartbeats: { everyMs: 50, count: 3 } },
        { end: true },
      ])
      const body = askCursor('read it')
      const first = await answerOf(bench.url, body, 'streamed')
      const second = await answerOf(bench.url, followUp(body, first, ['A']), 'streamed')
      expect(second).toMatchObject({ text: 'only stored', finish: 'stop' })
      expect(second.notes).toContain('without streaming')
    })

    it('a stream that dies after the results is replaced by a new run, unseen', async () => {
      bench.sim.play(
        [read('a'), { await: 'results' }, { fault: 'reset' }],
        [{ say: 'afresh' }, { end: true }],
      )
      const body = askCursor('read it')
      const first = await answerOf(bench.url, body, 'streamed')
      const second = await answerOf(bench.url, followUp(body, first, ['A']), 'streamed')
      expect(second).toMatchObject({ text: 'afresh', session: 'fresh' })
    })

    it('questions are answered, unknown requests refused, and the turn continues', async () => {
      bench.sim.play([
        { query: 'ask_question' },
        { query: 'web_search' },
        { query: 'create_plan' },
        { execs: [{ unknown: { field: 55 } }, { backgroundShell: { command: 'serve' } }] },
        { await: 'results' },
        { say: 'done' },
        { end: true },
      ] as CursorStep[])
      expect((await answerOf(bench.url, askCursor('hello'), 'streamed')).text).toBe('done')
      expect([...(bench.sim.runs[0]?.thrown.values() ?? [])]).toHaveLength(1)
    })
  })
}

it('GOAWAY moves new runs to another connection; an open run continues', async () => {
  const bench = await startCursorBench({ gateway: { retryPolicy: quickRetries } })
  bench.sim.play(
    [read('a'), { await: 'results' }, { say: 'old' }, { end: true }],
    [{ say: 'new' }, { end: true }],
  )
  const body = askCursor('read it')
  const first = await answerOf(bench.url, body, 'streamed')
  bench.sim.goAway()
  expect((await answerOf(bench.url, askCursor('hello'), 'streamed')).text).toBe('new')
  expect(await answerOf(bench.url, followUp(body, first, ['A']), 'streamed')).toMatchObject({
    text: 'old',
    session: 'live',
  })
  expect(bench.sim.violations).toEqual([])
  await bench.close()
})

it('a client that leaves ends the run at once', async () => {
  for (const transport of transports) {
    const bench = await startCursorBench({ transport })
    bench.sim.play([{ say: 'a word' }, { heartbeats: { everyMs: 50, count: 'forever' } }])
    const leave = new AbortController()
    const response = await fetch(`${bench.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...askCursor('hello'), stream: true }),
      signal: leave.signal,
    })
    await response.body?.getReader().read()
    leave.abort()
    expect(await bench.sim.runs[0]?.waitForClose()).toBe('by-client')
    await bench.close()
  }
})
