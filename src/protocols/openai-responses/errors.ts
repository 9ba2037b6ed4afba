// Errors inside a Responses stream. Outside of it they have the same body as in Chat.

import type { GatewayError } from '../../core/errors.ts'
import { openaiErrorBody } from '../errors/openai-error.ts'

interface ErrorFields {
  message: string
  type: string
  param: string | null
  code: string | null
}

export const responsesErrorBody = openaiErrorBody

const fieldsOf = (error: GatewayError) => openaiErrorBody(error).error as ErrorFields

const knownCodes = new Set(['rate_limit_exceeded', 'context_length_exceeded', 'insufficient_quota'])

/**
 * In a failed response. Codex takes any code that it does not know for "try again", five times; of those that it takes
 * for the end, `invalid_prompt` is the one that shows our words.
 */
function failedCode(error: GatewayError): string {
  const { type, code } = fieldsOf(error)
  if (type === 'server_error') return type
  return code !== null && knownCodes.has(code) ? code : 'invalid_prompt'
}

/** The header that would say when to try again has gone: clients look for it in the words. */
export function failedResponseError(error: GatewayError): Record<string, unknown> {
  const { message, retryAfterMs } = error
  const later = retryAfterMs === undefined ? '' : ` Please try again in ${Math.ceil(retryAfterMs / 1_000)}s.`
  return { code: failedCode(error), message: message + later }
}

/** The reference has the fields at the top, the service sends them nested: clients were written for either. */
export function errorEvent(error: GatewayError): Record<string, unknown> {
  const fields = fieldsOf(error)
  const code = fields.code ?? fields.type
  return { code, message: fields.message, param: fields.param, error: { ...fields, code } }
}
