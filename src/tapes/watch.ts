// Who watches turns: the inspector, the recorder. Where nobody does, there is no watch, and a turn costs nothing more.

import type { TurnEvent } from '../core/events.ts'
import type { PieceForm } from '../core/tap.ts'
import type { FrameBody } from './frame.ts'
import type { Tape } from './tape.ts'

export const recordHeader = 'x-dragoman-record'
export const recordingIsOff =
  'x-dragoman-record was ignored: nothing is recorded here ("tapes.record": "asked" allows it)'

export interface TurnBeginning {
  turnId: string
  /** The client asked for a tape of this turn, and may. */
  asked: boolean
}

/** What a turn tells of itself. */
export interface TurnTape {
  readonly turn: string
  /** Its last frame has come. */
  readonly isOver: boolean
  add(frame: FrameBody): void
  /** Bytes came from upstream. What is told until `answered` is because of them, and at the same time. */
  came(exchange: number, bytes: Uint8Array): void
  answered(): void
  /** The client is given text. */
  wrote(text: string): void
  /** The same answer, as what it means. */
  see(events: readonly TurnEvent[]): void
  /**
   * One more piece of the text that is open. It is all that came, in the form `from`, and is written in the form `to`: neither is told by
   * itself. Without `to`, what is written is.
   */
  seePiece(piece: string, from: PieceForm, to: PieceForm | undefined): void
  /** It goes on with the run of this earlier turn. */
  continues(turn: string): void
  /** Something of it is not on the tape. */
  leaveOut(): void
}

export interface Watch {
  /** The tape of a turn that begins; undefined where nobody is interested in it. */
  begin(turn: TurnBeginning): TurnTape | undefined
}

/** What the inspector keeps and shows: the newest turns, bounded in number and bytes. */
export interface TapeShelf {
  /** Newest first. */
  list(): readonly Tape[]
  find(turnId: string): Tape | undefined
  /** Called after each change of any tape; gives the way to stop listening. */
  onChange(listener: (tape: Tape) => void): () => void
}

/** Each of them has its own tape of a turn. */
export function watchAll(watches: readonly Watch[]): Watch | undefined {
  if (watches.length < 2) return watches[0]
  return {
    begin(turn) {
      const tapes = watches.flatMap((watch) => watch.begin(turn) ?? [])
      return tapes.length < 2 ? tapes[0] : new TapeCopies(turn.turnId, tapes)
    },
  }
}

class TapeCopies implements TurnTape {
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

  came(exchange: number, bytes: Uint8Array): void {
    for (const tape of this.#tapes) tape.came(exchange, bytes)
  }

  answered(): void {
    for (const tape of this.#tapes) tape.answered()
  }

  wrote(text: string): void {
    for (const tape of this.#tapes) tape.wrote(text)
  }

  see(events: readonly TurnEvent[]): void {
    for (const tape of this.#tapes) tape.see(events)
  }

  seePiece(piece: string, from: PieceForm, to: PieceForm | undefined): void {
    for (const tape of this.#tapes) tape.seePiece(piece, from, to)
  }

  continues(turn: string): void {
    for (const tape of this.#tapes) tape.continues(turn)
  }

  leaveOut(): void {
    for (const tape of this.#tapes) tape.leaveOut()
  }
}
