// Errors of the Messages API: the body, the status of each type, and the wording of its validator.

import type { Reply } from '../server.ts'
import type { Path, Wording } from '../shape.ts'

const STATUS = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  api_error: 500,
} as const

type AnthropicErrorType = keyof typeof STATUS

export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly type: AnthropicErrorType
  readonly status: number

  constructor(message: string, type: AnthropicErrorType = 'invalid_request_error', status?: number) {
    super(message)
    this.type = type
    this.status = status ?? STATUS[type]
  }
}

export function toErrorReply(refusal: Refusal, headers: Record<string, string>): Reply {
  const error = { type: refusal.type, message: refusal.message }
  return {
    status: refusal.status,
    headers,
    body: { type: 'error', error, request_id: headers['request-id'] },
  }
}

const TYPE_WORDS: Record<string, string> = {
  string: 'Input should be a valid string',
  integer: 'Input should be a valid integer',
  number: 'Input should be a valid number',
  boolean: 'Input should be a valid boolean',
  array: 'Input should be a valid list',
  object: 'Input should be a valid dictionary',
}

export const WORDING: Wording = {
  missing: (path) => refuse(path, 'Field required'),
  unknown: (path) => refuse(path, 'Extra inputs are not permitted'),
  wrongType: (path, wanted) => refuse(path, TYPE_WORDS[wanted] ?? `Input should be a valid ${wanted}`),
  notOneOf: (path, allowed) => refuse(path, `Input should be ${joinWithOr(allowed)}`),
  unknownTag: (path, tagKey, tags, actual) =>
    refuse(
      path,
      `Input tag '${actual}' found using '${tagKey}' does not match any of the expected tags: ${quoteAll(tags)}`,
    ),
  mismatch: (path, pattern) => refuse(path, `String should match pattern '${pattern.source}'`),
  length(path, what, limit, actual) {
    const [bound, size] = 'least' in limit ? ['at least', limit.least] : ['at most', limit.most]
    const unit = what === 'string' ? 'character' : 'item'
    const tail = what === 'array' ? ` after validation, not ${actual}` : ''
    const noun = what === 'string' ? 'String' : 'List'
    return refuse(path, `${noun} should have ${bound} ${size} ${unit}${size === 1 ? '' : 's'}${tail}`)
  },
  range(path, _what, limit) {
    const [word, size] = 'least' in limit ? ['greater', limit.least] : ['less', limit.most]
    return refuse(path, `Input should be ${word} than or equal to ${size}`)
  },
  variantPath: (path, tag) => [...path, tag],
}

function refuse(path: Path, message: string): Refusal {
  return new Refusal(path.length === 0 ? message : `${path.join('.')}: ${message}`)
}

function quoteAll(values: readonly unknown[]): string {
  return values.map((value) => `'${value}'`).join(', ')
}

function joinWithOr(values: readonly unknown[]): string {
  const last = values.at(-1)
  return values.length < 2 ? `'${last}'` : `${quoteAll(values.slice(0, -1))} or '${last}'`
}
