// Blobs that are not needed soon, compressed as one: a history has most of its texts twice, and a blob on its own costs several
// hundred bytes beside its content.

import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'

export interface BundledBlob {
  id: Uint8Array
  data: Uint8Array
  /** The gateway's own content, not the server's. */
  isOwn: boolean
}

/** Before each blob: whose it is, and how long its id and its data are. */
const headBytes = 1 + 2 + 4

/** Compression blocks the event loop: 15 ms for the largest history that is packed well. */
const largeBytes = 1024 * 1024
const [well, fast] = [5, 1]

const paramsFor = (bytes: number) => ({
  [constants.BROTLI_PARAM_QUALITY]: bytes > largeBytes ? fast : well,
  // The window holds a long history whole.
  [constants.BROTLI_PARAM_LGWIN]: 22,
  [constants.BROTLI_PARAM_SIZE_HINT]: bytes,
})

export function bundle(blobs: readonly BundledBlob[]): Uint8Array {
  const parts = blobs.flatMap(({ id, data, isOwn }) => {
    const head = Buffer.allocUnsafe(headBytes)
    head.writeUInt8(isOwn ? 1 : 0, 0)
    head.writeUInt16BE(id.length, 1)
    head.writeUInt32BE(data.length, 3)
    return [head, id, data]
  })
  const all = Buffer.concat(parts)
  // A copy: the compressor returns a view into a larger buffer.
  return Uint8Array.from(brotliCompressSync(all, { params: paramsFor(all.length) }))
}

/** In the same order. The ids and the data are views into one buffer. */
export function unbundle(bundled: Uint8Array): BundledBlob[] {
  const all = brotliDecompressSync(bundled)
  const blobs: BundledBlob[] = []
  for (let at = 0; at < all.length; ) {
    const isOwn = all.readUInt8(at) === 1
    const idAt = at + headBytes
    const dataAt = idAt + all.readUInt16BE(at + 1)
    const end = dataAt + all.readUInt32BE(at + 3)
    blobs.push({ id: all.subarray(idAt, dataAt), data: all.subarray(dataAt, end), isOwn })
    at = end
  }
  return blobs
}
