// Connect's streaming envelope: one byte of flags, four of length, then the payload.
// https://connectrpc.com/docs/protocol#streaming-rpcs

import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Refusal } from './refusal.ts'

export const COMPRESSED = 0x01
const END_OF_STREAM = 0x02
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024
const HEADER_BYTES = 5

export function encodeFrame(flags: number, payload: Uint8Array, length = payload.length): Buffer {
  const frame = Buffer.allocUnsafe(HEADER_BYTES + payload.length)
  frame.writeUInt8(flags, 0)
  frame.writeUInt32BE(length, 1)
  frame.set(payload, HEADER_BYTES)
  return frame
}

export function encodeEnd(error?: Refusal): Buffer {
  const end = error === undefined ? {} : { error: error.toJson() }
  return encodeFrame(END_OF_STREAM, Buffer.from(JSON.stringify(end)))
}

/** Takes bytes in any chunking and returns whole messages; throws a Refusal on malformed data. */
export class FrameReader {
  readonly #encoding: string | undefined
  #chunks: Uint8Array[] = []
  #heldBytes = 0
  /** How many bytes the next part needs. */
  #neededBytes = HEADER_BYTES

  constructor(encoding: string | undefined) {
    this.#encoding = encoding
  }

  /** True after the beginning of an incomplete frame. */
  get isInsideFrame(): boolean {
    return this.#heldBytes > 0
  }

  push(chunk: Uint8Array): Uint8Array[] {
    this.#chunks.push(chunk)
    this.#heldBytes += chunk.length
    if (this.#heldBytes < this.#neededBytes) return []
    const held = Buffer.concat(this.#chunks)
    const messages: Uint8Array[] = []
    let start = 0
    this.#neededBytes = HEADER_BYTES
    while (held.length - start >= HEADER_BYTES) {
      const { flags, length } = readHeader(held, start)
      const end = start + HEADER_BYTES + length
      if (end > held.length) {
        this.#neededBytes = HEADER_BYTES + length
        break
      }
      const payload = held.subarray(start + HEADER_BYTES, end)
      messages.push(flags === COMPRESSED ? decompress(payload, this.#encoding) : payload)
      start = end
    }
    this.#chunks = [held.subarray(start)]
    this.#heldBytes = held.length - start
    return messages
  }
}

function readHeader(held: Buffer, start: number): { flags: number; length: number } {
  const flags = held.readUInt8(start)
  const length = held.readUInt32BE(start + 1)
  if (flags !== 0 && flags !== COMPRESSED) {
    throw new Refusal('invalid_argument', `a frame with flags 0x${flags.toString(16).padStart(2, '0')}`)
  }
  if (length > MAX_MESSAGE_BYTES) {
    throw new Refusal('resource_exhausted', `a message of ${length} bytes; at most 16 MiB are taken`)
  }
  return { flags, length }
}

export function decompress(payload: Uint8Array, encoding: string | undefined): Uint8Array {
  try {
    if (encoding === 'gzip') return gunzipSync(payload, { maxOutputLength: MAX_MESSAGE_BYTES })
    if (encoding === 'br') return brotliDecompressSync(payload, { maxOutputLength: MAX_MESSAGE_BYTES })
  } catch (cause) {
    throw new Refusal('invalid_argument', `a compressed message that is not ${encoding}: ${cause}`)
  }
  throw new Refusal('invalid_argument', 'a compressed message, but no encoding was announced for it')
}
