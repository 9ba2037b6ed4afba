// A GatewayError as plain data, for tapes: a replay plays failures that no service caused, such as a clock that ran out.

import { type ErrorCode, errorCodes, GatewayError, type GatewayErrorOptions } from './errors.ts'

export interface ErrorFacts extends Omit<GatewayErrorOptions, 'cause'> {
  code: ErrorCode
}

/** Without its message and its cause. */
export function errorFacts(error: GatewayError): ErrorFacts {
  const { code, status, retryable, param, retryAfterMs, upstream, said, retryHeaders } = error
  const { serviceCode, detail, ownFault } = error
  const more = { param, retryAfterMs, upstream, said, retryHeaders, serviceCode, detail }
  const given = Object.entries(more).filter(([, value]) => value !== undefined)
  return { ...{ code, status, retryable }, ...Object.fromEntries(given), ...(ownFault ? { ownFault } : {}) }
}

/** The data may come from a stranger: only an unknown code makes a difference here. */
export function errorFrom(message: string, { code, ...options }: Partial<ErrorFacts>): GatewayError {
  const known = errorCodes.find((one) => one === code)
  return new GatewayError(known ?? 'upstream-unavailable', message, options)
}
