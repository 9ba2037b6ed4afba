// The blobs that a conversation's state reaches. Blobs refer to others by 32-byte ids, in fields that are only partly known. So any
// field of that size that is the id of a blob counts, at any depth.

import type { Blob, BlobStore } from './blobs.ts'

const idBytes = 32
const maxDepth = 8
/** Limit for one state. Beyond it no blob is found, and the conversation begins from its history. */
const mostFields = 2_000_000

/** In the order of the references. */
export function reachableBlobs(state: Uint8Array, blobs: BlobStore): Blob[] {
  const found = new Map<string, Blob>()
  const queue = [state]
  const walk = new FieldWalk(blobs)
  // The queue grows during the loop.
  for (const data of queue) {
    for (const id of walk.idsIn(data)) {
      const key = Buffer.from(id).toString('hex')
      const blob = blobs.get(id)
      if (blob === undefined || found.has(key)) continue
      found.set(key, { id, data: blob })
      queue.push(blob)
    }
  }
  return [...found.values()]
}

/** Written by hand: the library's reader takes seconds for a text of some megabytes, which looks like millions of fields. */
class FieldWalk {
  readonly #blobs: BlobStore
  #left = mostFields

  constructor(blobs: BlobStore) {
    this.#blobs = blobs
  }

  /** The ids in data that may be a message. Other data (text, JSON) has no fields, or none with a known id. */
  idsIn(data: Uint8Array, depth = 0, ids: Uint8Array[] = []): Uint8Array[] {
    let at = 0
    const varint = () => {
      let value = 0
      for (let scale = 1; ; scale *= 128) {
        const byte = data[at++]
        if (byte === undefined || scale > 2 ** 63) return Number.NaN
        value += (byte & 0x7f) * scale
        if (byte < 0x80) return value
      }
    }
    while (at < data.length && this.#left-- > 0) {
      const type = varint() % 8
      if (type === 0) varint()
      else if (type === 1) at += 8
      else if (type === 5) at += 4
      else if (type === 2) {
        const length = varint()
        // Not a message after all.
        if (!(at + length <= data.length)) break
        if (length >= idBytes) this.#look(data.subarray(at, at + length), depth, ids)
        at += length
      } else break
    }
    return ids
  }

  #look(field: Uint8Array, depth: number, ids: Uint8Array[]): void {
    if (field.length === idBytes && this.#blobs.has(field)) ids.push(field)
    else if (depth < maxDepth && field.length > idBytes) this.idsIn(field, depth + 1, ids)
  }
}
