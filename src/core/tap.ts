// TurnTap: reports a turn's traffic with the upstream to its tape. A turn without a tape has no tap.

import type { SessionState } from './backend.ts'

export interface UpstreamPlace {
  /** The configured name. */
  backend: string
  origin: string
  path: string
  headers: Record<string, string>
}

interface UpstreamAsked extends UpstreamPlace {
  method: string
  body: string | Uint8Array
}

/** One HTTP request with its response. */
export interface ExchangeTap {
  response(status: number, headers: Record<string, string | string[] | undefined>): void
  data(bytes: Uint8Array): void
  /** The synchronous work on the bytes of `data` is done. */
  onReadDone(): void
  end(): void
  error(message: string): void
}

/** One bidirectional stream of messages. */
export interface StreamTap {
  /** False if the turn is over: the message belongs to the next turn. */
  sent(message: Uint8Array): boolean
  received(message: Uint8Array): boolean
  end(): void
  error(message: string): void
}

export interface TurnTap {
  readonly turn: string
  exchange(asked: UpstreamAsked): ExchangeTap
  stream(opened: UpstreamPlace & { transport: 'http2' | 'sse' }): StreamTap
  /** This turn continues the stream of an earlier one. */
  continueStream(turn: string): StreamTap
  session(state: SessionState, id: string): void
  /** Part of the turn is missing from the tape. */
  markIncomplete(): void
}
