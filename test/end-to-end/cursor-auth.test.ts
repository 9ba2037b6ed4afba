// Credentials of a Cursor backend, as they run out, are refused and are renewed under load.

import { describe, expect, it } from 'vitest'
import { answerOf, askCursor, cursorKey, followUp, startCursorBench, transports } from '../cursor-bench.ts'

for (const transport of transports) {
  describe(`over ${transport}`, () => {
    it('a token that was refused is renewed, and the client notices nothing', async () => {
      const bench = await startCursorBench({ transport })
      bench.sim.play([{ say: 'one' }, { end: true }], [{ say: 'two' }, { end: true }])
      expect((await answerOf(bench.url, askCursor('hello'), 'streamed')).text).toBe('one')
      bench.sim.auth.expire()
      expect((await answerOf(bench.url, askCursor('hello'), 'whole')).text).toBe('two')
      expect(bench.sim.auth.exchanges).toBe(2)
      await bench.close()
    })

    it('a token that runs out in the middle of a run does not end the run', async () => {
      const bench = await startCursorBench({ transport })
      bench.sim.play([
        { exec: { read: { path: 'a' } } },
        { await: 'results' },
        { say: 'through' },
        { end: true },
      ])
      const body = askCursor('read it')
      const first = await answerOf(bench.url, body, 'streamed')
      bench.sim.auth.expire()
      const second = await answerOf(bench.url, followUp(body, first, ['A']), 'streamed')
      expect(second).toMatchObject({ text: 'through', session: 'live', error: undefined })
      expect(bench.sim.violations).toEqual([])
      await bench.close()
    })

    it('50 requests with a refused token cause exactly one renewal', async () => {
      const bench = await startCursorBench({ transport })
      bench.sim.play(...Array.from({ length: 51 }, () => [{ say: 'ok' }, { end: true }] as const))
      await answerOf(bench.url, askCursor('hello'), 'streamed')
      bench.sim.auth.expire()
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => answerOf(bench.url, askCursor('hello'), 'streamed')),
      )
      expect(answers.map(({ text }) => text)).toEqual(Array(50).fill('ok'))
      expect(bench.sim.auth.exchanges).toBe(2)
      await bench.close()
    })
  })
}

it('a refused key is a 502 that says whose, and the key is in no log', async () => {
  const bench = await startCursorBench({ backend: { apiKey: 'crsr_wrong_271828182845' } })
  const answer = await answerOf(bench.url, askCursor('hello'), 'streamed')
  expect(answer.status).toBe(502)
  expect(answer.error?.message).toContain('cursor')
  expect(bench.logs.join('')).not.toContain('crsr_wrong_271828182845')
  await bench.close()
})

it('neither key nor token is ever in a log or an answer', async () => {
  const bench = await startCursorBench()
  bench.sim.play([{ error: { code: 'internal', message: `broken with ${cursorKey}` } }])
  const failed = await answerOf(bench.url, askCursor('hello'), 'streamed')
  const [token] = bench.sim.requests
    .map(({ headers }) => headers.authorization ?? '')
    .filter((value) => value.includes('eyJ'))
  const told = JSON.stringify(failed) + bench.logs.join('')
  expect(token).toBeDefined()
  expect(told).not.toContain(cursorKey)
  expect(told).not.toContain(String(token).replace('Bearer ', ''))
  await bench.close()
})
