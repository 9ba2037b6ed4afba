// Errors in Anthropic's shape, out and in. https://docs.anthropic.com/en/api/errors

import type { ErrorCode, GatewayError } from '../../core/errors.ts'
import { isOverflow } from '../errors/overflow.ts'
import { readRefusal } from '../errors/refusal.ts'
import { codeOfStatus, type UpstreamRefusal, upstreamError } from '../errors/upstream-error.ts'

const types: Record<ErrorCode, string> = {
  'invalid-request': 'invalid_request_error',
  unsupported: 'invalid_request_error',
  unauthenticated: 'authentication_error',
  forbidden: 'permission_error',
  'not-found': 'not_found_error',
  'method-not-allowed': 'invalid_request_error',
  conflict: 'conflict_error',
  'payload-too-large': 'request_too_large',
  'unsupported-media': 'invalid_request_error',
  misdirected: 'invalid_request_error',
  'rate-limited': 'rate_limit_error',
  'quota-exhausted': 'billing_error',
  'context-overflow': 'invalid_request_error',
  'upstream-unavailable': 'overloaded_error',
  'upstream-protocol': 'api_error',
  'upstream-challenge': 'api_error',
  timeout: 'timeout_error',
  canceled: 'api_error',
  internal: 'api_error',
}

/** `requestId` is the value of the header `request-id`. There is none before a turn begins. */
export function messagesErrorBody(error: GatewayError, requestId?: string): Record<string, unknown> {
  // A 500 is a failure of the service, not overload.
  const type = error.code === 'upstream-unavailable' && error.status === 500 ? 'api_error' : types[error.code]
  return {
    type: 'error',
    error: { type, message: messageOf(error) },
    request_id: requestId ?? null,
  }
}

/** Clients match this text to know that they must shorten the conversation or ask for a shorter answer. */
const overflow = /prompt is too long|exceed context limit/

const messageOf = ({ code, message }: GatewayError): string =>
  code !== 'context-overflow' || overflow.test(message) ? message : `prompt is too long: ${message}`

const byType = new Map<string, ErrorCode>(
  Object.entries({
    invalid_request_error: 'invalid-request',
    authentication_error: 'unauthenticated',
    billing_error: 'quota-exhausted',
    permission_error: 'forbidden',
    not_found_error: 'not-found',
    conflict_error: 'conflict',
    request_too_large: 'payload-too-large',
    rate_limit_error: 'rate-limited',
    timeout_error: 'timeout',
    api_error: 'upstream-unavailable',
    overloaded_error: 'upstream-unavailable',
  } as const),
)

/** Reads the API's errors, and the error bodies of proxies and compatible servers. */
export function fromAnthropicError(refusal: UpstreamRefusal): GatewayError {
  const { text, kind, status } = readRefusal(refusal)
  const known = kind
    .split(' ')
    .map((name) => byType.get(name))
    .find((code) => code !== undefined)
  const code = refined(known ?? codeOfStatus(status), kind, text)
  return upstreamError(refusal, { code, text, unknownModel: text.startsWith('model') })
}

/** Two errors that the API reports as a plain invalid request. */
function refined(code: ErrorCode, kind: string, text: string): ErrorCode {
  if (code !== 'invalid-request' && code !== 'payload-too-large') return code
  if (isOverflow(kind, text)) return 'context-overflow'
  return /credit balance is too low/i.test(text) ? 'quota-exhausted' : code
}
