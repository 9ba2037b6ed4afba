// Short answers: JSON, text, errors.

import type { GatewayError } from '../core/errors.ts'
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

export function respondError(exchange: Answering, error: GatewayError, body: unknown): void {
  const { head } = exchange
  if (error.retryAfterMs !== undefined) head.set('retry-after', String(Math.ceil(error.retryAfterMs / 1000)))
  if (error.code === 'unauthenticated') head.set('www-authenticate', 'Bearer')
  // The SDKs of OpenAI and Anthropic retry such a status unless this header forbids it.
  if ((error.status >= 500 || error.status === 429) && !error.retryable) head.set('x-should-retry', 'false')
  // 499 is a log's word for "the client has gone": no client reads it.
  respondJson(exchange, error.status, body)
}
