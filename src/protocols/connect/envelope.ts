// Envelopes of Connect's streaming protocol: one byte of flags, four bytes of length (big-endian), the payload.
// https://connectrpc.com/docs/protocol/#streaming-rpcs. Payloads are opaque here.

import { gunzipSync } from 'node:zlib'
import { GatewayError } from '../../core/errors.ts'

export interface Envelope {
  endOfStream: boolean
  /** Often a view into the pushed chunk: copy it before keeping it for long. */
  data: Uint8Array
}

interface EnvelopeReaderOptions {
  /** The configured name of the backend, for messages. */
  backend: string
  /** The response's `connect-content-encoding`. Without it, compressed frames are read as gzip. */
  encoding?: string | undefined
  maxFrameBytes?: number
}

const headerBytes = 5
const compressedFlag = 0b01
const endOfStreamFlag = 0b10

const defaultMaxFrameBytes = 16 * 1024 * 1024
const maxInflatedBytes = 32 * 1024 * 1024
const maxInflateRatio = 200
/** Up to this size the ratio does not count: a page of blanks is no bomb. */
const harmlessBytes = 1024 * 1024
const firstCapacity = 4 * 1024
const largeBytes = 1024 * 1024

export function encodeEnvelope(payload: Uint8Array, flags = 0): Buffer {
  const frame = Buffer.allocUnsafe(headerBytes + payload.length)
  frame.set(envelopeHead(payload.length, flags))
  frame.set(payload, headerBytes)
  return frame
}

/** The header of an envelope: a large payload is written after it without a copy. */
export function envelopeHead(length: number, flags = 0): Buffer {
  const head = Buffer.allocUnsafe(headerBytes)
  head[0] = flags
  head.writeUInt32BE(length, 1)
  return head
}

/** Never throws. An error is in `failure`, after the envelopes before it, independent of the chunking. */
export class EnvelopeReader {
  readonly #options: EnvelopeReaderOptions
  readonly #header = Buffer.alloc(headerBytes)
  #headerLength = 0
  #flags = 0
  /** Length of the payload; -1 while the header is incomplete. */
  #expected = -1
  #payload = Buffer.alloc(0)
  #received = 0
  #failure: GatewayError | undefined
  #ended = false

  constructor(options: EnvelopeReaderOptions) {
    this.#options = options
  }

  /** Why the stream cannot be read further. */
  get failure(): GatewayError | undefined {
    return this.#failure
  }

  /** The end-of-stream envelope has arrived; later bytes are ignored. */
  get ended(): boolean {
    return this.#ended
  }

  /** Bytes of an incomplete frame. More than zero at the end of a stream means that it was cut. */
  get pending(): number {
    return this.#headerLength + this.#received
  }

  push(chunk: Uint8Array): Envelope[] {
    const envelopes: Envelope[] = []
    let offset = 0
    while (offset < chunk.length && !this.#ended && !this.#failure) {
      offset += this.#expected < 0 ? this.#takeHeader(chunk, offset) : 0
      if (this.#expected < 0) continue
      const missing = this.#expected - this.#received
      const part = chunk.subarray(offset, offset + missing)
      offset += part.length
      if (part.length < missing) this.#keep(part)
      else this.#finish(part, envelopes)
    }
    return envelopes
  }

  #takeHeader(chunk: Uint8Array, offset: number): number {
    const part = chunk.subarray(offset, offset + headerBytes - this.#headerLength)
    this.#header.set(part, this.#headerLength)
    this.#headerLength += part.length
    if (this.#headerLength === headerBytes) this.#readHeader()
    return part.length
  }

  #readHeader(): void {
    const flags = this.#header.readUInt8(0)
    const length = this.#header.readUInt32BE(1)
    const { maxFrameBytes = defaultMaxFrameBytes, encoding = 'gzip' } = this.#options
    if ((flags & ~(compressedFlag | endOfStreamFlag)) !== 0)
      this.#fail(`a frame with unknown flags (0x${flags.toString(16).padStart(2, '0')})`)
    else if (length > maxFrameBytes)
      this.#fail(`a frame of ${length} bytes; more than ${maxFrameBytes} are not taken`)
    else if ((flags & compressedFlag) !== 0 && encoding.trim().toLowerCase() !== 'gzip')
      this.#fail(`a frame compressed in a way that was not asked for ("${encoding.slice(0, 40)}")`)
    else {
      this.#flags = flags
      this.#expected = length
    }
  }

  /** The buffer grows with the received bytes, not with the length in the header, and by factors, so that single bytes stay cheap. */
  #keep(part: Uint8Array): void {
    const needed = this.#received + part.length
    if (needed > this.#payload.length) {
      // A large outgrown buffer is garbage outside the heap, which is collected late.
      const factor = this.#payload.length < largeBytes ? 2 : 4
      const capacity = Math.max(needed, firstCapacity, this.#payload.length * factor)
      const larger = Buffer.allocUnsafe(Math.min(capacity, this.#expected))
      larger.set(this.#payload.subarray(0, this.#received))
      this.#payload = larger
    }
    this.#payload.set(part, this.#received)
    this.#received = needed
  }

  #finish(last: Uint8Array, envelopes: Envelope[]): void {
    let data = last
    if (this.#received > 0) {
      this.#keep(last)
      data = this.#payload.subarray(0, this.#received)
    }
    this.#payload = Buffer.alloc(0)
    this.#received = 0
    this.#headerLength = 0
    this.#expected = -1
    const whole = (this.#flags & compressedFlag) === 0 ? data : this.#inflate(data)
    if (whole === undefined) return
    this.#ended = (this.#flags & endOfStreamFlag) !== 0
    envelopes.push({ endOfStream: this.#ended, data: whole })
  }

  #inflate(data: Uint8Array): Uint8Array | undefined {
    if (data.length === 0) return data
    const maxOutputLength = Math.min(maxInflatedBytes, Math.max(harmlessBytes, data.length * maxInflateRatio))
    try {
      return gunzipSync(data, { maxOutputLength })
    } catch (error) {
      const tooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      this.#fail(
        tooLarge
          ? `a compressed frame of ${data.length} bytes that unfolds to more than ${maxOutputLength}`
          : 'a frame that is not the gzip it claims to be',
        error,
      )
      return undefined
    }
  }

  #fail(what: string, cause?: unknown): void {
    this.#failure = new GatewayError(
      'upstream-protocol',
      `${this.#options.backend}: the upstream sent ${what}.`,
      { cause },
    )
  }
}
