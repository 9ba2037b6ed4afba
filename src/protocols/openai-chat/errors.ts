// Errors in OpenAI's shape, out and in. https://platform.openai.com/docs/guides/error-codes

import { type ErrorCode, GatewayError } from '../../core/errors.ts'

const shapes: Record<ErrorCode, { type: string; code: string | null }> = {
  'invalid-request': { type: 'invalid_request_error', code: null },
  unsupported: { type: 'invalid_request_error', code: 'unsupported_parameter' },
  unauthenticated: { type: 'authentication_error', code: 'invalid_api_key' },
  forbidden: { type: 'permission_error', code: 'forbidden' },
  'not-found': { type: 'invalid_request_error', code: 'not_found' },
  'method-not-allowed': { type: 'invalid_request_error', code: 'method_not_allowed' },
  conflict: { type: 'invalid_request_error', code: 'conflict' },
  'payload-too-large': { type: 'invalid_request_error', code: 'request_too_large' },
  'unsupported-media': { type: 'invalid_request_error', code: 'unsupported_media_type' },
  misdirected: { type: 'invalid_request_error', code: 'misdirected_request' },
  'rate-limited': { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  'quota-exhausted': { type: 'insufficient_quota', code: 'insufficient_quota' },
  'context-overflow': { type: 'invalid_request_error', code: 'context_length_exceeded' },
  'upstream-unavailable': { type: 'server_error', code: 'upstream_unavailable' },
  'upstream-protocol': { type: 'server_error', code: 'upstream_protocol_error' },
  timeout: { type: 'server_error', code: 'timeout' },
  canceled: { type: 'server_error', code: 'canceled' },
  internal: { type: 'server_error', code: 'internal_error' },
}

export function chatErrorBody(error: GatewayError): Record<string, unknown> {
  const { type, code } = shapes[error.code]
  return { error: { message: error.message, type, param: error.param ?? null, code: error.detail ?? code } }
}

const byStatus: Record<number, ErrorCode> = {
  400: 'invalid-request',
  401: 'unauthenticated',
  402: 'quota-exhausted',
  403: 'forbidden',
  404: 'not-found',
  408: 'timeout',
  409: 'conflict',
  413: 'payload-too-large',
  422: 'invalid-request',
  429: 'rate-limited',
  504: 'timeout',
}

const overflow =
  /context[ _]length|maximum context|context window|prompt is too long|too many tokens|exceeds? the (model'?s )?(max|context)/i

export interface UpstreamErrorFacts {
  backend: string
  status: number
  /** The `error` object or string of the body, where there is one. */
  error: unknown
  retryAfterMs?: number | undefined
  excerpt?: string
}

/** An OpenAI-style upstream error → ours. The upstream's message is passed on: it is what the user can act on. */
export function fromChatError({
  backend,
  status,
  error,
  retryAfterMs,
  excerpt,
}: UpstreamErrorFacts): GatewayError {
  const fields = typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {}
  const said = typeof error === 'string' ? error : typeof fields.message === 'string' ? fields.message : ''
  const kind = [fields.code, fields.type].filter((value) => typeof value === 'string').join(' ')
  let code: ErrorCode = byStatus[status] ?? (status >= 500 ? 'upstream-unavailable' : 'invalid-request')
  if (kind.includes('context_length') || (code === 'invalid-request' && overflow.test(said)))
    code = 'context-overflow'
  else if (kind.includes('insufficient_quota') || kind.includes('billing')) code = 'quota-exhausted'
  else if (status < 400)
    code = kind.includes('rate_limit')
      ? 'rate-limited'
      : kind.includes('invalid_request')
        ? 'invalid-request'
        : 'upstream-unavailable'
  const message = `${backend}: ${said || `HTTP ${status} without an explanation`}${code === 'unauthenticated' ? credentialHint(backend) : ''}`
  return new GatewayError(code, message, {
    upstream: { status, ...(excerpt === undefined ? {} : { excerpt }) },
    ...(status >= 500 && status < 600 && status !== 529 && code === 'upstream-unavailable' ? { status } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(typeof fields.param === 'string' ? { param: fields.param } : {}),
    ...(code === 'not-found' && kind.includes('model') ? { detail: 'model_not_found' } : {}),
  })
}

/** A client shows 401 as "your key is wrong"; this one is the gateway's key for that backend. */
export const credentialHint = (backend: string) =>
  ` (the credential that the gateway has for backend "${backend}" was refused)`
