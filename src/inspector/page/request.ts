// The request of a turn, and what requests of either side hold.

import type { FrameView } from '../api.ts'

export interface ClientRequest {
  method: string
  path: string
  headers: Record<string, string>
  /** As it came. */
  body: string
}

/** Undefined where it was too long to be kept. */
export function clientRequest(frames: readonly FrameView[]): ClientRequest | undefined {
  const frame = frames.find(({ side, do: what }) => side === 'client' && what === 'request')
  return frame && { ...(frame.decoded as Omit<ClientRequest, 'body'>), body: frame.raw ?? '' }
}

/** With its body, which is not parsed before somebody looks. */
export const decodedOf = ({ do: what, decoded, raw }: FrameView): unknown =>
  what === 'request' ? { ...(decoded as object), body: parsed(raw ?? '') } : decoded

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
