// Errors in Google's shape. https://ai.google.dev/gemini-api/docs/troubleshooting

import type { ErrorCode, GatewayError } from '../../core/errors.ts'
import { saidIn } from '../errors/service-error.ts'

const words: Record<ErrorCode, string> = {
  'invalid-request': 'INVALID_ARGUMENT',
  unsupported: 'INVALID_ARGUMENT',
  unauthenticated: 'UNAUTHENTICATED',
  forbidden: 'PERMISSION_DENIED',
  'not-found': 'NOT_FOUND',
  'method-not-allowed': 'INVALID_ARGUMENT',
  conflict: 'ABORTED',
  'payload-too-large': 'INVALID_ARGUMENT',
  'unsupported-media': 'INVALID_ARGUMENT',
  misdirected: 'INVALID_ARGUMENT',
  'rate-limited': 'RESOURCE_EXHAUSTED',
  'quota-exhausted': 'RESOURCE_EXHAUSTED',
  'context-overflow': 'INVALID_ARGUMENT',
  'upstream-unavailable': 'UNAVAILABLE',
  'upstream-protocol': 'INTERNAL',
  'upstream-challenge': 'PERMISSION_DENIED',
  'upstream-credential': 'FAILED_PRECONDITION',
  timeout: 'DEADLINE_EXCEEDED',
  canceled: 'CANCELLED',
  internal: 'INTERNAL',
}

const type = (name: string) => ({ '@type': `type.googleapis.com/google.rpc.${name}` })

export function geminiErrorBody(failure: GatewayError): Record<string, unknown> {
  const said = saidIn('gemini', failure)
  if (said) return said.body
  const { code, status } = failure
  const details = detailsOf(failure)
  return {
    error: {
      code: status,
      message: messageOf(failure),
      status: words[code],
      ...(details.length > 0 ? { details } : {}),
    },
  }
}

export const geminiErrorStatus = (failure: GatewayError): number =>
  saidIn('gemini', failure)?.status ?? failure.status

/** Google's clients read the delay here: they ignore the header `retry-after`. */
function detailsOf({ code, message, param, retryAfterMs, retryable }: GatewayError): object[] {
  const details: object[] = []
  if (code === 'unauthenticated')
    details.push({ ...type('ErrorInfo'), reason: 'API_KEY_INVALID', domain: 'googleapis.com' })
  if (param !== undefined)
    details.push({ ...type('BadRequest'), fieldViolations: [{ field: param, description: message }] })
  if (retryable && retryAfterMs !== undefined)
    details.push({ ...type('RetryInfo'), retryDelay: `${Math.ceil(retryAfterMs / 100) / 10}s` })
  return details
}

/** Clients match the service's words to know that they must shorten the conversation. */
const overflow = 'The input token count exceeds the maximum number of tokens allowed'

const messageOf = ({ code, message }: GatewayError): string =>
  code !== 'context-overflow' || /exceeds the maximum number of tokens/.test(message)
    ? message
    : `${overflow}: ${message}`
