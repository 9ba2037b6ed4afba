// The server's requests to store or to return a blob. They are answered at once: otherwise the turn hangs.

import type { KvServerMessage } from '../../../proto/gen/agent/v1/kv_pb.ts'
import type { BlobStore } from './blobs.ts'
import { blobFound, blobStored } from './client-messages.ts'

/** `stored`: the data of a new blob. `room`: how many bytes may still be kept. */
export function answerKv(
  { id, message }: KvServerMessage,
  blobs: BlobStore,
  room: number,
): { reply?: Uint8Array; stored?: Uint8Array } {
  if (message.case === 'getBlobArgs') return { reply: blobFound(id, blobs.get(message.value.blobId)) }
  if (message.case !== 'setBlobArgs') return {}
  const { blobId, blobData } = message.value
  const isNew = blobData.length < room && !blobs.has(blobId)
  const isKept = blobs.set(blobId, blobData, room)
  const reply = isKept ? blobStored(id) : blobStored(id, 'This client has no more room for blobs.')
  return { reply, ...(isNew ? { stored: blobData } : {}) }
}
