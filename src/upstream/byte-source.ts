// ByteSource: the body of an upstream response. Each read returns all bytes since the last one. Back-pressure: a slow reader pauses the
// socket, so that a slow client costs a bounded buffer and not the whole answer.

import { countReadBytes } from '../base/collect-buffers.ts'
import { resumeInTurn } from '../base/take-turns.ts'
import type { ExchangeTap } from '../core/tap.ts'
import { ByteQueue } from './byte-queue.ts'
import type { Dispatcher } from './undici.ts'

/** One read is in memory several times, as bytes, events and text, until the client has taken it. */
const highWaterBytes = 64 * 1024

/** After this many bytes other connections are served first: an upstream that never pauses would hold the event loop. */
const turnBytes = 64 * 1024

export class ByteSource {
  readonly #controller: Dispatcher.DispatchController
  readonly #queue = new ByteQueue()
  #ended = false
  #error: Error | undefined
  #turnBytes = 0
  #waitsForTurn = false
  #wake: (() => void) | undefined
  #consume: ((chunk: Buffer) => boolean) | undefined
  readonly #tap: ExchangeTap | undefined

  constructor(controller: Dispatcher.DispatchController, tap?: ExchangeTap) {
    this.#controller = controller
    this.#tap = tap
  }

  /** All new bytes; undefined if there are none, null at the end. Throws if the connection failed or was canceled. */
  take(): Buffer | null | undefined {
    if (this.#queue.isEmpty) {
      if (this.#error) throw this.#error
      return this.#ended ? null : undefined
    }
    const bytes = this.#queue.take()
    this.#resume()
    return bytes
  }

  /**
   * Calls `wake` once, when there is something to take: bytes, the end or a failure. Only one reader may wait at a time.
   * `consume` gets each chunk first, on the fast path. If it returns true, it has consumed the chunk and reported it to the tape, and
   * the reader waits on.
   */
  whenReadable(wake: () => void, consume?: (chunk: Buffer) => boolean): void {
    if (this.#wake) throw new Error('two readers of one body')
    this.#wake = wake
    this.#consume = consume
  }

  /** The next bytes, or null at the end. Rejects where `take` throws. */
  async read(): Promise<Buffer | null> {
    for (;;) {
      const bytes = this.take()
      if (bytes !== undefined) return bytes
      await new Promise<void>((resolve) => this.whenReadable(resolve))
    }
  }

  /** Reads to the end or to `maxBytes`. A longer body is truncated and its connection closed. */
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

  /** The answer is complete: discards the remaining bytes, so that the connection can be reused, or closes it after the timeout. */
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

  onData(chunk: Buffer): void {
    this.#turnBytes += chunk.length
    if (this.#turnBytes > turnBytes) this.#waitForTurn()
    if (this.#consume !== undefined && this.#queue.isEmpty && this.#consume(chunk)) return
    this.#tap?.data(chunk, !this.#queue.isEmpty)
    this.#queue.push(chunk)
    if (this.#queue.length > highWaterBytes) this.#controller.pause()
    this.#notify()
    this.#tap?.onReadDone()
  }

  onEnd(): void {
    this.#ended = true
    this.#notify()
  }

  onError(error: Error): void {
    this.#error = error
    this.#notify()
  }

  #waitForTurn(): void {
    countReadBytes(this.#turnBytes)
    this.#turnBytes = 0
    if (this.#waitsForTurn) return
    this.#waitsForTurn = true
    this.#controller.pause()
    resumeInTurn(() => {
      this.#waitsForTurn = false
      if (this.#queue.length <= highWaterBytes) this.#resume()
    })
  }

  #resume(): void {
    if (this.#controller.paused && !this.#waitsForTurn && !this.#error) this.#controller.resume()
  }

  #notify(): void {
    const wake = this.#wake
    this.#wake = undefined
    this.#consume = undefined
    wake?.()
  }
}
