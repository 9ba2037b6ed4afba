// Frames of `application/vnd.amazon.eventstream`: lengths and checksums around headers and a payload, all numbers big-endian. Own
// code: the SDK's package takes 8 MB. https://smithy.io/2.0/aws/amazon-eventstream.html

import { crc32 } from 'node:zlib'

export interface EventStreamMessage {
  /** Those with a text value; others are not used by any service here. */
  headers: ReadonlyMap<string, string>
  payload: Buffer
}

/** The bytes are not an event stream. The message names what is wrong with them. */
export class EventStreamError extends Error {
  override readonly name = 'EventStreamError'
}

const preludeBytes = 12
const checksumBytes = 4
const smallestFrame = preludeBytes + checksumBytes
/** The largest that the format allows. */
const largestFrame = 16 * 1024 * 1024
const largestHeaders = 128 * 1024
const firstCapacity = 4 * 1024
const nothing = Buffer.alloc(0)

export class EventStreamReader {
  /** The bytes of an unfinished frame. */
  #kept = nothing
  #size = 0
  /** How many bytes the next step needs: a prelude, then the whole frame. */
  #needed = preludeBytes

  push(bytes: Buffer): EventStreamMessage[] {
    let rest = bytes
    if (this.#size > 0) {
      this.#keep(bytes)
      if (this.#size < this.#needed) return []
      rest = this.#kept.subarray(0, this.#size)
    }
    const messages: EventStreamMessage[] = []
    this.#needed = neededOf(rest)
    while (rest.length >= this.#needed) {
      messages.push(readFrame(rest.subarray(0, this.#needed)))
      rest = rest.subarray(this.#needed)
      this.#needed = neededOf(rest)
    }
    this.#kept = nothing
    this.#size = 0
    this.#keep(rest)
    return messages
  }

  /** The stream ended. */
  end(): void {
    if (this.#size > 0) throw new EventStreamError(`ends inside a frame, after ${this.#size} of its bytes`)
  }

  /** Copies: single bytes as chunks of their own take a hundred times their size. The buffer grows with what came, not as announced. */
  #keep(bytes: Buffer): void {
    const size = this.#size + bytes.length
    if (size > this.#kept.length) {
      const larger = Buffer.allocUnsafe(
        Math.max(size, firstCapacity, Math.min(this.#kept.length * 2, this.#needed)),
      )
      larger.set(this.#kept.subarray(0, this.#size))
      this.#kept = larger
    }
    this.#kept.set(bytes, this.#size)
    this.#size = size
  }
}

/** The length of a prelude, or of the frame. Checks the prelude, so that a wrong length is never waited for. */
function neededOf(bytes: Buffer): number {
  if (bytes.length < preludeBytes) return preludeBytes
  const total = bytes.readUInt32BE(0)
  const headers = bytes.readUInt32BE(4)
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8))
    throw new EventStreamError('has a frame with a wrong checksum of its lengths')
  if (total > largestFrame || headers > largestHeaders)
    throw new EventStreamError(`has a frame of ${total} bytes, which is more than the format allows`)
  if (total < smallestFrame + headers) throw new EventStreamError('has a frame that is too short')
  return total
}

function readFrame(frame: Buffer): EventStreamMessage {
  const end = frame.length - checksumBytes
  if (crc32(frame.subarray(0, end)) !== frame.readUInt32BE(end))
    throw new EventStreamError('has a frame with a wrong checksum')
  const payloadAt = preludeBytes + frame.readUInt32BE(4)
  return {
    headers: readHeaders(frame.subarray(preludeBytes, payloadAt)),
    payload: frame.subarray(payloadAt, end),
  }
}

/** Types of values with a fixed number of bytes: true, false, integers, a time, a UUID. */
const fixedBytes: ReadonlyMap<number, number> = new Map([
  [0, 0],
  [1, 0],
  [2, 1],
  [3, 2],
  [4, 4],
  [5, 8],
  [8, 8],
  [9, 16],
])
const bytesType = 6
const textType = 7

function readHeaders(bytes: Buffer): Map<string, string> {
  const headers = new Map<string, string>()
  let at = 0
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new EventStreamError('has a frame with a header that is cut')
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const name = take(take(1).readUInt8()).toString('utf8')
    const type = take(1).readUInt8()
    const fixed = fixedBytes.get(type)
    if (fixed === undefined && type !== bytesType && type !== textType)
      throw new EventStreamError(`has a frame with a header of the unknown type ${type}`)
    const value = take(fixed ?? take(2).readUInt16BE())
    if (type === textType) headers.set(name, value.toString('utf8'))
  }
  return headers
}
