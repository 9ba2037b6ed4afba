// Errors of a Responses service → our error codes: with a status, or inside an answer as an `error` event or a failed response.

import { isObject } from '../../base/json.ts'
import type { ErrorCode, GatewayError } from '../../core/errors.ts'
import { isOverflow, isRateLimit } from '../errors/overflow.ts'
import { readRefusal } from '../errors/refusal.ts'
import { codeOfStatus, type UpstreamRefusal, upstreamError } from '../errors/upstream-error.ts'

export function fromResponsesError(refusal: UpstreamRefusal): GatewayError {
  const { text, kind, param, status } = readRefusal(refusal)
  const code = codeOf(status, kind, text)
  const retryAfterMs = refusal.retryAfterMs ?? (code === 'rate-limited' ? statedWait(text) : undefined)
  return upstreamError(
    { ...refusal, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
    { code, text, param, unknownModel: kind.includes('model') || /\bmodel\b/i.test(text) },
  )
}

/** The service cannot read the reasoning that it got back. */
export const isSealRefusal = ({ upstream, message }: GatewayError): boolean =>
  /invalid_encrypted_content|encrypted content .{0,200}could not be (?:verified|decrypted)/i.test(
    `${message} ${upstream?.excerpt ?? ''}`.slice(0, 4_000),
  )

/** The service stored an item together with reasoning that the client did not send back. */
export const isReasoningMissing = ({ message }: GatewayError): boolean =>
  /was provided without its required '?(?:reasoning|following)/i.test(message.slice(0, 4_000))

const quota = /insufficient_quota|billing|usage_not_included|usage_limit_reached/
/** Refusals of the request itself, inside an answer. A repeated request gets the same. */
const refused = /invalid_|_policy|data_residency_mismatch|image_|unsupported_|unknown_parameter/

function codeOf(status: number, kind: string, text: string): ErrorCode {
  if (quota.test(kind)) return 'quota-exhausted'
  const code = codeOfStatus(status)
  const isInside = status < 400
  if (kind.includes('context_length')) return 'context-overflow'
  if (isInside && (kind.includes('rate_limit') || isRateLimit(kind, text))) return 'rate-limited'
  if (!isInside && code !== 'invalid-request' && code !== 'payload-too-large') return code
  if (isOverflow(kind, text)) return 'context-overflow'
  if (!isInside) return code
  if (kind.includes('timeout')) return 'timeout'
  return refused.test(kind) ? 'invalid-request' : code
}

/** `Please try again in 1.5s.`, also in ms and minutes. */
function statedWait(text: string): number | undefined {
  const found = /try again in (\d{1,6}(?:\.\d{1,6})?)\s?(ms|s\b|sec|m\b|min)/i.exec(text)
  if (!found) return undefined
  const [, amount, unit = ''] = found
  const scale = unit === 'ms' ? 1 : unit.startsWith('s') ? 1_000 : 60_000
  return Math.ceil(Number(amount) * scale)
}

/** The error of an `error` event, flat or nested, or of a failed response. */
export const errorBody = (value: unknown): unknown =>
  isObject(value) && !isObject(value.error) ? { error: value } : value
