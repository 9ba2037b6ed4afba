// Short answers: JSON, text, errors.

import type { GatewayError } from '../core/errors.ts'
import type { Exchange } from './exchange.ts'

export function respondJson(exchange: Exchange, status: number, body: unknown): void {
  respond(exchange, status, 'application/json', JSON.stringify(body))
}

export function respondText(exchange: Exchange, status: number, text: string): void {
  respond(exchange, status, 'text/plain; charset=utf-8', text)
}

/** Prometheus' text format says so. */
export function respondMetrics(exchange: Exchange, text: string): void {
  respond(exchange, 200, 'text/plain; version=0.0.4; charset=utf-8', text)
}

function respond(exchange: Exchange, status: number, type: string, text: string): void {
  const { sink, answerHeaders } = exchange
  if (sink.started || sink.gone) return sink.end()
  sink.start(status, {
    ...answerHeaders,
    'content-type': type,
    'content-length': String(Buffer.byteLength(text)),
  })
  sink.end(exchange.method === 'HEAD' ? undefined : text)
}

export function respondError(exchange: Exchange, error: GatewayError, body: unknown): void {
  if (error.retryAfterMs !== undefined)
    exchange.answerHeaders['retry-after'] = String(Math.ceil(error.retryAfterMs / 1000))
  if (error.code === 'unauthenticated') exchange.answerHeaders['www-authenticate'] = 'Bearer'
  // The SDKs of OpenAI and Anthropic try such a status again unless they are told not to.
  if ((error.status >= 500 || error.status === 429) && !error.retryable)
    exchange.answerHeaders['x-should-retry'] = 'false'
  // 499 is a log's word for "the client has gone"; nobody is there to read it.
  respondJson(exchange, error.status, body)
}
