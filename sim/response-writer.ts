// Writes an answer's bytes as a script wants them: whole, cut to pieces, held back by backpressure, or broken.

import type { ServerResponse } from 'node:http'
import { setTimeout as sleep, setImmediate as yieldToSocket } from 'node:timers/promises'
import type { Fault } from './script.ts'

export class ResponseWriter {
  readonly #response: ServerResponse
  readonly #gone = new AbortController()
  #headers: Record<string, string> = {}
  #splitBytes = 0
  #cutNext = false
  #ended = false

  constructor(response: ServerResponse) {
    this.#response = response
    response.once('close', () => this.#gone.abort())
  }

  /** True once nothing more can be sent: the answer was ended, by us or by the client. */
  get closed(): boolean {
    return this.#ended || this.#gone.signal.aborted
  }

  /** True where the simulator itself ended the answer, properly or not. */
  get endedHere(): boolean {
    return this.#ended
  }

  reply(status: number, headers: Record<string, string>, body: string): void {
    if (this.closed) return
    this.#ended = true
    this.#response.writeHead(status, headers)
    this.#response.end(body)
  }

  /** The headers of a 200 answer; they go out with its first byte. */
  prepare(headers: Record<string, string>): void {
    this.#headers = headers
  }

  splitBy(bytes: number): void {
    this.#splitBytes = bytes
  }

  /** Undefined means that the bytes were taken at once; else wait for the promise before the next write. */
  write(data: string | Buffer): Promise<void> | undefined {
    if (this.closed) return undefined
    this.#sendHead()
    if (this.#cutNext) {
      const bytes = Buffer.from(data)
      this.#response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)))
      this.end()
      return undefined
    }
    if (this.#splitBytes > 0) return this.#writeSplit(Buffer.from(data))
    return this.#response.write(data) ? undefined : this.#drained()
  }

  end(): void {
    if (this.closed) return
    this.#sendHead()
    this.#ended = true
    this.#response.end()
  }

  async fail(fault: Fault): Promise<void> {
    if (this.closed) return
    if (fault === 'truncate') this.#cutNext = true
    else if (fault === 'fin') this.end()
    else if (fault === 'reset') this.#reset()
    else await this.untilGone()
  }

  /** Closes the connection though the answer is not whole. */
  cut(): void {
    if (this.closed) return
    this.#ended = true
    this.#response.socket?.end()
  }

  /** Waits, or stops early when the client leaves. */
  async wait(ms: number): Promise<void> {
    if (this.closed) return
    const { signal } = this.#gone
    try {
      await sleep(ms, undefined, { signal })
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  untilGone(): Promise<void> {
    const { signal } = this.#gone
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  }

  #reset(): void {
    this.#ended = true
    // Bytes still in our own buffers would be lost with an RST: give the kernel a moment to take them.
    setImmediate(() => this.#response.socket?.resetAndDestroy())
  }

  #sendHead(): void {
    if (this.#response.headersSent) return
    this.#response.writeHead(200, this.#headers)
    this.#response.flushHeaders()
  }

  async #writeSplit(bytes: Buffer): Promise<void> {
    for (let start = 0; start < bytes.length && !this.closed; start += this.#splitBytes) {
      if (!this.#response.write(bytes.subarray(start, start + this.#splitBytes))) await this.#drained()
      await yieldToSocket()
    }
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#response.off('drain', done)
        this.#gone.signal.removeEventListener('abort', done)
        resolve()
      }
      this.#response.on('drain', done)
      this.#gone.signal.addEventListener('abort', done)
    })
  }
}
