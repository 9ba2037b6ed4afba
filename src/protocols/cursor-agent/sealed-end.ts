// The state of a conversation in one buffer. It has about a hundred small blobs, each an object with two buffers: kept for hours, these
// would use several times the memory of their content.

import type { KeptBlob } from './blobs.ts'
import { type Packed, pack, unpack, unpacked } from './packed.ts'
import type { ConversationEnd } from './run-options.ts'

export interface SealedEnd {
  conversationId: string
  packed: Packed
}

export const sealedBytes = ({ packed }: SealedEnd) => packed.bytes.length

export function seal({ conversationId, state, blobs }: ConversationEnd): SealedEnd {
  const parts = [sized(state), ...blobs.flatMap(toParts)]
  return { conversationId, packed: pack(unpacked(Buffer.concat(parts.flat()))) }
}

const toParts = ({ id, bytes, isDeflated }: KeptBlob) => [
  sized(id),
  [Uint8Array.of(isDeflated ? 1 : 0)],
  sized(bytes),
]

function sized(bytes: Uint8Array): Uint8Array[] {
  const length = Buffer.allocUnsafe(4)
  length.writeUInt32LE(bytes.length)
  return [length, bytes]
}

export function unseal({ conversationId, packed }: SealedEnd): ConversationEnd {
  const all = Buffer.from(unpack(packed))
  let at = 0
  const take = (length: number) => {
    at += length
    return all.subarray(at - length, at)
  }
  const next = () => take(take(4).readUInt32LE())
  const state = next()
  const blobs: KeptBlob[] = []
  while (at < all.length) {
    const id = next()
    const isDeflated = take(1)[0] === 1
    blobs.push({ id, bytes: next(), isDeflated })
  }
  return { conversationId, state, blobs }
}
