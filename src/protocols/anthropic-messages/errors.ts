// Errors of the Messages API → ours. https://docs.anthropic.com/en/api/errors

import type { ErrorCode, GatewayError } from '../../core/errors.ts'
import { isObject } from '../json.ts'
import { codeOfStatus, type UpstreamRefusal, upstreamError } from '../upstream-error.ts'

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

export function fromAnthropicError(refusal: UpstreamRefusal): GatewayError {
  const { status, body } = refusal
  const error = isObject(body) && isObject(body.error) ? body.error : {}
  const said = typeof error.message === 'string' ? error.message : ''
  const code = byType.get(String(error.type)) ?? codeOfStatus(status)
  return upstreamError(refusal, { code: refined(code, said), said, unknownModel: said.startsWith('model') })
}

/** Two troubles that the API reports as plain bad requests. */
function refined(code: ErrorCode, said: string): ErrorCode {
  if (code !== 'invalid-request') return code
  if (/prompt is too long|context (window|limit)/i.test(said)) return 'context-overflow'
  return /credit balance is too low/i.test(said) ? 'quota-exhausted' : code
}
