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
  /** `isJoined`: the reader has not taken the bytes before yet, and will take them together with these. */
  data(bytes: Uint8Array, isJoined: boolean): void
  /** The synchronous work on the bytes of `data` is done. */
  onReadDone(): void
  end(): void
  /** `cause`: how the connection failed, such as `ECONNRESET`, if that alone decides the words of the failure. */
  error(failure: Error, cause?: string): void
}

/** One bidirectional stream of messages. */
export interface StreamTap {
  /** The turn is over: what comes belongs to the next one. */
  readonly isOver: boolean
  sent(message: Uint8Array): void
  /** `isJoined`: it came in the same read as the message before. */
  received(message: Uint8Array, isJoined: boolean): void
  /** A clock of the gateway has decided something. */
  clock(): void
  end(): void
  /** `taken`: how many messages had reached the service; undefined if the stream could not be opened. */
  error(failure: Error, taken: number | undefined): void
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
