// Errors of the Messages API → ours. https://docs.anthropic.com/en/api/errors

import { type ErrorCode, GatewayError } from '../../core/errors.ts'
import { credentialHint } from '../openai-chat/errors.ts'
import { isObject } from '../tool-input.ts'

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

export interface AnthropicErrorFacts {
  backend: string
  status: number
  /** The parsed body; anything when it was not JSON. */
  body: unknown
  retryAfterMs?: number | undefined
  excerpt?: string
}

export function fromAnthropicError({
  backend,
  status,
  body,
  retryAfterMs,
  excerpt,
}: AnthropicErrorFacts): GatewayError {
  const error = isObject(body) && isObject(body.error) ? body.error : {}
  const type = typeof error.type === 'string' ? error.type : ''
  const said = typeof error.message === 'string' ? error.message : ''
  let code =
    byType.get(type) ??
    byStatus[status] ??
    (status >= 500 || status < 400 ? 'upstream-unavailable' : 'invalid-request')
  if (code === 'invalid-request' && /prompt is too long|context window/i.test(said)) code = 'context-overflow'
  if (code === 'invalid-request' && /credit balance is too low/i.test(said)) code = 'quota-exhausted'
  const explained = said || `HTTP ${status} without an explanation`
  return new GatewayError(
    code,
    `${backend}: ${explained}${code === 'unauthenticated' ? credentialHint(backend) : ''}`,
    {
      upstream: { status, ...(excerpt === undefined ? {} : { excerpt }) },
      // 529 is Anthropic's own; clients know 503. Other 5xx are passed on as they are.
      ...(status >= 500 && status !== 529 && code === 'upstream-unavailable' ? { status } : {}),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(code === 'not-found' && said.startsWith('model') ? { detail: 'model_not_found' } : {}),
    },
  )
}
