// Which blobs a conversation's state leads to. Blobs name others by their 32-byte ids, in fields that we know only a part
// of: so any field of that size which is the id of a blob counts, at any depth.

import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import type { Blob, BlobStore } from './blobs.ts'

const idBytes = 32
const maxDepth = 8

/** In the order in which the state names them. */
export function reachableBlobs(state: Uint8Array, blobs: BlobStore): Blob[] {
  const found = new Map<string, Blob>()
  const queue = [state]
  // It grows meanwhile.
  for (const data of queue) {
    for (const id of idsIn(data, blobs, 0)) {
      const key = Buffer.from(id).toString('hex')
      const blob = blobs.get(id)
      if (blob === undefined || found.has(key)) continue
      found.set(key, { id, data: blob })
      queue.push(blob)
    }
  }
  return [...found.values()]
}

function idsIn(data: Uint8Array, blobs: BlobStore, depth: number): Uint8Array[] {
  const ids: Uint8Array[] = []
  for (const field of lengthDelimitedFields(data)) {
    if (field.length === idBytes && blobs.has(field)) ids.push(field)
    else if (depth < maxDepth && field.length > idBytes) ids.push(...idsIn(field, blobs, depth + 1))
  }
  return ids
}

/** Of something that may be a message; what is none (text, JSON) has no fields, or none that lead anywhere. */
function lengthDelimitedFields(data: Uint8Array): Uint8Array[] {
  const fields: Uint8Array[] = []
  try {
    const reader = new BinaryReader(data)
    while (reader.pos < reader.len) {
      const [number, type] = reader.tag()
      if (type === WireType.LengthDelimited) fields.push(reader.bytes())
      else reader.skip(type, number)
    }
  } catch {
    // Not a message to its end: an honest one has its fields where they were found so far.
  }
  return fields
}
