// Encodes a GatewayError for another instance. Upstream excerpts stay on this instance.

import { type Fields, isObject } from '../base/json.ts'
import { type ErrorCode, errorCodes, GatewayError } from '../core/errors.ts'

/** Removes secrets. */
export type Scrub = (text: string) => string

export function writeError(error: GatewayError, scrub: Scrub): Fields {
  const { code, status, retryable, retryAfterMs, detail, upstream } = error
  const message = scrub(error.message)
  const param = error.param === undefined ? undefined : scrub(error.param)
  const upstreamStatus = upstream?.status === undefined ? {} : { status: upstream.status }
  return {
    ...{ code, status, message, retryable, param, retryAfterMs, detail },
    ...(upstream ? { upstream: upstreamStatus } : {}),
  }
}

const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
const amount = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
const httpStatus = (value: unknown) =>
  Number.isInteger(value) && (value as number) >= 400 && (value as number) <= 599
    ? (value as number)
    : undefined

export function readError(value: unknown): GatewayError {
  const fields = isObject(value) ? value : {}
  const code: ErrorCode = errorCodes.find((known) => known === fields.code) ?? 'internal'
  const upstreamStatus = isObject(fields.upstream) ? amount(fields.upstream.status) : undefined
  return new GatewayError(code, text(fields.message) ?? 'Another instance failed without a message.', {
    status: httpStatus(fields.status),
    ...(typeof fields.retryable === 'boolean' ? { retryable: fields.retryable } : {}),
    param: text(fields.param),
    retryAfterMs: amount(fields.retryAfterMs),
    detail: text(fields.detail),
    upstream: isObject(fields.upstream)
      ? { ...(upstreamStatus === undefined ? {} : { status: upstreamStatus }) }
      : undefined,
  })
}
