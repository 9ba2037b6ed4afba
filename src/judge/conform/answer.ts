// What a gateway answered, the same for all doors, and what a strict client would stumble over.

import type { Reply } from './client.ts'

export type DoorName = 'chat' | 'messages' | 'responses'
export type Form = 'stream' | 'whole'
export const doorNames: readonly DoorName[] = ['chat', 'messages', 'responses']
export const forms: readonly Form[] = ['stream', 'whole']

export type Finish = 'stop' | 'length' | 'tool_calls' | 'content_filter'

/** Which promise of the protocol was broken; each has a case of its own. */
export type Rule =
  | 'type'
  | 'frame'
  | 'name'
  | 'shape'
  | 'constant'
  | 'role'
  | 'index'
  | 'call'
  | 'finish'
  | 'usage'
  | 'end'
  | 'order'

export interface Trouble {
  rule: Rule
  says: string
}

export interface Call {
  id: string
  name: string
  arguments: string
  /** As they came, one by one. */
  pieces: string[]
}

export interface Usage {
  input: number
  output: number
  cached?: number
}

export interface AnswerError {
  message: string
  type: string
  code: string
}

export interface Answer {
  reply: Reply
  form: Form
  text: string
  reasoning: string
  calls: Call[]
  finish: Finish | undefined
  /** In the dialect's own word. */
  rawFinish: string | undefined
  usage: Usage | undefined
  /** How many pieces carried usage. */
  usages: number
  error: AnswerError | undefined
  /** The stream ended as its protocol says. */
  ended: boolean
  comments: string[]
  troubles: Trouble[]
  /** The answer as the client sends it back in the next turn. */
  own: unknown[]
}

export const emptyAnswer = (reply: Reply, form: Form): Answer => ({
  reply,
  form,
  text: '',
  reasoning: '',
  calls: [],
  finish: undefined,
  rawFinish: undefined,
  usage: undefined,
  usages: 0,
  error: undefined,
  ended: false,
  comments: [],
  troubles: [],
  own: [],
})

export interface Tool {
  name: string
  description?: string
  schema: Record<string, unknown>
}

export interface PastCall {
  id: string
  name: string
  arguments: string
}

/** One contribution to a conversation. `raw` stands in the dialect's own words. */
export type Said =
  | { role: 'system' | 'developer' | 'user'; text: string }
  | { role: 'assistant'; text?: string; calls?: readonly PastCall[] }
  | { role: 'result'; id: string; text: string }
  | { role: 'raw'; items: readonly unknown[] }

export type Choice = 'auto' | 'required' | 'none' | { name: string }

export interface Ask {
  model: string
  form: Form
  said: readonly Said[]
  tools?: readonly Tool[]
  choice?: Choice
  maxTokens?: number
  /** Ask for usage in the stream, where that has to be asked for. */
  usage?: boolean
  /** Put over the body as it is. */
  more?: Record<string, unknown>
}

export interface Door {
  name: DoorName
  /** Below the base URL, which ends in /v1. */
  path: string
  headers: Record<string, string>
  body(ask: Ask): Record<string, unknown>
  read(reply: Reply, form: Form): Answer
}

export const isStream = ({ headers }: Reply): boolean =>
  String(headers['content-type'] ?? '').startsWith('text/event-stream')

/** The result is looked at whether the gateway streams or not: a refusal never streams. */
export function readAnswer(
  reply: Reply,
  form: Form,
  { whole, stream }: { whole(answer: Answer): void; stream(answer: Answer): void },
): Answer {
  const answer = emptyAnswer(reply, form)
  const say = (rule: Rule, says: string) => answer.troubles.push({ rule, says })
  if (reply.garbled) say('frame', 'bytes that are no UTF-8')
  if (isStream(reply)) {
    if (form === 'whole') say('type', 'a stream that was not asked for')
    stream(answer)
    return answer
  }
  const type = String(reply.headers['content-type'] ?? 'none')
  if (form === 'stream' && reply.status === 200) say('type', `content-type is ${type}, not text/event-stream`)
  else if (!type.startsWith('application/json')) say('type', `content-type is ${type}, not application/json`)
  whole(answer)
  return answer
}
