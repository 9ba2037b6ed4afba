// Writes the frames of one response as a script asks: whole, in pieces, compressed, or broken.

import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse, Http2Session } from 'node:http2'
import type { Socket } from 'node:net'
import { setTimeout as sleep, setImmediate as yieldToSocket } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { COMPRESSED, encodeFrame } from './frames.ts'

export type AnyResponse = ServerResponse | Http2ServerResponse

/** Without a length: a few bytes more than the payload has. */
type BrokenFrame = 'truncate' | { readonly lengthBytes?: number }

const MISSING_BYTES = 1000
const GRACE_MS = 1000
const DONE: Promise<void> = Promise.resolve()

interface StreamWriterOptions {
  readonly response: AnyResponse
  readonly socket: Socket | undefined
  /** Resolves when the connection can be written: at once, unless it is frozen. */
  readonly thawed: () => Promise<void> | undefined
}

export class StreamWriter {
  readonly response: AnyResponse
  readonly #socket: Socket | undefined
  readonly #session: Http2Session | undefined
  readonly #thawed: StreamWriterOptions['thawed']
  readonly #gone = new AbortController()
  #last: Promise<void> = DONE
  #waiting = 0
  #untaken = 0
  #batch: Buffer[] | undefined
  #splitBytes = 0
  #compresses = false
  #next: BrokenFrame | undefined
  #headers: Record<string, string> = {}
  #ended = false

  constructor({ response, socket, thawed }: StreamWriterOptions) {
    this.response = response
    this.#socket = socket
    this.#session = 'stream' in response ? response.stream.session : undefined
    this.#thawed = thawed
    response.once('close', () => this.#gone.abort())
    response.on('error', () => this.#gone.abort())
  }

  get closed(): boolean {
    return this.#ended || this.#gone.signal.aborted
  }

  /** True after the simulator ended the response, properly or not. */
  get endedHere(): boolean {
    return this.#ended
  }

  get isFrozen(): boolean {
    return this.#thawed() !== undefined
  }

  get gone(): AbortSignal {
    return this.#gone.signal
  }

  /** They go out with the first byte, or with `flushHead`. */
  prepare(headers: Record<string, string>): void {
    this.#headers = headers
  }

  flushHead(): void {
    if (this.response.headersSent || this.closed) return
    this.response.writeHead(200, this.#headers)
    if ('flushHeaders' in this.response) this.response.flushHeaders()
  }

  reply(status: number, headers: Record<string, string>, body: string | Uint8Array): void {
    if (this.closed) return
    this.#ended = true
    const target: { end(body: string | Uint8Array): unknown } = this.response
    this.response.writeHead(status, headers)
    target.end(body)
  }

  splitBy(bytes: number): void {
    this.#splitBytes = bytes
  }

  compress(on: boolean): void {
    this.#compresses = on
  }

  /** The next frame is cut, or has a false length; the response ends with it. */
  breakNextFrame(how: BrokenFrame): void {
    this.#next = how
  }

  /** Resolves when the bytes were handed to the socket. */
  frame(flags: number, payload: Uint8Array): Promise<void> {
    const next = this.#next
    this.#next = undefined
    if (next === 'truncate') {
      const whole = encodeFrame(flags, payload)
      return this.#writeLast(whole.subarray(0, Math.ceil(whole.length / 2)))
    }
    if (next !== undefined) {
      const { lengthBytes = payload.length + MISSING_BYTES } = next
      return this.#writeLast(encodeFrame(flags, payload, lengthBytes))
    }
    if (!this.#compresses) return this.raw(encodeFrame(flags, payload))
    return this.raw(encodeFrame(flags | COMPRESSED, gzipSync(payload)))
  }

  raw(bytes: Buffer): Promise<void> {
    if (this.#batch !== undefined) {
      this.#batch.push(bytes)
      return DONE
    }
    if (this.#waiting === 0 && this.#splitBytes === 0 && this.#thawed() === undefined) {
      // A flood tests the reader: no promise for each frame.
      if (this.closed || this.#write(bytes)) return DONE
      return this.#queue(() => this.#drained())
    }
    return this.#queue(() => this.#put(bytes))
  }

  /** All frames of `fill` go out in one write. */
  together(fill: () => void): Promise<void> {
    this.#batch = []
    fill()
    const bytes = Buffer.concat(this.#batch)
    this.#batch = undefined
    return this.raw(bytes)
  }

  async end(): Promise<void> {
    await this.#last
    if (this.closed) return
    this.flushHead()
    this.#ended = true
    this.response.end()
    this.#closeLater()
  }

  /** Without this, a client that does not end its side would keep the HTTP/2 stream open. */
  #closeLater(): void {
    if (!('stream' in this.response)) return
    const { stream } = this.response
    const timer = setTimeout(() => stream.close(), GRACE_MS)
    this.gone.addEventListener('abort', () => clearTimeout(timer))
  }

  async reset(): Promise<void> {
    await this.#last
    if (this.closed) return
    this.#ended = true
    await this.#flushed()
    this.#socket?.resetAndDestroy()
  }

  /** On HTTP/1.1 there are no streams to reset, only the connection. */
  async resetStream(code: number): Promise<void> {
    await this.#last
    if (this.closed) return
    if (!('stream' in this.response)) return this.reset()
    this.#ended = true
    await this.#flushed()
    this.response.stream.close(code)
  }

  async goAway(code: number): Promise<void> {
    await this.#last
    if (this.#session?.destroyed === false) this.#session.goaway(code)
  }

  /** Waits, or stops early when the client leaves. */
  async wait(ms: number): Promise<void> {
    if (this.closed) return
    try {
      await sleep(ms, undefined, { signal: this.gone })
    } catch (error) {
      if (!this.gone.aborted) throw error
    }
  }

  untilGone(): Promise<void> {
    if (this.gone.aborted) return Promise.resolve()
    return new Promise((resolve) => this.gone.addEventListener('abort', () => resolve(), { once: true }))
  }

  async #writeLast(bytes: Buffer): Promise<void> {
    await this.raw(bytes)
    await this.end()
  }

  /** In the order of the calls. */
  #queue(act: () => Promise<void>): Promise<void> {
    this.#waiting++
    this.#last = this.#last.then(act).finally(() => this.#waiting--)
    return this.#last
  }

  #write(bytes: Buffer): boolean {
    const target: { write(bytes: Uint8Array, taken: () => void): boolean } = this.response
    this.flushHead()
    this.#untaken++
    return target.write(bytes, () => this.#untaken--)
  }

  /** A reset would lose bytes in user-space buffers: waits until the kernel has them, if it takes them. */
  async #flushed(): Promise<void> {
    const deadline = Date.now() + GRACE_MS
    while (this.#untaken > 0 && !this.gone.aborted && Date.now() < deadline) await sleep(1)
    await yieldToSocket()
  }

  async #put(bytes: Buffer): Promise<void> {
    await this.#thawed()
    const step = this.#splitBytes > 0 ? this.#splitBytes : bytes.length
    for (let start = 0; start < bytes.length && !this.closed; start += step) {
      if (!this.#write(bytes.subarray(start, start + step))) await this.#drained()
      if (step < bytes.length) await sleep(0)
    }
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.response.off('drain', done)
        this.gone.removeEventListener('abort', done)
        resolve()
      }
      this.response.on('drain', done)
      this.gone.addEventListener('abort', done)
    })
  }
}
