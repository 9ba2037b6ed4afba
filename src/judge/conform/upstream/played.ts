// An answer of the scripted upstream: pieces of text with faults between them.

import type { Shape } from '../../clients/json.ts'

export type UpstreamKind = 'openai' | 'anthropic'
export const upstreamKinds: readonly UpstreamKind[] = ['openai', 'anthropic']

/** `hold` waits until the client has seen everything so far. `reset` and `fin` break the connection. */
export type Piece = string | 'hold' | 'reset' | 'fin'

export interface Played {
  status?: number
  headers?: Record<string, string>
  pieces: readonly Piece[]
  /** Splits the pieces into writes of this many bytes, even inside a character. */
  bytesPerWrite?: number
}

export interface UpstreamRequest {
  kind: UpstreamKind
  /** Whether the gateway requested a stream; its client may have requested the other form. */
  stream: boolean
  body: Shape
}

export type Play = (request: UpstreamRequest) => Played

export const jsonAnswer = (status: number, body: unknown, headers: Record<string, string> = {}): Played => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  pieces: [JSON.stringify(body)],
})

export const eventStream = (pieces: readonly Piece[], more: Partial<Played> = {}): Played => ({
  headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' },
  pieces,
  ...more,
})
