// The body of an upstream response as reads: each read gives all bytes that have come since the last one. Pauses the
// socket when the reader is slow, so that a slow client costs a bounded buffer and not the whole answer.

import { ByteQueue } from './byte-queue.ts'
import type { Dispatcher } from './undici.ts'

/** What is read at once is in memory several times over, as bytes, events and text, until the client has taken it. */
const highWaterBytes = 64 * 1024

export class ByteSource {
  readonly #controller: Dispatcher.DispatchController
  readonly #queue = new ByteQueue()
  #ended = false
  #error: Error | undefined
  #wake: (() => void) | undefined
  #pass: ((chunk: Buffer) => boolean) | undefined

  constructor(controller: Dispatcher.DispatchController) {
    this.#controller = controller
  }

  /** What has come since; undefined when that is nothing, null at the end. Throws when the connection failed or was canceled. */
  take(): Buffer | null | undefined {
    if (this.#queue.isEmpty) {
      if (this.#error) throw this.#error
      return this.#ended ? null : undefined
    }
    const bytes = this.#queue.take()
    if (this.#controller.paused) this.#controller.resume()
    return bytes
  }

  /**
   * Calls back, once, when there is something to take: bytes, the end or a failure. One may wait at a time. `pass` is shown what comes
   * first: if it says so, that is done with, and the waiting goes on.
   */
  whenReadable(wake: () => void, pass?: (chunk: Buffer) => boolean): void {
    if (this.#wake) throw new Error('two readers of one body')
    this.#wake = wake
    this.#pass = pass
  }

  /** The next bytes, or null at the end. Rejects as `take` throws. */
  async read(): Promise<Buffer | null> {
    for (;;) {
      const bytes = this.take()
      if (bytes !== undefined) return bytes
      await new Promise<void>((resolve) => this.whenReadable(resolve))
    }
  }

  /** Reads to the end, up to `maxBytes`; what lies beyond is cut off and the connection given up. */
  async readAll(maxBytes: number): Promise<{ bytes: Buffer; cut: boolean }> {
    const parts: Buffer[] = []
    let size = 0
    for (let bytes = await this.read(); bytes !== null; bytes = await this.read()) {
      parts.push(bytes)
      size += bytes.length
      if (size > maxBytes) {
        this.cancel(new Error('body too large'))
        return { bytes: Buffer.concat(parts, maxBytes), cut: true }
      }
    }
    return { bytes: Buffer.concat(parts), cut: false }
  }

  /** The answer is complete for us: take the remaining bytes so that the connection can be used again, or give it up. */
  drain(patienceMs: number): void {
    if (this.#ended || this.#error) return
    const timer = setTimeout(() => this.cancel(new Error('not drained in time')), patienceMs)
    timer.unref()
    const next = (): void => {
      this.read().then(
        (bytes) => (bytes === null ? clearTimeout(timer) : next()),
        () => clearTimeout(timer),
      )
    }
    next()
  }

  cancel(reason: Error): void {
    if (this.#ended || this.#error) return
    this.#controller.abort(reason)
  }

  /** Says whether whoever waits has passed it on: then it is done with. */
  passes(chunk: Buffer): boolean {
    return this.#pass !== undefined && this.#queue.isEmpty && this.#pass(chunk)
  }

  onData(chunk: Buffer): void {
    if (this.passes(chunk)) return
    this.#queue.push(chunk)
    if (this.#queue.length > highWaterBytes) this.#controller.pause()
    this.#notify()
  }

  onEnd(): void {
    this.#ended = true
    this.#notify()
  }

  onError(error: Error): void {
    this.#error = error
    this.#notify()
  }

  #notify(): void {
    const wake = this.#wake
    this.#wake = undefined
    this.#pass = undefined
    wake?.()
  }
}
