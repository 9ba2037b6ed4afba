// The stream breaks behind every single message of a turn with a tool call. Whatever the moment, an agent that sends
// again what failed gets its whole answer, and its tool runs once.

import { describe, expect, it } from 'vitest'
import { type Answer, answerOf, askCursor, followUp, transports, useCursorBench } from '../cursor-bench.ts'
import type { Body } from '../harness.ts'

const content = 'the moon is made of basalt'

/** An agent's loop: the answer's text, how often the tool ran, how often it had to ask again. */
async function work(url: string): Promise<{ text: string; executed: number; failures: number }> {
  let body: Body = askCursor('Read README.md')
  let executed = 0
  let failures = 0
  for (let requests = 0; requests < 12; requests++) {
    let answer: Answer
    try {
      answer = await answerOf(url, body, 'streamed')
    } catch {
      failures++
      continue
    }
    if (answer.error || answer.finish === undefined) failures++
    else if (answer.calls.length > 0) {
      executed += answer.calls.length
      const results = answer.calls.map(() => content)
      body = followUp(body, answer, results)
    } else return { text: answer.text, executed, failures }
  }
  throw new Error(`no answer after ${failures} failures and ${executed} calls`)
}

for (const transport of transports) {
  describe(`over ${transport}`, () => {
    const bench = useCursorBench({ transport })

    it('one break, at every message', { timeout: 120_000 }, async () => {
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
