// What a dialect is here: a request in it, and its answers reduced to what all dialects have.

import type { Body } from '../harness.ts'

export interface Call {
  id: string
  name: string
  input: string
}

export interface ShownError {
  type: string
  code: string | null
  message: string
}

export type Turn =
  | { user: string }
  | { text: string; calls: readonly Call[] }
  | { results: readonly { id: string; content: string }[] }

export interface Asked {
  model: string
  turns: readonly Turn[]
  stream: boolean
}

export interface Read {
  text: string
  calls: Call[]
  /** It came to its proper end. */
  complete: boolean
  error: ShownError | undefined
  /** What a strict client would stumble over. */
  problems: string[]
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into
export type Json = any

export interface Dialect {
  path(asked: Asked): string
  body(asked: Asked): Body
  whole(json: Json): Omit<Read, 'error' | 'problems'>
  stream(response: Response): Promise<Read>
}

export const tool = { name: 'read', description: 'Read a file' }
export const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
