// A request that ends in an error: the log line, the count and the answer.

import { type ErrorCode, GatewayError } from '../core/errors.ts'
import type { ClientTraits } from '../doors/clients.ts'
import type { Door } from '../doors/door.ts'
import type { ErrorShape } from '../http/answer-head.ts'
import type { Exchange } from '../http/exchange.ts'
import { respondError } from '../http/respond.ts'
import { errorFields } from '../observe/log.ts'
import type { Observing } from '../observe/turn-observer.ts'
import { messagesErrorBody } from '../protocols/anthropic-messages/errors.ts'
import { openaiErrorBody } from '../protocols/errors/openai-error.ts'
import { geminiErrorBody } from '../protocols/gemini/errors.ts'
import { ollamaErrorBody } from '../protocols/ollama/errors.ts'
import { isGeminiPath } from './gemini-path.ts'
import { isOllamaPath } from './ollama-path.ts'

/** A stranger, or a client that is set up wrong. */
export const guarded: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'unauthenticated',
  'forbidden',
  'misdirected',
])

type Refused = Pick<Exchange, 'method' | 'path' | 'header' | 'head' | 'sink'>

/** `isLogged`: the turn has logged its own end. An internal error gets its own line in any case. */
export function refuse(
  exchange: Refused,
  error: GatewayError,
  { log, metrics, scrubber }: Pick<Observing, 'log' | 'metrics' | 'scrubber'>,
  { isLogged = false } = {},
): void {
  const { method, path, head } = exchange
  const fields = { method, path, turn: head.headers['x-dragoman-turn'], ...errorFields(error) }
  if (error.code === 'internal') log.error('request failed', fields)
  else if (!isLogged) log[guarded.has(error.code) ? 'warn' : 'info']('request refused', fields)
  metrics.count('dragoman_requests_refused_total', { code: error.code })
  const shown = scrubber.scrubError(error)
  respondError(exchange, shown, head.errorShape(shown) ?? errorShape(exchange, shown))
}

/** An error of a turn, in the dialect of its door. */
export const shapeOf =
  (door: Pick<Door, 'errorBody' | 'errorStatus'>, turnId: string, client?: ClientTraits) =>
  (error: GatewayError): ErrorShape => {
    const status = door.errorStatus(error)
    if (error.mayBeSentAgain || !isRepeated(status, client))
      return { status, body: door.errorBody(error, turnId) }
    const final = new GatewayError(error.code, error.message, { ...error, cause: error, status: 400 })
    return { status: 400, body: door.errorBody(final, turnId) }
  }

/** The client would send the request again, although the answer is final. A 401 makes it read its key anew. */
const isRepeated = (status: number, client: ClientTraits = {}) =>
  (client.repeatsServerErrors && status >= 500) || (client.repeatsRefusals && status !== 401)

/** Anthropic's SDKs send their version with every request; other clients may call the same routes. */
export const speaksAnthropic = ({ header, path }: Pick<Exchange, 'header' | 'path'>): boolean =>
  header('anthropic-version') !== undefined || path.startsWith('/v1/messages')

/** The path is of the Gemini API, or the client is one of Google's. */
export const speaksGoogle = ({ header, path }: Pick<Exchange, 'header' | 'path'>): boolean =>
  isGeminiPath(path) || header('x-goog-api-client') !== undefined || header('x-goog-api-key') !== undefined

/** Before a door has been reached: a wrong key, an unknown route. */
const errorShape = (exchange: Refused, error: GatewayError): ErrorShape => ({
  status: error.status,
  body: bodyFor(exchange)(error),
})

function bodyFor(exchange: Refused): (error: GatewayError) => Record<string, unknown> {
  if (isOllamaPath(exchange.path)) return ollamaErrorBody
  if (speaksGoogle(exchange)) return geminiErrorBody
  return speaksAnthropic(exchange) ? messagesErrorBody : openaiErrorBody
}
