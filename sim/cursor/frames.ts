// Connect's streaming envelope: one byte of flags, four of length, then the payload.
// https://connectrpc.com/docs/protocol#streaming-rpcs

import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Refusal } from './refusal.ts'

export const COMPRESSED = 0x01
export const END_OF_STREAM = 0x02
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

/** Takes bytes as they come and gives back whole messages; throws a Refusal on anything that is none. */
export class FrameReader {
  readonly #encoding: string | undefined
  #held = Buffer.alloc(0)

  constructor(encoding: string | undefined) {
    this.#encoding = encoding
  }

  /** True where a frame was begun and not finished. */
  get isInsideFrame(): boolean {
    return this.#held.length > 0
  }

  push(chunk: Uint8Array): Uint8Array[] {
    this.#held = this.#held.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#held, chunk])
    const messages: Uint8Array[] = []
    while (this.#held.length >= HEADER_BYTES) {
      const flags = this.#held.readUInt8(0)
      const length = this.#held.readUInt32BE(1)
      if (flags !== 0 && flags !== COMPRESSED) {
        throw new Refusal('invalid_argument', `a frame with flags 0x${flags.toString(16).padStart(2, '0')}`)
      }
      if (length > MAX_MESSAGE_BYTES) {
        throw new Refusal('resource_exhausted', `a message of ${length} bytes; at most 16 MiB are taken`)
      }
      if (this.#held.length < HEADER_BYTES + length) break
      const payload = this.#held.subarray(HEADER_BYTES, HEADER_BYTES + length)
      this.#held = this.#held.subarray(HEADER_BYTES + length)
      messages.push(flags === COMPRESSED ? decompress(payload, this.#encoding) : payload)
    }
    return messages
  }
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
