// One WebSocket connection of a client: text messages in, text messages out. Messages that are being read count against the memory
// budget of request bodies; a peer that no longer answers is closed.

import type { Socket } from 'node:net'
import { Latch } from '../../base/latch.ts'
import type { BodyBudget } from '../body-budget.ts'
import { closeCodes, closeFrame, FrameError, FrameReader, pingFrame, pongFrame, textFrame } from './frames.ts'

interface ConnectionOptions {
  socket: Socket
  /** Bytes after the handshake that came with it. */
  head: Buffer
  maxBytes: number
  budget?: BodyBudget | undefined
  /** Time between pings. A peer without any sign of life for three of them is gone. */
  pingMs?: number
  onMessage(bytes: Buffer): void
}

const usualPingMs = 30_000
/** Time for the peer to close after our close frame. */
const closingMs = 2_000

export class WebSocketConnection {
  readonly #socket: Socket
  readonly #gone = new Latch()
  readonly #options: ConnectionOptions
  readonly #reader: FrameReader
  readonly #ping: NodeJS.Timeout
  #share: ReturnType<BodyBudget['open']> | undefined
  #pieces: Buffer[] = []
  #size = 0
  #silentPings = 0
  #closing = false
  #waiting: (() => void)[] = []

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.#socket = options.socket
    this.#reader = new FrameReader({
      onPiece: (piece) => this.#take(piece),
      onMessage: () => this.#deliver(),
      onPing: (payload) => void this.#write(pongFrame(payload)),
      onPong: () => undefined,
      onClose: () => this.close(closeCodes.normal),
    })
    const { socket } = options
    socket.setTimeout(0)
    socket.setNoDelay(true)
    socket.on('data', (bytes: Buffer) => this.#read(bytes))
    socket.on('drain', this.#release)
    socket.on('end', () => socket.end())
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.#end())
    this.#ping = setInterval(() => this.#onPingTime(), options.pingMs ?? usualPingMs).unref()
    if (socket.destroyed) this.#end()
    else if (options.head.length > 0) this.#read(options.head)
    socket.resume()
  }

  get gone(): boolean {
    return this.#gone.tripped
  }

  onGone(listener: () => void): () => void {
    return this.#gone.on(listener)
  }

  get isBehind(): boolean {
    return !this.gone && this.#socket.writableNeedDrain
  }

  drained(): Promise<void> {
    if (!this.isBehind) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** False: wait for `drained`. */
  send(text: string): boolean {
    if (this.gone || this.#closing) return true
    return this.#write(textFrame(text))
  }

  /** What was sent before still arrives. */
  close(code: number, reason = ''): void {
    if (this.#closing || this.gone) return
    this.#closing = true
    this.#forget()
    this.#socket.end(closeFrame(code, reason))
    setTimeout(() => this.#socket.destroy(), closingMs).unref()
  }

  #write(bytes: Buffer): boolean {
    return this.gone || this.#closing || this.#socket.write(bytes)
  }

  #read(bytes: Buffer): void {
    this.#silentPings = 0
    if (this.#closing) return
    try {
      this.#reader.push(bytes)
    } catch (error) {
      const isFrame = error instanceof FrameError
      this.close(isFrame ? error.code : closeCodes.internal, isFrame ? error.message : '')
    }
  }

  #take(piece: Buffer): void {
    const { maxBytes, budget } = this.#options
    this.#size += piece.length
    if (this.#size > maxBytes)
      throw new FrameError(closeCodes.tooBig, `A message is larger than ${maxBytes} bytes.`)
    this.#share ??= budget?.open(() => this.close(closeCodes.tryLater, 'The message came too slowly.'))
    try {
      this.#share?.take(piece.length)
    } catch {
      throw new FrameError(closeCodes.tryLater, 'The gateway reads too many messages; try again.')
    }
    this.#pieces.push(piece)
  }

  #deliver(): void {
    const message = Buffer.concat(this.#pieces)
    this.#forget()
    this.#options.onMessage(message)
  }

  #forget(): void {
    this.#share?.release()
    this.#share = undefined
    this.#pieces = []
    this.#size = 0
  }

  #onPingTime(): void {
    if (++this.#silentPings > 3) return void this.#socket.destroy()
    // A client that does not read gets no more to read.
    if (!this.isBehind) this.#write(pingFrame())
  }

  #end(): void {
    clearInterval(this.#ping)
    this.#forget()
    this.#gone.trip()
    this.#release()
  }

  readonly #release = (): void => {
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }
}
