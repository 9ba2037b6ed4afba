// The estimate shown before a probe starts: the requests of a model that does everything right, by their sizes.

import type { DialectClient } from '../clients/answer.ts'
import { requestOf } from './request.ts'
import { tokensOf } from './spending.ts'
import type { Message, Task } from './task.ts'

export interface Estimate {
  tasks: number
  requests: number
  inputTokens: number
  outputTokens: number
  /** If requests run one at a time. */
  seconds: number
}

export interface Prices {
  /** Per million tokens. */
  in: number
  out: number
}

/** Of an ordinary service, without the time for reasoning. */
const secondsPerRequest = 1.5
export const tokensPerSecond = 50

export function estimate(tasks: readonly Task[], client: DialectClient, repeat = 1): Estimate {
  const sum: Estimate = { tasks: tasks.length, requests: 0, inputTokens: 0, outputTokens: 0, seconds: 0 }
  for (const task of tasks) addTask(sum, task, client)
  sum.requests *= repeat
  sum.inputTokens *= repeat
  sum.outputTokens *= repeat
  sum.seconds = sum.requests * secondsPerRequest + sum.outputTokens / tokensPerSecond
  return sum
}

function addTask(sum: Estimate, task: Task, client: DialectClient): void {
  const messages: Message[] = [...task.messages]
  const { tools } = task
  for (const { calls = [], text = '' } of task.ideal) {
    sum.requests++
    sum.inputTokens += tokensOf(
      client.body(requestOf({ tools }, messages, { model: '', client, stream: false })),
    )
    sum.outputTokens += tokensOf(text) + calls.reduce((tokens, call) => tokens + tokensOf(call), 0)
    const made = calls.map(([name, input], at) => ({ id: `call_${sum.requests}_${at}`, name, input }))
    const results = made.map(({ id, name, input }) => {
      const reply = task.reply({ name, input }, [])
      return { callId: id, text: typeof reply === 'string' ? reply : reply.error }
    })
    messages.push({ role: 'assistant', text, calls: made }, { role: 'tool', results })
  }
}

export const costOf = (
  { inputTokens, outputTokens }: Pick<Estimate, 'inputTokens' | 'outputTokens'>,
  prices: Prices,
) => (inputTokens * prices.in + outputTokens * prices.out) / 1_000_000
