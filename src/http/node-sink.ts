// A Node response as a sink.

import type { ServerResponse } from 'node:http'
import type { Sink } from '../core/sink.ts'

export class NodeSink implements Sink {
  readonly #response: ServerResponse
  readonly #isSendingOn: () => boolean
  readonly #gone = new AbortController()
  #wake: (() => void) | undefined

  /** `isSendingOn`: the client has not sent all of its request, and is to hear that nobody waits for it. */
  constructor(response: ServerResponse, isSendingOn: () => boolean) {
    this.#response = response
    this.#isSendingOn = isSendingOn
    response.on('drain', () => this.#release())
    response.on('close', () => {
      if (!response.writableEnded) this.#gone.abort()
      this.#release()
    })
    // A reset between our write and the socket's end is the client's leaving, seen by `close`.
    response.on('error', () => this.#release())
  }

  get gone(): AbortSignal {
    return this.#gone.signal
  }

  get started(): boolean {
    return this.#response.headersSent
  }

  start(status: number, headers: Record<string, string>): void {
    this.#response.writeHead(status, this.#isSendingOn() ? { ...headers, connection: 'close' } : headers)
  }

  write(text: string): boolean {
    return this.#gone.signal.aborted || this.#response.write(text)
  }

  get isBehind(): boolean {
    return !this.#gone.signal.aborted && this.#response.writableNeedDrain
  }

  drained(): Promise<void> {
    if (!this.isBehind) return Promise.resolve()
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  end(text?: string): void {
    if (this.#response.writableEnded) return
    if (text === undefined) this.#response.end()
    else this.#response.end(text)
  }

  #release(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }
}
