// One request with its response on an HTTP/2 connection, open in both directions. Each read returns all bytes since the last one.
// Back-pressure: a slow reader pauses the stream, and HTTP/2 flow control holds the peer back.

import type { ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2'
import { GatewayError } from '../core/errors.ts'
import { ByteQueue } from './byte-queue.ts'

interface Http2Response {
  status: number
  headers: IncomingHttpHeaders
}

interface ExchangeOptions {
  stream: ClientHttp2Stream
  signal: AbortSignal
  /** RST_STREAM with CANCEL, and nothing before it. */
  reset(): void
  /** The failure for a stream that was reset with this code. */
  explain(resetCode: number): GatewayError
  /** The stream no longer counts against the peer's limit. */
  onClose(exchange: Http2Exchange): void
}

/** After that, up to one stream window may arrive before the peer is held back. */
const highWaterBytes = 64 * 1024

export class Http2Exchange {
  /** Rejects when the stream fails before the peer has answered. */
  readonly response: Promise<Http2Response>
  readonly #options: ExchangeOptions
  readonly #queue = new ByteQueue()
  #isAnswered = false
  #ended = false
  #failure: GatewayError | undefined
  #arrival: Promise<void> | undefined
  #wake: (() => void) | undefined
  #refuse: (error: GatewayError) => void = () => undefined

  constructor(options: ExchangeOptions) {
    this.#options = options
    const { stream, signal } = options
    this.response = new Promise((resolve, reject) => {
      this.#refuse = reject
      stream.once('response', (headers) => {
        this.#isAnswered = true
        resolve({ status: Number(headers[':status']), headers })
      })
    })
    // A caller that only reads gets the failure from `read`.
    this.response.catch(() => undefined)
    // Never removed: an error event without a listener would end the process.
    stream.on('error', () => undefined)
    stream.on('data', (chunk: Buffer) => this.#onData(chunk))
    stream.once('end', () => this.#onEnd())
    stream.once('close', () => this.#onClose())
    if (signal.aborted) this.#onAbort()
    else signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  /** Written bytes that the connection has not taken yet. */
  get writableLength(): number {
    return this.#options.stream.writableLength
  }

  /** Later writes will not be sent. */
  get isOver(): boolean {
    const { stream } = this.#options
    return this.#failure !== undefined || stream.destroyed || stream.closed || stream.writableEnded
  }

  /** Back-pressure: await `drained()` before the next write. */
  get isFull(): boolean {
    return this.#options.stream.writableLength > highWaterBytes && !this.isOver
  }

  /** Resolves when all written bytes were sent, or never will be. */
  drained(): Promise<void> {
    const { stream } = this.#options
    if (!this.isFull) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        stream.off('drain', done)
        stream.off('close', done)
        resolve()
      }
      stream.on('drain', done)
      stream.on('close', done)
    })
  }

  /** Sent in order; does nothing once the stream is over. */
  write(bytes: Uint8Array): void {
    if (!this.isOver) this.#options.stream.write(bytes)
  }

  /** Ends the request. Written bytes are still sent. */
  end(): void {
    const { stream } = this.#options
    if (!stream.destroyed && !stream.closed && !stream.writableEnded) stream.end()
  }

  /** The next bytes, or null at the end. Rejects if the stream failed or was canceled. */
  async read(): Promise<Buffer | null> {
    while (this.#queue.isEmpty) {
      if (this.#failure) throw this.#failure
      if (this.#ended) return null
      this.#arrival ??= new Promise((resolve) => {
        this.#wake = resolve
      })
      await this.#arrival
    }
    const bytes = this.#queue.take()
    const { stream } = this.#options
    if (stream.isPaused()) stream.resume()
    return bytes
  }

  /** The answer is complete: readers get null, and the stream is reset if it does not end by itself in time. */
  drain(patienceMs: number): void {
    const { stream } = this.#options
    this.#queue.clear()
    this.#ended = true
    this.#notify()
    if (stream.destroyed) return
    stream.resume()
    const timer = setTimeout(this.#options.reset, patienceMs)
    timer.unref()
    stream.once('close', () => clearTimeout(timer))
  }

  /** Sends RST_STREAM at once and fails pending reads. */
  cancel(reason: GatewayError): void {
    this.#queue.clear()
    this.#ended = false
    this.fail(reason)
    this.#options.reset()
  }

  /** The first failure counts. Bytes before it can still be read, and a complete answer stays complete. */
  fail(failure: GatewayError): void {
    this.#refuse(failure)
    if (this.#failure || this.#ended) return
    this.#failure = failure
    this.#notify()
  }

  readonly #onAbort = () => this.cancel(GatewayError.ofAbort(this.#options.signal))

  #onData(chunk: Buffer): void {
    if (this.#failure || this.#ended) return
    this.#queue.push(chunk)
    if (this.#queue.length > highWaterBytes) this.#options.stream.pause()
    this.#notify()
  }

  #onEnd(): void {
    const { stream } = this.#options
    // Node may end the readable side of a reset stream as well.
    if (stream.rstCode > 0) return
    this.#ended = true
    this.#notify()
  }

  #onClose(): void {
    const { stream, signal, explain, onClose } = this.#options
    signal.removeEventListener('abort', this.#onAbort)
    // An error is slow to make, and most streams end as they should.
    if (!this.#isAnswered || !(this.#failure || this.#ended)) this.fail(explain(stream.rstCode))
    onClose(this)
  }

  #notify(): void {
    this.#arrival = undefined
    this.#wake?.()
  }
}
