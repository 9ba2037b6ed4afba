// Errors in Anthropic's shape, out and in. https://docs.anthropic.com/en/api/errors

import type { ErrorCode, GatewayError } from '../../core/errors.ts'
import { isOverflow } from '../errors/overflow.ts'
import { readRefusal } from '../errors/refusal.ts'
import { saidIn } from '../errors/service-error.ts'
import {
  codeOfStatus,
  isAboutCredential,
  type UpstreamRefusal,
  upstreamError,
} from '../errors/upstream-error.ts'
import { inOwnWords } from './limit-words.ts'

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
  'upstream-credential': 'api_error',
  timeout: 'timeout_error',
  canceled: 'api_error',
  internal: 'api_error',
}

/** `requestId` is the value of the header `request-id`. There is none before a turn begins. */
export function messagesErrorBody(failure: GatewayError, requestId?: string): Record<string, unknown> {
  const said = saidIn('anthropic', failure)
  if (said) {
    const { body, error } = said
    const words = String(error.message)
    const message = inOwnWords({ code: failure.code, message: words, upstream: failure.upstream })
    return {
      ...body,
      request_id: requestId ?? null,
      ...(message === words ? {} : { error: { ...error, message } }),
    }
  }
  // A 500 is a failure of the service, not overload.
  const isBroken = failure.code === 'upstream-unavailable' && failure.status === 500
  const type = isBroken ? 'api_error' : types[failure.code]
  const { serviceCode } = failure
  const details = serviceCode === undefined ? {} : { details: { error_code: serviceCode } }
  return {
    type: 'error',
    error: { type, message: inOwnWords(failure), ...details },
    request_id: requestId ?? null,
  }
}

/**
 * The status of the API for overload, here also of a backend that is down or left alone. Claude Code has remedies for it that it does
 * not have for a 503.
 */
const overloaded = 529

export function messagesErrorStatus(failure: GatewayError): number {
  const said = saidIn('anthropic', failure)
  if (said) return said.status ?? failure.status
  const isOverload = failure.code === 'upstream-unavailable' && failure.status === 503
  return isOverload ? overloaded : failure.status
}

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

/** https://platform.claude.com/docs/en/api/errors */
const statuses = new Map<unknown, number>(
  Object.entries({
    invalid_request_error: 400,
    billing_error: 402,
    not_found_error: 404,
    conflict_error: 409,
    request_too_large: 413,
    rate_limit_error: 429,
    api_error: 500,
    timeout_error: 504,
    overloaded_error: overloaded,
  }),
)

/** Reads the API's errors, and the error bodies of proxies and compatible servers. */
export function fromAnthropicError(refusal: UpstreamRefusal): GatewayError {
  const { text, kind, status, ownCode, type } = readRefusal(refusal)
  const known = kind
    .split(' ')
    .map((name) => byType.get(name))
    .find((code) => code !== undefined)
  const stated = codeOfStatus(status)
  // Whatever type a proxy gives to a 401: it refuses the credential.
  const isRefusal = isAboutCredential(stated) && known !== 'quota-exhausted'
  const code = refined(isRefusal ? stated : (known ?? stated), kind, text)
  return upstreamError(refusal, {
    code,
    text,
    unknownModel: text.startsWith('model'),
    form: 'anthropic',
    statedStatus: statuses.get(type),
    serviceCode: ownCode,
    type,
  })
}

/** Two errors that the API reports as a plain invalid request. */
function refined(code: ErrorCode, kind: string, text: string): ErrorCode {
  if (code !== 'invalid-request' && code !== 'payload-too-large') return code
  if (isOverflow(kind, text)) return 'context-overflow'
  return /credit balance is too low/i.test(text) ? 'quota-exhausted' : code
}

/** The service refuses `strict` for these tools: over a limit, or a schema that is not in its subset. */
export const refusesStrict = (text: string): boolean =>
  /too many strict tools|compiled grammar is too large|schema is too complex|too many (?:optional|union)|tools\.\d{1,4}\.custom(?:\.input_schema)?: (?:for '|schema keyword)/i.test(
    text.slice(0, 2_000),
  )
