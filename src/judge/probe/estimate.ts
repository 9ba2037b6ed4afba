// What a probe will take, before it is begun: the requests of a model that does everything right, by their sizes.

import type { Door } from './doors/door.ts'
import { system } from './run-task.ts'
import { tokensOf } from './spending.ts'
import type { Message, Task } from './task.ts'

export interface Estimate {
  tasks: number
  requests: number
  inputTokens: number
  outputTokens: number
  /** With one request at a time. */
  seconds: number
}

export interface Prices {
  /** For a million tokens. */
  in: number
  out: number
}

/** Of an ordinary service; what a model thinks before it answers is not in it. */
const secondsPerRequest = 1.5
export const tokensPerSecond = 50

export function estimate(tasks: readonly Task[], door: Door, repeat = 1): Estimate {
  const sum: Estimate = { tasks: tasks.length, requests: 0, inputTokens: 0, outputTokens: 0, seconds: 0 }
  for (const task of tasks) addTask(sum, task, door)
  sum.requests *= repeat
  sum.inputTokens *= repeat
  sum.outputTokens *= repeat
  sum.seconds = sum.requests * secondsPerRequest + sum.outputTokens / tokensPerSecond
  return sum
}

function addTask(sum: Estimate, task: Task, door: Door): void {
  const messages: Message[] = [...task.messages]
  const { tools } = task
  for (const { calls = [], text = '' } of task.ideal) {
    sum.requests++
    sum.inputTokens += tokensOf(door.body({ model: '', system, messages, tools, stream: false }))
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
