// What the dialect clients have in common: the request they write, the answer they read, the rules they check.

import type { Reply } from './http.ts'

export type DoorName = 'chat' | 'messages' | 'responses' | 'gemini'
export type Form = 'stream' | 'whole'
export const doorNames: readonly DoorName[] = ['chat', 'messages', 'responses', 'gemini']
export const forms: readonly Form[] = ['stream', 'whole']

export type Finish = 'stop' | 'length' | 'tool_calls' | 'content_filter'

/** A promise of the protocol. Conform has a case for each rule but `exact`. */
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
  /** Stricter than any client needs. Only the probe, which asks this gateway, fails on it. */
  | 'exact'

export interface Violation {
  rule: Rule
  message: string
}

export type Report = (rule: Rule, message: string) => void

export interface Call {
  id: string
  name: string
  arguments: string
  /** One piece for each delta. */
  pieces: string[]
}

export interface Usage {
  input: number
  output: number
  cached?: number
}

interface AnswerError {
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
  /** How many events carried usage. */
  usages: number
  error: AnswerError | undefined
  /** The stream ended as its protocol says. */
  ended: boolean
  comments: string[]
  violations: Violation[]
  /** The answer as the client sends it back in the next request. */
  echo: unknown[]
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
  violations: [],
  echo: [],
})

export const reporter =
  ({ violations }: Answer): Report =>
  (rule, message) => {
    violations.push({ rule, message })
  }

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

/** One entry of a conversation. `raw` holds items in the dialect's own form. */
export type Message =
  | { role: 'system' | 'developer' | 'user'; text: string }
  | { role: 'assistant'; text?: string; calls?: readonly PastCall[] }
  | { role: 'result'; id: string; text: string; isError?: boolean }
  | { role: 'raw'; items: readonly unknown[] }

export type Choice = 'auto' | 'required' | 'none' | { name: string }

export interface Ask {
  model: string
  form: Form
  /** The system prompt, in the dialect's own field where it has one. */
  system?: string
  messages: readonly Message[]
  tools?: readonly Tool[]
  choice?: Choice | undefined
  /** Forbids parallel calls. */
  oneCallAtATime?: boolean | undefined
  maxTokens?: number
  /** Requests usage in the stream; only Chat needs that. */
  usage?: boolean
  /** Fields that replace or extend the body. */
  more?: Record<string, unknown>
}

/** One dialect, written and read by a strict client. */
export interface DialectClient {
  name: DoorName
  /** Below the base URL, which ends in /v1. */
  url(base: string, target: Pick<Ask, 'model' | 'form'>): string
  headers: Record<string, string>
  keyHeaders(key: string): Record<string, string>
  body(ask: Ask): Record<string, unknown>
  /** Whether a stream's event holds a part of the answer: text, reasoning or a call. */
  isVisible(event: Record<string, unknown>): boolean
  read(reply: Reply, form: Form): Answer
}

export const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` })

export const isStream = ({ headers }: Reply): boolean =>
  String(headers['content-type'] ?? '').startsWith('text/event-stream')

/** Chooses the reader by the content type, not by the form that was asked for: a refusal never streams. */
export function readAnswer(
  reply: Reply,
  form: Form,
  { whole, stream }: { whole(answer: Answer): void; stream(answer: Answer): void },
): Answer {
  const answer = emptyAnswer(reply, form)
  const report = reporter(answer)
  if (reply.garbled) report('frame', 'the bytes are not UTF-8')
  if (isStream(reply)) {
    if (form === 'whole') report('type', 'a stream that was not asked for')
    stream(answer)
    return answer
  }
  const type = String(reply.headers['content-type'] ?? 'none')
  if (form === 'stream' && reply.status === 200)
    report('type', `content-type is ${type}, not text/event-stream`)
  else if (!type.startsWith('application/json'))
    report('type', `content-type is ${type}, not application/json`)
  whole(answer)
  return answer
}
