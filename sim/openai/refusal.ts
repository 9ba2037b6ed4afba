// Errors of the Chat Completions API: the body, and the wording and code of each kind of refusal.

import type { Reply } from '../server.ts'
import type { Limit, Path, Wording } from '../shape.ts'

interface RefusalDetails {
  readonly status?: number
  readonly type?: string
  readonly param?: string | null
  readonly code?: string | number | null
  /** Replaces the usual error body of the service. */
  readonly body?: unknown
}

/** The layout of an error body. */
export type ErrorShape = 'nested' | 'flat' | 'flat-object' | 'array' | 'text' | 'no-body'

export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly details: RefusalDetails

  constructor(message: string, details: RefusalDetails = {}) {
    super(message)
    this.details = details
  }
}

export function toErrorReply(
  { message, details }: Refusal,
  headers: Record<string, string>,
  shape: ErrorShape = 'nested',
): Reply {
  const { status = 400, type = 'invalid_request_error', param = null, code = null } = details
  const fields = { message, type, param, code }
  return { status, headers, body: details.body ?? LAYOUTS[shape](fields, status) }
}

type ErrorFields = { message: string; type: string; param: string | null; code: string | number | null }

const LAYOUTS: Readonly<Record<ErrorShape, (fields: ErrorFields, status: number) => unknown>> = {
  nested: (error) => ({ error }),
  flat: (error) => error,
  'flat-object': (error) => ({ object: 'error', ...error }),
  array: ({ message }, status) => [{ error: { code: status, message, status: googleStatus(status) } }],
  text: ({ message }) => ({ error: message }),
  'no-body': () => '',
}

const googleStatus = (status: number) =>
  ({ 400: 'INVALID_ARGUMENT', 401: 'UNAUTHENTICATED', 403: 'PERMISSION_DENIED', 404: 'NOT_FOUND' })[status] ??
  'INTERNAL'

/** `messages[1].tool_calls[0].id` */
export function toParam(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? part : `${text}.${part}`
  }, '')
}

const WITH_ARTICLE: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a decimal',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
}

export const WORDING: Wording = {
  missing: (path) =>
    refuse(path, 'missing_required_parameter', `Missing required parameter: '${toParam(path)}'.`),
  unknown(path) {
    if (path.length === 1) return new Refusal(`Unrecognized request argument supplied: ${path[0]}`)
    return refuse(path, 'unknown_parameter', `Unknown parameter: '${toParam(path)}'.`)
  },
  wrongType(path, wanted, actual) {
    if (actual === null && path.at(-1) === 'content') {
      return refuse(path, null, "Invalid value for 'content': expected a string, got null.")
    }
    const got = `but got ${nameOf(actual)} instead`
    const article = WITH_ARTICLE[wanted] ?? wanted
    return refuse(path, 'invalid_type', `Invalid type for '${toParam(path)}': expected ${article}, ${got}.`)
  },
  notOneOf: (path, allowed, actual) => unsupportedValue(path, allowed, actual),
  unknownTag: (path, tagKey, tags, actual) => unsupportedValue([...path, tagKey], tags, actual),
  mismatch: (path, pattern) =>
    refuse(
      path,
      'invalid_value',
      `Invalid '${toParam(path)}': string does not match pattern. Expected a string that matches the pattern '${pattern.source}'.`,
    ),
  length(path, what, limit, actual) {
    const article = what === 'array' ? 'an' : 'a'
    if (actual === 0) {
      return refuse(
        path,
        `empty_${what}`,
        `Invalid '${toParam(path)}': empty ${what}. Expected ${article} ${what} with minimum length ${sizeOf(limit)}, but got an empty ${what} instead.`,
      )
    }
    const [word, code] = 'least' in limit ? ['short', 'below_min_length'] : ['long', 'above_max_length']
    const bound = 'least' in limit ? 'minimum' : 'maximum'
    return refuse(
      path,
      `${what}_${code}`,
      `Invalid '${toParam(path)}': ${what} too ${word}. Expected ${article} ${what} with ${bound} length ${sizeOf(limit)}, but got ${article} ${what} with length ${actual} instead.`,
    )
  },
  range(path, what, limit, actual) {
    const [word, sign] = 'least' in limit ? ['below minimum', '>='] : ['above maximum', '<=']
    const code = 'least' in limit ? `${what}_below_min_value` : `${what}_above_max_value`
    return refuse(
      path,
      code,
      `Invalid '${toParam(path)}': ${what} ${word} value. Expected a value ${sign} ${sizeOf(limit)}, but got ${actual} instead.`,
    )
  },
  variantPath: (path) => path,
}

function refuse(path: Path, code: string | null, message: string): Refusal {
  return new Refusal(message, { param: toParam(path), code })
}

function unsupportedValue(path: Path, allowed: readonly unknown[], actual: unknown): Refusal {
  const quoted = allowed.map((value) => `'${value}'`)
  const last = quoted.pop()
  const comma = quoted.length > 1 ? ',' : ''
  const names = quoted.length > 0 ? `${quoted.join(', ')}${comma} and ${last}` : last
  return refuse(path, 'invalid_value', `Invalid value: '${actual}'. Supported values are: ${names}.`)
}

function sizeOf(limit: Limit): number {
  return 'least' in limit ? limit.least : limit.most
}

function nameOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal'
  return WITH_ARTICLE[typeof value] ?? 'an unsupported value'
}
