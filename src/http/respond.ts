// Short answers: JSON, text, errors.

import type { GatewayError } from '../core/errors.ts'
import type { ErrorShape } from './answer-head.ts'
import type { Exchange } from './exchange.ts'

/** What an answer needs of its exchange. */
export type Answering = Pick<Exchange, 'method' | 'head' | 'sink'>

export function respondJson(exchange: Answering, status: number, body: unknown): void {
  respond(exchange, status, 'application/json', JSON.stringify(body))
}

export function respondText(exchange: Answering, status: number, text: string): void {
  respond(exchange, status, 'text/plain; charset=utf-8', text)
}

/** `headers` go out with this answer only. */
export function respond(
  { method, head, sink }: Answering,
  status: number,
  type: string,
  text: string,
  headers?: Readonly<Record<string, string>>,
): void {
  if (sink.started || sink.gone) return sink.end()
  sink.start(status, {
    ...head.headers,
    ...headers,
    'content-type': type,
    'content-length': String(Buffer.byteLength(text)),
  })
  sink.end(method === 'HEAD' ? undefined : text)
}

export function respondError(exchange: Answering, error: GatewayError, { status, body }: ErrorShape): void {
  const { head } = exchange
  const { retryHeaders } = error
  const retryAfterMs = error.retryAfterMs ?? usualWait(error)
  if (retryAfterMs !== undefined) {
    head.set('retry-after', String(Math.ceil(retryAfterMs / 1000)))
    if (retryHeaders?.exact || retryAfterMs % 1000 !== 0)
      head.set('retry-after-ms', String(Math.round(retryAfterMs)))
  }
  if (error.code === 'unauthenticated') head.set('www-authenticate', 'Bearer')
  head.set('x-should-retry', shouldRetry(error))
  // 499 is a log's word for "the client has gone": no client reads it.
  respondJson(exchange, status, body)
}

/** For a backend that is down: a client lives through its restart, and does not wait for minutes in silence. */
const usualWaitMs = 2_000

/** A service that answers says itself how long to wait. */
const usualWait = ({ code, status, retryable, upstream }: GatewayError) =>
  code === 'upstream-unavailable' && status === 503 && retryable && !upstream ? usualWaitMs : undefined

/**
 * The SDKs of OpenAI and Anthropic obey this header. Without it they retry every 429 and 5xx, and Claude Code a 401 for minutes, and a
 * 404 or 400 once more. What a service said itself is not judged here, unless clients would repeat it.
 */
function shouldRetry({ status, mayBeSentAgain, retryHeaders, said }: GatewayError): string | undefined {
  const isRepeated = status >= 500 || status === 429 || status === 401 || status === 403
  if (!mayBeSentAgain && (isRepeated || said === undefined)) return 'false'
  return retryHeaders?.shouldRetry === undefined ? undefined : String(retryHeaders.shouldRetry)
}
