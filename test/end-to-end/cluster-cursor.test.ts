// Cursor runs with several gateways: a run continues, whichever gateway the client reaches.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type CursorSim, startCursorSim } from '../../sim/cursor.ts'
import { peerSecret } from '../cluster-parts.ts'
import { answerOf, askCursor, cursorKey, followUp } from '../cursor-bench.ts'
import { type Bench, startBench } from '../harness.ts'
import { describeWithRedis, startRedis, type TestRedis } from '../redis.ts'
import { expectNothingStray } from './wire.ts'

expectNothingStray()

describeWithRedis('Cursor runs behind several gateways', () => {
  let redis: TestRedis
  let sim: CursorSim
  let gateways: [Bench, Bench, Bench]

  const start = () =>
    startBench({
      settings: {
        backends: { cursor: { kind: 'cursor', baseUrl: sim.url, apiKey: cursorKey, transport: 'http2' } },
        sessions: { redis: redis.url, peerSecret },
      },
    })
  beforeAll(async () => {
    redis = await startRedis()
    sim = await startCursorSim({ apiKey: cursorKey })
    gateways = [await start(), await start(), await start()]
  })
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()))
    await sim.close()
    await redis.stop()
  })

  it.each(['streamed', 'whole'] as const)(
    'ten rounds, each at another one, are one run (%s)',
    async (form) => {
      sim.clear()
      const rounds = Array.from({ length: 10 }, (_, index) => [
        { say: `round ${index}` },
        { exec: { read: { path: `f${index}` } } },
        { await: 'results' as const },
      ])
      sim.play([...rounds.flat(), { say: 'done' }, { end: true }])
      let body = askCursor('go')
      let answer = await answerOf(gateways[0].url, body, form)
      for (let index = 0; index < 10; index++) {
        expect(answer).toMatchObject({ text: `round ${index}`, finish: 'tool_calls', error: undefined })
        body = followUp(body, answer, [`content ${index}`])
        answer = await answerOf(gateways[(index + 1) % 3]?.url ?? '', body, form)
        expect(answer.session).toBe('live')
      }
      expect(answer).toMatchObject({ text: 'done', finish: 'stop' })
      expect(sim.runs).toHaveLength(1)
      expect(sim.violations).toEqual([])
    },
  )

  it('a gateway that stops hands its conversations to the others', async () => {
    sim.clear()
    const leaving = await start()
    sim.play(
      [{ exec: { read: { path: 'a' } } }, { await: 'results' }, { end: true }],
      [{ say: 'afresh' }, { end: true }],
    )
    const body = askCursor('go')
    const first = await answerOf(leaving.url, body, 'streamed')
    await leaving.close()
    const second = await answerOf(gateways[1].url, followUp(body, first, ['A']), 'streamed')
    expect(second).toMatchObject({ text: 'afresh', finish: 'stop', error: undefined })
    expect(second.session).not.toBe('live')
  })
})
