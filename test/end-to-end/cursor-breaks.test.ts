// The stream breaks after every single message of a turn with a tool call. An agent that retries always gets its whole answer, its
// tool runs once, and its result reaches the service once. docs/reliability.md has the table of the breaks after which a result may
// be sent twice; each of its rows is tested here.

import { describe, expect, it } from 'vitest'
import { answerOf, askCursor, closedCalls, followUp, transports, useCursorBench } from '../cursor-bench.ts'
import { content, work } from './stubborn-agent.ts'
import { until } from './wire.ts'

for (const transport of transports) {
  describe(`over ${transport}`, () => {
    const bench = useCursorBench({ transport })

    it('one break, at every message', async () => {
      for (let messages = 1; ; messages++) {
        bench.sim.clear()
        bench.sim.breakNext(messages)
        const done = await work(bench.url)
        expect([messages, done.executed, done.text.includes(content)]).toEqual([messages, 1, true])
        if (bench.sim.runs.length === 1 && (await bench.sim.runs[0]?.waitForClose()) === 'finished') {
          expect(messages).toBeGreaterThan(20)
          break
        }
      }
      // What the service has, by its own word or by its answer to the append, it is not made to ask for again.
      expect(bench.sim.deliveries.size).toBeGreaterThan(10)
      expect([...bench.sim.repeats]).toEqual([])
    })

    it('an unacknowledged result is sent again if the service asks again', async () => {
      const { sim } = bench
      const before = new Set(sim.deliveries.keys())
      sim.play(
        [{ exec: { mcp: { name: 'read', args: {} } } }, { checkpoint: true }, { fault: 'hang' }],
        [{ reask: true }, { await: 'results' }, { say: content }, { end: true }],
      )
      const body = askCursor('Read README.md')
      const first = await answerOf(bench.url, body, 'streamed')
      // Else it could have the result.
      await until(
        () => sim.conversations.get(sim.runs[0]?.request.conversationId ?? '')?.checkpoint !== undefined,
      )
      const second = answerOf(bench.url, followUp(body, first, [content]), 'streamed')
      await until(() => closedCalls(sim.runs[0]) === 1)
      // Appends are sent one after the other: the result's was answered before the close was sent.
      sim.breakRuns()
      expect((await second).text).toContain(content)
      const times = [...sim.deliveries].filter(([callId]) => !before.has(callId)).map(([, count]) => count)
      expect([times, [...sim.repeats]]).toEqual(transport === 'http2' ? [[2], [['resumed', 1]]] : [[1], []])
      sim.clear()
    })
  })
}
