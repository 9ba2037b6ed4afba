// An agent that sends again what failed, until it has its whole answer.

import { type Answer, answerOf, askCursor, followUp } from '../cursor-bench.ts'
import type { Body } from '../harness.ts'

export const content = 'the moon is made of basalt'

/** The answer's text, how often the tool ran, how often it had to ask again. */
export async function work(url: string): Promise<{ text: string; executed: number; failures: number }> {
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
