// What a scripted upstream sends: text, in pieces, with faults between them.

import type { Shape } from '../../clients/json.ts'

export type UpstreamKind = 'openai' | 'anthropic'
export const upstreamKinds: readonly UpstreamKind[] = ['openai', 'anthropic']

/** `hold`: goes on once the client has seen what came so far. `reset`, `fin`: the connection breaks. */
export type Piece = string | 'hold' | 'reset' | 'fin'

export interface Played {
  status?: number
  headers?: Record<string, string>
  pieces: readonly Piece[]
  /** Cut into writes of so many bytes, wherever that falls. */
  bytesPerWrite?: number
}

export interface UpstreamRequest {
  kind: UpstreamKind
  /** What the gateway asked for; its client may have asked for something else. */
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
