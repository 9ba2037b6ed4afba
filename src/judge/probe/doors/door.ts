// One client dialect, as the probe speaks it: by code of its own, strict about what comes back.

import { isObject } from '../../../base/json.ts'
import type { SseMessage } from '../../../protocols/streams/sse.ts'
import type { Message, Tool, ToolChoice } from '../task.ts'

export interface Asked {
  model: string
  system: string
  messages: readonly Message[]
  tools: readonly Tool[]
  toolChoice?: ToolChoice | undefined
  oneCallAtATime?: true | undefined
  stream: boolean
}

export type Finish = 'stop' | 'calls' | 'length' | 'filter'

/** A call as it came: its arguments are still text. */
export interface RawCall {
  id: string
  name: string
  arguments: string
}

export interface Usage {
  inputTokens: number
  outputTokens: number
}

/** What was read of an answer, however far it came. */
export interface Answer {
  text: string
  calls: RawCall[]
  finish: Finish | undefined
  usage: Usage | undefined
  /** The answer as this dialect sends it back with the next request. */
  echo: unknown
  /** In place of an end. */
  error: string | undefined
  /** What no answer of this dialect may look like: the gateway's fault. */
  problems: string[]
}

export interface AnswerReader {
  /** One event of a stream. True where it shows something of the answer. */
  push(message: SseMessage): boolean
  /** The whole answer. */
  whole(body: Record<string, unknown>): void
  end(): Answer
}

export interface Door {
  path: string
  headers?: Record<string, string>
  body(asked: Asked): Record<string, unknown>
  reader(): AnswerReader
}

export const emptyAnswer = (): Answer => ({
  text: '',
  calls: [],
  finish: undefined,
  usage: undefined,
  echo: undefined,
  error: undefined,
  problems: [],
})

/** What an error says, in all three dialects alike. */
export function errorWords(body: unknown): string | undefined {
  const error = isObject(body) ? body.error : undefined
  return isObject(error) && typeof error.message === 'string' ? error.message : undefined
}
