// Errors inside a Responses stream. Outside a stream the error body is the same as in Chat.

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
 * The code of a failed response. Codex retries five times on any unknown code. Of the codes that it treats as final, only
 * `invalid_prompt` shows the error message.
 */
function failedCode(error: GatewayError): string {
  const { type, code } = fieldsOf(error)
  if (type === 'server_error') return type
  return code !== null && knownCodes.has(code) ? code : 'invalid_prompt'
}

/** The header was already sent, so the retry delay goes into the message, where clients look for it. */
export function failedResponseError(error: GatewayError): Record<string, unknown> {
  const { message, retryAfterMs } = error
  const later = retryAfterMs === undefined ? '' : ` Please try again in ${Math.ceil(retryAfterMs / 1_000)}s.`
  return { code: failedCode(error), message: message + later }
}

/** The API reference has the fields at the top level, the service sends them nested. Clients expect one or the other. */
export function errorEvent(error: GatewayError): Record<string, unknown> {
  const fields = fieldsOf(error)
  const code = fields.code ?? fields.type
  return { code, message: fields.message, param: fields.param, error: { ...fields, code } }
}
