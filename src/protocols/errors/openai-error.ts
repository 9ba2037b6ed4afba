// The error body of both OpenAI APIs. https://platform.openai.com/docs/guides/error-codes

import type { ErrorCode, GatewayError } from '../../core/errors.ts'

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
  timeout: { type: 'server_error', code: 'timeout' },
  canceled: { type: 'server_error', code: 'canceled' },
  internal: { type: 'server_error', code: 'internal_error' },
}

export function openaiErrorBody(error: GatewayError): Record<string, unknown> {
  const { type, code } = shapes[error.code]
  return { error: { message: error.message, type, param: error.param ?? null, code: error.detail ?? code } }
}
