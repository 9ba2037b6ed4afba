// An upstream's refusal → GatewayError, as far as all services share it: the code for a status, the message, and the status for the
// client.

import { type ErrorCode, GatewayError } from '../../core/errors.ts'

export interface UpstreamRefusal {
  /** The configured name of the backend. */
  backend: string
  /** 200 if the error is inside an answer. */
  status: number
  /** The parsed body; undefined if it is not JSON. */
  body: unknown
  retryAfterMs?: number | undefined
  excerpt?: string
}

const codes = new Map<number, ErrorCode>([
  [400, 'invalid-request'],
  [401, 'unauthenticated'],
  [402, 'quota-exhausted'],
  [403, 'forbidden'],
  [404, 'not-found'],
  [408, 'timeout'],
  [409, 'conflict'],
  [413, 'payload-too-large'],
  [422, 'invalid-request'],
  [429, 'rate-limited'],
  [504, 'timeout'],
])

export function codeOfStatus(status: number): ErrorCode {
  return codes.get(status) ?? (status >= 500 || status < 400 ? 'upstream-unavailable' : 'invalid-request')
}

/** 529 is Anthropic's own: clients do not know it, but they know 503. Other 5xx are passed on unchanged. */
export function statusToPassOn(code: ErrorCode, status: number): number | undefined {
  return code === 'upstream-unavailable' && status >= 500 && status < 600 && status !== 529
    ? status
    : undefined
}

interface Meaning {
  code: ErrorCode
  /** The upstream's own error text: the user can act on it. */
  text: string
  param?: string | undefined
  unknownModel?: boolean
}

export function upstreamError(
  refusal: UpstreamRefusal,
  { code, text, param, unknownModel }: Meaning,
): GatewayError {
  const { backend, status, retryAfterMs, excerpt } = refusal
  const lost = status === 404 && !unknownModel ? ' (HTTP 404; is its "baseUrl" right?)' : ''
  const explained = `${text || `HTTP ${status} without an explanation`}${lost}`
  // A client shows 401 as "your key is wrong", but this key is the gateway's own for that backend.
  const whose =
    code === 'unauthenticated'
      ? ` (the credential that the gateway has for backend "${backend}" was refused)`
      : ''
  return new GatewayError(code, `${backend}: ${explained}${whose}`, {
    status: statusToPassOn(code, status),
    retryAfterMs,
    param,
    upstream: { status, ...(excerpt === undefined ? {} : { excerpt }) },
    detail: code === 'not-found' && unknownModel ? 'model_not_found' : undefined,
  })
}
