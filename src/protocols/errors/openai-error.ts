// The error body of both OpenAI APIs. https://platform.openai.com/docs/guides/error-codes

import type { ErrorCode, GatewayError } from '../../core/errors.ts'
import { saidIn } from './service-error.ts'

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
  'upstream-challenge': { type: 'permission_error', code: 'upstream_challenge' },
  'upstream-credential': { type: 'permission_error', code: 'upstream_credential_refused' },
  timeout: { type: 'server_error', code: 'timeout' },
  canceled: { type: 'server_error', code: 'canceled' },
  internal: { type: 'server_error', code: 'internal_error' },
}

/** Codes that clients act on: the service's own code must not replace them. */
const known = new Set<ErrorCode>([
  'context-overflow',
  'rate-limited',
  'quota-exhausted',
  'upstream-credential',
])

interface OpenAIError {
  message: string
  type: string
  param: string | null
  code: string | null
}

export function openaiErrorBody(failure: GatewayError): Record<string, unknown> {
  const said = saidIn('openai', failure)
  if (!said) return { error: openaiError(failure) }
  const { body, error } = said
  const { code } = shapes[failure.code]
  return isTranslated(failure) && error.code !== code ? { ...body, error: { ...error, code } } : body
}

/** Compatible services say this in many ways. Clients know OpenAI's own code and status, and shorten the conversation. */
const isTranslated = ({ code }: GatewayError) => code === 'context-overflow'

/** In the gateway's own words. */
export function openaiError(failure: GatewayError): OpenAIError {
  const { type, code } = shapes[failure.code]
  const own = known.has(failure.code) ? undefined : failure.serviceCode
  const { message, param = null, detail = own ?? code } = failure
  return { message, type, param, code: detail }
}

/** A client of the same dialect gets the service's own status. Groq has a 413 for too many tokens per minute. */
export function openaiErrorStatus(failure: GatewayError): number {
  if (isTranslated(failure) || failure.code === 'rate-limited') return failure.status
  return saidIn('openai', failure)?.status ?? failure.status
}
