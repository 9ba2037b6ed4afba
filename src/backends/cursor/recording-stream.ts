// Records the streams of a run for tapes. A run outlives its turns: messages go to the tape of the current turn, and messages
// between two turns to the tape of the next one.

import { GatewayError } from '../../core/errors.ts'
import type { StreamTap, TurnTap, UpstreamPlace } from '../../core/tap.ts'
import type { RunStream } from './transport.ts'

/** Limits of what is kept between two turns: many runs may wait for long, and most messages are heartbeats. */
const mostBetween = 1_000
const mostBytesBetween = 1024 * 1024

/** Something that happened between two turns. */
type Tell = (tap: StreamTap) => void

export class StreamRecorder {
  #turn: TurnTap | undefined
  #turnId: string
  #tap: StreamTap | undefined
  /** What came since the end of the last turn; undefined during a turn. The last turn itself is not referenced: a run may wait for long. */
  #between: Tell[] | undefined
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
    if (this.#tap) for (const tell of between) tell(this.#tap)
    if (this.#isLeftOut) turn?.markIncomplete()
    // After a turn without a tape, the tape of the next turn is incomplete.
    this.#isLeftOut = turn === undefined
    this.#bytesBetween = 0
  }

  sent(message: Uint8Array): void {
    if (this.#isTold((tap) => tap.sent(message))) return
    const copy = message.slice()
    this.#keep((tap) => tap.sent(copy), copy.length)
  }

  /** `isJoined`: it came in the same read as the message before. */
  received(message: Uint8Array, isJoined: boolean): void {
    if (this.#isTold((tap) => tap.received(message, isJoined))) return
    const copy = message.slice()
    this.#keep((tap) => tap.received(copy, isJoined), copy.length)
  }

  /** A clock of the run has decided something. */
  clock(): void {
    this.#tap?.clock()
  }

  end(): void {
    const tell = (tap: StreamTap) => tap.end()
    if (!this.#isTold(tell)) this.#keep(tell, 0)
  }

  /** `taken`: how many messages had reached the service; undefined if there was no stream. */
  error(failure: Error, taken?: number): void {
    const tell = (tap: StreamTap) => tap.error(failure, taken)
    if (!this.#isTold(tell)) this.#keep(tell, 0)
  }

  /** False between two turns. */
  #isTold(tell: Tell): boolean {
    if (this.#tap?.isOver) {
      this.#turn = undefined
      this.#tap = undefined
      this.#between = []
    }
    if (this.#tap) tell(this.#tap)
    return this.#between === undefined
  }

  #keep(tell: Tell, bytes: number): void {
    const between = this.#between ?? []
    // After the first message that does not fit, none is kept: a tape has no holes.
    this.#isLeftOut ||= between.length >= mostBetween || this.#bytesBetween + bytes > mostBytesBetween
    if (this.#isLeftOut) return
    this.#bytesBetween += bytes
    between.push(tell)
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
    this.#recorder.sent(message)
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
      for (const [at, message] of messages?.entries() ?? []) this.#recorder.received(message, at > 0)
      if (messages === null) this.#recorder.end()
      return messages
    } catch (error) {
      this.#recorder.error(GatewayError.from(error), this.#stream.taken)
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
