// Somebody watches a turn, and is told of all that goes over its upstream wires. Where nobody does, there is no tap.

import type { SessionState } from './backend.ts'

export interface UpstreamPlace {
  /** As configured. */
  backend: string
  origin: string
  path: string
  headers: Record<string, string>
}

export interface UpstreamAsked extends UpstreamPlace {
  method: string
  body: string | Uint8Array
}

/** One HTTP request and its answer. */
export interface ExchangeTap {
  response(status: number, headers: Record<string, string | string[] | undefined>): void
  data(bytes: Uint8Array): void
  /** The synchronous work on the bytes of `data` is done. */
  onReadDone(): void
  end(): void
  error(message: string): void
}

/** One stream whose messages go both ways. */
export interface StreamTap {
  /** False: the turn is over, and what comes now belongs to the next one. */
  sent(message: Uint8Array): boolean
  received(message: Uint8Array): boolean
  end(): void
  error(message: string): void
}

export interface TurnTap {
  readonly turn: string
  exchange(asked: UpstreamAsked): ExchangeTap
  stream(opened: UpstreamPlace & { transport: 'http2' | 'sse' }): StreamTap
  /** The stream of an earlier turn, which this one goes on with. */
  goOn(turn: string): StreamTap
  session(state: SessionState, id: string): void
  /** Part of the turn is missing from the tape. */
  markIncomplete(): void
}
