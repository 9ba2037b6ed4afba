// Errors inside a Responses stream. Outside of it they have the same body as in Chat.

import type { GatewayError } from '../../core/errors.ts'
import { chatErrorBody } from '../openai-chat/errors.ts'

interface ErrorFields {
  message: string
  type: string
  param: string | null
  code: string | null
}

export const responsesErrorBody = chatErrorBody

const fieldsOf = (error: GatewayError) => chatErrorBody(error).error as ErrorFields

/** In a failed response. Clients know a few codes, and take `server_error` for "try again". */
export function responseErrorCode(error: GatewayError): string {
  const { type, code } = fieldsOf(error)
  return type === 'server_error' ? type : (code ?? type)
}

/** The reference has the fields at the top, the service sends them nested: clients were written for either. */
export function errorEvent(error: GatewayError): Record<string, unknown> {
  const fields = fieldsOf(error)
  const code = fields.code ?? fields.type
  return { code, message: fields.message, param: fields.param, error: { ...fields, code } }
}
