// Errors of the Gemini API: Google's error body, and the status of each of its words.

import type { Reply } from '../server.ts'
import type { Json } from '../shape.ts'

const STATUS = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  RESOURCE_EXHAUSTED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const

type Word = keyof typeof STATUS

export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly word: Word
  readonly details: readonly Json[]

  constructor(message: string, word: Word = 'INVALID_ARGUMENT', details: readonly Json[] = []) {
    super(message)
    this.word = word
    this.details = details
  }
}

export function toErrorReply({ message, word, details }: Refusal, headers: Record<string, string>): Reply {
  const code = STATUS[word]
  const error = { code, message, status: word, ...(details.length > 0 && { details }) }
  return { status: code, headers, body: { error } }
}

/** A detail of an error, by the name of its message in google.rpc. */
export const detail = (name: string, fields: Json): Json => ({
  '@type': `type.googleapis.com/google.rpc.${name}`,
  ...fields,
})
