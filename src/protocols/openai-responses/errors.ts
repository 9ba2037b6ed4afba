// Errors inside a Responses stream. Outside a stream the error body is the same as in Chat.

import type { Fields } from '../../base/json.ts'
import type { GatewayError } from '../../core/errors.ts'
import { openaiError, openaiErrorBody } from '../errors/openai-error.ts'
import { saidIn } from '../errors/service-error.ts'

export const responsesErrorBody = openaiErrorBody

/** The API's own codes of a failed response, and those that Codex knows beside them. */
const knownCodes = new Set([
  'server_error',
  'rate_limit_exceeded',
  'invalid_prompt',
  'context_length_exceeded',
  'insufficient_quota',
  'usage_not_included',
  'server_is_overloaded',
  'slow_down',
  'data_residency_mismatch',
  'bio_policy',
  'cyber_policy',
  'misalignment_policy_violation',
  'vector_store_timeout',
])

const isKnown = (code: unknown): code is string =>
  typeof code === 'string' && (knownCodes.has(code) || /^(invalid_)?image/.test(code))

/**
 * The code of a failed response: the service's own, if it is one of a failed response. Codex retries five times on any unknown code.
 * Of the codes that it treats as final, only `invalid_prompt` shows the error message.
 */
function failedCode(error: GatewayError): string {
  const said = saidIn('openai', error)?.error.code
  if (isKnown(said)) return said
  const { type, code } = openaiError(error)
  if (type === 'server_error') return type
  return isKnown(code) ? code : 'invalid_prompt'
}

/**
 * The header was already sent, so the retry delay goes into the message, where clients look for it. `waitsForLimits`: the client keeps
 * to the delay only if the failure is a rate limit.
 */
export function failedResponseError(error: GatewayError, waitsForLimits = false): Record<string, unknown> {
  const { retryAfterMs, mayBeSentAgain } = error
  const later = retryAfterMs === undefined ? '' : ` Please try again in ${Math.ceil(retryAfterMs / 1_000)}s.`
  const isLimit = waitsForLimits && mayBeSentAgain && retryAfterMs !== undefined
  const words = later === '' ? messageOf(error) : messageOf(error).replace(/[^.!?]$/, '$&.')
  return { code: isLimit ? 'rate_limit_exceeded' : failedCode(error), message: words + later }
}

/** The service's own words, if it speaks this dialect. */
const messageOf = (error: GatewayError) => String(saidIn('openai', error)?.error.message ?? error.message)

/** The API reference has the fields at the top level, the service sends them nested. Clients expect one or the other. */
export function errorEvent(error: GatewayError): Record<string, unknown> {
  const { code: stated, type, param, ...more } = openaiErrorBody(error).error as Fields
  const code = typeof stated === 'string' ? stated : (type ?? openaiError(error).type)
  const named = typeof param === 'string' ? param : null
  const message = messageOf(error)
  return { code, message, param: named, error: { message, type, param: named, code, ...more } }
}
