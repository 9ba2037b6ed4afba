// The stream of a run outlives the turns that it answers: whoever watches the current one is told what goes over it. What goes
// over it between two turns is told to the next one.

import { GatewayError } from '../../core/errors.ts'
import type { StreamTap, TurnTap, UpstreamPlace } from '../../core/tap.ts'
import type { RunStream } from './transport.ts'

/** A run may wait for long, and so may many: what the service says meanwhile is mostly that it is still there. */
const mostBetween = 1_000
const mostBytesBetween = 1024 * 1024

interface Message {
  what: 'sent' | 'received'
  message: Uint8Array
}

export class StreamWatch {
  #turn: TurnTap | undefined
  #turnId: string
  #tap: StreamTap | undefined
  /** The turn is over: what comes is for the next one. Nothing else of it is held here, for the run may wait for long. */
  #between: Message[] | undefined
  #bytesBetween = 0
  #isLeftOut = false

  constructor(turn: TurnTap) {
    this.#turn = turn
    this.#turnId = turn.turn
  }

  /** A stream was opened; the run may have had others before. */
  open(opened: UpstreamPlace & { transport: 'http2' | 'sse' }): void {
    this.#tap = this.#turn?.stream(opened)
  }

  /** Another turn goes on with the run. */
  follow(turn: TurnTap | undefined): void {
    const between = this.#between ?? []
    this.#between = undefined
    this.#turn = turn
    this.#tap = turn?.goOn(this.#turnId)
    if (turn) this.#turnId = turn.turn
    for (const { what, message } of between) this.#tap?.[what](message)
    if (this.#isLeftOut) turn?.markIncomplete()
    // A turn that nobody watches is missing to the next that somebody does.
    this.#isLeftOut = turn === undefined
    this.#bytesBetween = 0
  }

  tell(what: 'sent' | 'received', message: Uint8Array): void {
    if (this.#tap && !this.#tap[what](message)) {
      this.#turn = undefined
      this.#tap = undefined
      this.#between = []
    }
    if (this.#between) this.#keep(this.#between, what, message)
  }

  #keep(between: Message[], what: Message['what'], message: Uint8Array): void {
    // Behind the first that finds no place there is none either: what is told has no holes.
    this.#isLeftOut ||=
      between.length >= mostBetween || this.#bytesBetween + message.length > mostBytesBetween
    if (this.#isLeftOut) return
    this.#bytesBetween += message.length
    between.push({ what, message: message.slice() })
  }

  end(): void {
    this.#tap?.end()
  }

  error(message: string): void {
    this.#tap?.error(message)
  }
}

export class WatchedStream implements RunStream {
  readonly #stream: RunStream
  readonly #watch: StreamWatch

  constructor(stream: RunStream, watch: StreamWatch) {
    this.#stream = stream
    this.#watch = watch
  }

  send(message: Uint8Array): void {
    this.#watch.tell('sent', message)
    this.#stream.send(message)
  }

  get taken(): number {
    return this.#stream.taken
  }

  get isOver(): boolean {
    return this.#stream.isOver
  }

  get isFull(): boolean {
    return this.#stream.isFull
  }

  drained(): Promise<void> {
    return this.#stream.drained()
  }

  async read(): Promise<Uint8Array[] | null> {
    try {
      const messages = await this.#stream.read()
      for (const message of messages ?? []) this.#watch.tell('received', message)
      if (messages === null) this.#watch.end()
      return messages
    } catch (error) {
      this.#watch.error(GatewayError.from(error).message)
      throw error
    }
  }

  close(): void {
    this.#stream.close()
  }

  cancel(): void {
    this.#stream.cancel()
  }
}
