// The client's request of a turn, and the content of requests on either side.

import type { FrameView } from '../api.ts'

export interface ClientRequest {
  method: string
  path: string
  headers: Record<string, string>
  /** The original text. */
  body: string
  /** The body was not read to its end. */
  bodyCut?: true
}

/** Undefined if the request was too long to keep. */
export function clientRequest(frames: readonly FrameView[]): ClientRequest | undefined {
  const frame = frames.find(({ side, do: what }) => side === 'client' && what === 'request')
  return frame && { ...(frame.decoded as Omit<ClientRequest, 'body'>), body: frame.raw ?? '' }
}

/** With the body, which is parsed only on demand. */
export const decodedOf = ({ do: what, decoded, raw }: FrameView): unknown =>
  what === 'request' ? { ...(decoded as object), body: parsed(raw ?? '') } : decoded

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
