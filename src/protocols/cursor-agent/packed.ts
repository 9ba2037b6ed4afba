// Bytes that are kept long and read rarely: deflated if that makes them smaller.

import { deflateRawSync, inflateRawSync } from 'node:zlib'

export interface Packed {
  bytes: Uint8Array
  isDeflated: boolean
}

/** Smaller data gains little. */
const minBytes = 512
/** Fast rather than small: compression blocks the event loop. */
const level = 1
/** More than any blob can have. */
const maxOutputLength = 64 * 1024 * 1024

export const unpacked = (bytes: Uint8Array): Packed => ({ bytes, isDeflated: false })

export function pack(blob: Packed): Packed {
  if (blob.isDeflated || blob.bytes.length < minBytes) return blob
  const deflated = deflateRawSync(blob.bytes, { level })
  // A copy: the compressor returns a view into a larger buffer.
  return deflated.length < blob.bytes.length ? { bytes: Uint8Array.from(deflated), isDeflated: true } : blob
}

export function unpack({ bytes, isDeflated }: Packed): Uint8Array {
  return isDeflated ? inflateRawSync(bytes, { maxOutputLength }) : bytes
}
