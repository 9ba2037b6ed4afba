// The stream breaks behind every single message of a turn with a tool call. Whatever the moment, an agent that sends
// again what failed gets its whole answer, and its tool runs once.

import { describe, expect, it } from 'vitest'
import { transports, useCursorBench } from '../cursor-bench.ts'
import { content, work } from './stubborn-agent.ts'

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
    })
  })
}
