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
  #ended = false

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
    if (this.gone || this.#ended || text === '') return true
    return this.#response.write(text)
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

  /**
   * Node takes a response that was ended for one that was sent, and closes its connection over the rest where it makes room. So
   * one that the client has yet to take is ended only then.
   */
  end(text = ''): void {
    if (this.#ended || this.gone) return
    this.#ended = true
    const response = this.#response
    const isSmall = text.length + response.writableLength < response.writableHighWaterMark
    const isTaken = isSmall || (text === '' ? !response.writableNeedDrain : response.write(text))
    if (!isTaken) response.once('drain', () => response.end())
    else if (isSmall && text !== '') response.end(text)
    else response.end()
  }

  #release(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }
}
