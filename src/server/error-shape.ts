// How errors look to a client before its door has been reached: a wrong key, no such place.

import type { GatewayError } from '../core/errors.ts'
import type { Exchange } from '../http/exchange.ts'
import { messagesErrorBody } from '../protocols/anthropic-messages/errors.ts'
import { openaiErrorBody } from '../protocols/errors/openai-error.ts'

/** Anthropic's SDKs send their version with everything; others may call the same routes. */
export const speaksAnthropic = ({ header, path }: Pick<Exchange, 'header' | 'path'>): boolean =>
  header('anthropic-version') !== undefined || path.startsWith('/v1/messages')

export const errorShape = (exchange: Exchange): ((error: GatewayError) => unknown) =>
  speaksAnthropic(exchange) ? (error) => messagesErrorBody(error) : openaiErrorBody
