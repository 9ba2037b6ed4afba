// What records turns: a `TapeSource` (the recorder, the inspector) hands out a `TurnTape` for each turn, and the turn reports to it
// everything that crosses its wires. A gateway without a tape source pays nothing for tapes.

import type { TurnEvent } from '../core/events.ts'
import type { Framing } from '../core/fast-path.ts'
import type { FrameBody } from './frame.ts'

export const recordHeader = 'x-dragoman-record'
export const recordingIsOff =
  'x-dragoman-record was ignored: nothing is recorded here ("tapes.record": "asked" allows it)'

export interface TurnBeginning {
  turnId: string
  /** The client asked for a tape of this turn, and its key allows that. */
  asked: boolean
  /** A user of the inspector has sent the request again, and waits for this turn. */
  isResent?: boolean
}

/** The record of one turn. */
export interface TurnTape {
  readonly turn: string
  /** The last frame has been added. */
  readonly isOver: boolean
  add(frame: FrameBody): void
  /**
   * Bytes from upstream. Everything reported until `onReadDone` follows from them and gets the same time. `isJoined`: the reader takes
   * them together with the bytes before.
   */
  onUpstreamData(exchange: number, bytes: Uint8Array, isJoined?: boolean): void
  onReadDone(): void
  /** Text written to the client. */
  onClientWrite(text: string): void
  /** The events that the answer consists of; they make the timeline. */
  see(events: readonly TurnEvent[]): void
  /**
   * A text delta on the fast path (core/fast-path.ts): one call for `onUpstreamData`, `see` and `onClientWrite`. `sent` is the
   * framing of the written text, or the written text itself where the framing is not constant.
   */
  onTextDelta(text: string, received: Framing, sent: Framing | string, at: number): void
  /** The turn continues the run of this earlier turn. */
  continues(turn: string): void
  /** Part of the turn is missing from the tape. */
  markIncomplete(): void
}

export interface TapeSource {
  /** Starts the tape of a turn; undefined if this turn is not recorded. */
  begin(turn: TurnBeginning): TurnTape | undefined
}

/** One source for several: each keeps its own tape of a turn. */
export function combineTapes(sources: readonly TapeSource[]): TapeSource | undefined {
  if (sources.length < 2) return sources[0]
  return {
    begin(turn) {
      const tapes = sources.flatMap((source) => source.begin(turn) ?? [])
      return tapes.length < 2 ? tapes[0] : new CombinedTape(turn.turnId, tapes)
    },
  }
}

class CombinedTape implements TurnTape {
  readonly turn: string
  readonly #tapes: readonly TurnTape[]

  constructor(turn: string, tapes: readonly TurnTape[]) {
    this.turn = turn
    this.#tapes = tapes
  }

  get isOver(): boolean {
    return this.#tapes.every((tape) => tape.isOver)
  }

  add(frame: FrameBody): void {
    for (const tape of this.#tapes) tape.add(frame)
  }

  onUpstreamData(exchange: number, bytes: Uint8Array, isJoined = false): void {
    for (const tape of this.#tapes) tape.onUpstreamData(exchange, bytes, isJoined)
  }

  onReadDone(): void {
    for (const tape of this.#tapes) tape.onReadDone()
  }

  onClientWrite(text: string): void {
    for (const tape of this.#tapes) tape.onClientWrite(text)
  }

  see(events: readonly TurnEvent[]): void {
    for (const tape of this.#tapes) tape.see(events)
  }

  onTextDelta(text: string, received: Framing, sent: Framing | string, at: number): void {
    for (const tape of this.#tapes) tape.onTextDelta(text, received, sent, at)
  }

  continues(turn: string): void {
    for (const tape of this.#tapes) tape.continues(turn)
  }

  markIncomplete(): void {
    for (const tape of this.#tapes) tape.markIncomplete()
  }
}
