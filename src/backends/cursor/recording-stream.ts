// Records the streams of a run for tapes. A run outlives its turns: messages go to the tape of the current turn, and messages
// between two turns to the tape of the next one.

import { GatewayError } from '../../core/errors.ts'
import type { StreamTap, TurnTap, UpstreamPlace } from '../../core/tap.ts'
import type { RunStream } from './transport.ts'

/** Limits of what is kept between two turns: many runs may wait for long, and most messages are heartbeats. */
const mostBetween = 1_000
const mostBytesBetween = 1024 * 1024

interface Message {
  what: 'sent' | 'received'
  message: Uint8Array
}

export class StreamRecorder {
  #turn: TurnTap | undefined
  #turnId: string
  #tap: StreamTap | undefined
  /** Messages since the end of the last turn; undefined during a turn. The last turn itself is not referenced: a run may wait for long. */
  #between: Message[] | undefined
  #bytesBetween = 0
  #isLeftOut = false

  constructor(turn: TurnTap) {
    this.#turn = turn
    this.#turnId = turn.turn
  }

  /** A stream was opened, the first one of the run or a later one. */
  open(opened: UpstreamPlace & { transport: 'http2' | 'sse' }): void {
    this.#tap = this.#turn?.stream(opened)
  }

  /** Another turn goes on with the run. */
  follow(turn: TurnTap | undefined): void {
    const between = this.#between ?? []
    this.#between = undefined
    this.#turn = turn
    this.#tap = turn?.continueStream(this.#turnId)
    if (turn) this.#turnId = turn.turn
    for (const { what, message } of between) this.#tap?.[what](message)
    if (this.#isLeftOut) turn?.markIncomplete()
    // After a turn without a tape, the tape of the next turn is incomplete.
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
    // After the first message that does not fit, none is kept: a tape has no holes.
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

export class RecordingStream implements RunStream {
  readonly #stream: RunStream
  readonly #recorder: StreamRecorder

  constructor(stream: RunStream, recorder: StreamRecorder) {
    this.#stream = stream
    this.#recorder = recorder
  }

  send(message: Uint8Array): void {
    this.#recorder.tell('sent', message)
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
      for (const message of messages ?? []) this.#recorder.tell('received', message)
      if (messages === null) this.#recorder.end()
      return messages
    } catch (error) {
      this.#recorder.error(GatewayError.from(error).message)
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
