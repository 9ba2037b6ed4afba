// A Node response as a sink.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Sink } from '../core/sink.ts'
import { Departure } from './departure.ts'
import { onConnectionEnd } from './end-of-connection.ts'
import { isSendingOn } from './linger.ts'

export class NodeSink implements Sink {
  readonly #response: ServerResponse
  readonly #request: IncomingMessage
  readonly #departure = new Departure()
  #wake: (() => void) | undefined

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.#response = response
    this.#request = request
    const onClose = () => {
      forget()
      if (!response.writableEnded) this.#departure.happen()
      this.#release()
    }
    const forget = onConnectionEnd(request.socket, onClose)
    response.on('drain', () => this.#release())
    response.on('close', onClose)
    // A reset between our write and the socket's end is the client's leaving, seen by `close`.
    response.on('error', () => this.#release())
  }

  get gone(): boolean {
    return this.#departure.happened
  }

  onGone(listener: () => void): () => void {
    return this.#departure.on(listener)
  }

  get started(): boolean {
    return this.#response.headersSent
  }

  start(status: number, headers: Record<string, string>): void {
    // A client that has not sent all of its request is to hear that nobody waits for it.
    const isOver = isSendingOn(this.#request)
    this.#response.writeHead(status, isOver ? { ...headers, connection: 'close' } : headers)
  }

  write(text: string): boolean {
    return this.gone || this.#response.write(text)
  }

  get isBehind(): boolean {
    return !this.gone && this.#response.writableNeedDrain
  }

  drained(): Promise<void> {
    if (!this.isBehind) return Promise.resolve()
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  end(text = ''): void {
    if (this.#response.writableEnded) return
    if (text === '') this.#response.end()
    else this.#response.end(text)
  }

  #release(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }
}
