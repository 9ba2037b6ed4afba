// A Node response as a sink. Node writes its head and end. Chunks in between go to the socket as one text per tick; Node would
// write four pieces per chunk. That saves a tenth of the work in workload W4c of the bench.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { Latch } from '../base/latch.ts'
import type { Sink } from '../core/sink.ts'
import { onConnectionEnd } from './end-of-connection.ts'
import { isSendingOn } from './linger.ts'

/** RFC 9112, 7.1. */
const chunkOf = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

/** Characters; above this, a writer must wait for the end of the tick. */
const mostGathered = 64 * 1024

export class NodeSink implements Sink {
  readonly #response: ServerResponse
  readonly #request: IncomingMessage
  readonly #gone = new Latch()
  #waiting: (() => void)[] = []
  #headIsOut = false
  /** Chunks that go out at the end of the tick. */
  #gathered = ''
  #ended = false

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.#response = response
    this.#request = request
    const onClose = () => {
      forget()
      if (!response.writableEnded) this.#gone.trip()
      this.#release()
    }
    const forget = onConnectionEnd(request.socket, onClose)
    response.on('drain', this.#release)
    response.on('close', onClose)
    // A reset between our write and the socket's end is the client's leaving, seen by `close`.
    response.on('error', this.#release)
  }

  get gone(): boolean {
    return this.#gone.tripped
  }

  onGone(listener: () => void): () => void {
    return this.#gone.on(listener)
  }

  get started(): boolean {
    return this.#response.headersSent
  }

  start(status: number, headers: Record<string, string>): void {
    // A client that still sends its body learns that the rest is not read.
    const isOver = isSendingOn(this.#request)
    this.#response.writeHead(status, isOver ? { ...headers, connection: 'close' } : headers)
  }

  write(text: string): boolean {
    if (this.gone || this.#ended || text === '') return true
    return this.#put(text)
  }

  #put(text: string): boolean {
    const response = this.#response
    // A pipelined answer has no socket until those before it are complete.
    const { socket } = response
    if (this.#headIsOut && response.chunkedEncoding && socket?.writable) {
      if (this.#gathered === '') process.nextTick(this.#flush)
      this.#gathered += chunkOf(text)
      return !this.isBehind
    }
    this.#headIsOut = true
    return response.write(text)
  }

  readonly #flush = (): void => {
    const text = this.#gathered
    this.#gathered = ''
    const { socket } = this.#response
    if (text !== '' && socket?.writable && socket.write(text)) this.#release()
  }

  get isBehind(): boolean {
    const { writableNeedDrain, socket } = this.#response
    const isFull = this.#gathered.length > mostGathered
    return !this.gone && (writableNeedDrain || isFull || socket?.writableNeedDrain === true)
  }

  drained(): Promise<void> {
    if (!this.isBehind) return Promise.resolve()
    return new Promise((resolve) => this.#whenDrained(resolve))
  }

  /** `then` is also called when the client leaves. */
  #whenDrained(then: () => void): void {
    if (this.#waiting.length === 0) this.#response.socket?.once('drain', this.#release)
    this.#waiting.push(then)
  }

  /**
   * Node treats an ended response as sent, and may close its connection as idle while data is still buffered. So the end waits
   * until the client has read enough.
   */
  end(text = ''): void {
    if (this.#ended || this.gone) return
    this.#ended = true
    this.#flush()
    const response = this.#response
    const isSmall = text.length + response.writableLength < response.writableHighWaterMark
    const isTaken = isSmall || (text === '' ? !this.isBehind : response.write(text))
    if (!isTaken) this.#whenDrained(() => this.gone || response.end())
    else if (isSmall && text !== '') response.end(text)
    else response.end()
  }

  readonly #release = (): void => {
    const waiting = this.#waiting
    if (waiting.length === 0) return
    // Without this, each wait that ends otherwise leaves one more drain listener.
    this.#response.socket?.off('drain', this.#release)
    this.#waiting = []
    for (const wake of waiting) wake()
  }
}
