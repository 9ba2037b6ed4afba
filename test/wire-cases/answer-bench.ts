// The upstreams of T1 to T17, and how their answers are looked at.

import { expect } from 'vitest'
import type { Step } from '../../sim/script.ts'
import type { ChatStream } from '../chat-stream.ts'
import { ask, type Bench, type Body, type ChatAnswer, chat, chatStream, useBench } from '../harness.ts'

export const bench = {} as Bench
/** For the top of each file: files of a worker share this module, so its hooks would be those of the first one only. */
export const useAnswerBench = () => void useBench({}, bench)

export const models = { anthropic: 'anthropic/claude-demo', openai: 'openai/gpt-demo' }

export async function stream(
  backend: keyof typeof models,
  steps: Step[],
  more: Body = {},
): Promise<ChatStream> {
  bench[backend].play(steps)
  const answer = await chatStream(bench.url, ask(models[backend], more))
  expect(answer.problems).toEqual([])
  return answer
}

export async function whole(
  backend: keyof typeof models,
  steps: Step[],
  more: Body = {},
): Promise<ChatAnswer> {
  bench[backend].play(steps)
  return chat(bench.url, ask(models[backend], more))
}

export const calls = (answer: ChatStream) => answer.calls.map((call) => [call.id, call.name, call.arguments])
export const wholeCalls = (answer: ChatAnswer) =>
  (answer.json.choices[0].message.tool_calls ?? []).map(
    (call: { id: string; function: { name: string; arguments: string } }) => [
      call.id,
      call.function.name,
      call.function.arguments,
    ],
  )
/** Notes are in the header, or in a comment if they arose later. */
export const notesOf = (answer: ChatStream) =>
  `${answer.headers.get('x-dragoman-notes')} ${answer.comments.join()}`
export const finish = (answer: ChatAnswer) => answer.json.choices[0].finish_reason
