// The same with two breaks in a row.

import { describe, expect, it } from 'vitest'
import { transports, useCursorBench } from '../cursor-bench.ts'
import { content, work } from './stubborn-agent.ts'

for (const transport of transports) {
  describe(`over ${transport}`, () => {
    const bench = useCursorBench({ transport })

    it('two breaks in a row, at any two', { timeout: 120_000 }, async () => {
      for (let one = 2; one < 30; one += 7)
        for (let other = 1; other < 30; other += 6) {
          bench.sim.clear()
          bench.sim.breakNext(one, other)
          const done = await work(bench.url)
          expect([one, other, done.executed, done.text.includes(content)]).toEqual([one, other, 1, true])
        }
    })
  })
}
