// Most of a stream is events that come one by one, each with the next piece of the same text and nothing else. How such an event
// looks is known by then, so that its piece can be taken out of its bytes as it stands, and put into what the client gets.

import type { PieceForm } from '../../core/tap.ts'
import type { Shape } from './delta-shapes.ts'

/** `head`: what an event begins with before its data. */
export const lonePiece = (head: string, { prefix, suffix }: Shape): PieceForm => ({
  before: `${head}${prefix}"`,
  after: `"${suffix}\n\n`,
})

const longest = 1_024

/** The piece of an event that is just that; undefined for every other, and where the piece is empty or needs to be decoded. */
export function readLonePiece(bytes: Buffer, { before, after }: PieceForm): string | undefined {
  if (bytes.length > longest) return undefined
  // One character to a byte: whatever is no ASCII is refused below, or differs from what is before and behind.
  const text = bytes.toString('latin1')
  const end = text.length - after.length
  if (end <= before.length || !text.startsWith(before) || !text.endsWith(after)) return undefined
  for (let at = before.length; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c) return undefined
  }
  return text.slice(before.length, end)
}
