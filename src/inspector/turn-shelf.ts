// Where the inspector's turns are: in memory (shelf.ts), or in tape files (tape-folder.ts).

import type { Tape } from '../tapes/tape.ts'
import type { Pinning } from './pins.ts'

/** The members of a tape that readers use. Every shelf has them. */
export type KeptTape = Pick<
  Tape,
  'turn' | 'head' | 'frames' | 'segments' | 'isOver' | 'isCut' | 'bytes' | 'elapsed'
>

/** A tape, and the start of its turn. */
export interface Kept {
  readonly tape: KeptTape
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** The turn stays when newer turns need the memory. */
  readonly isPinned?: boolean
  /** What a reader of the list should know of the tape. */
  readonly remark?: string | undefined
}

export interface TurnShelf {
  /** Oldest first. */
  all(): Kept[]
  get(turnId: string): Kept | undefined
  /** The returned function ends the listening. */
  onChange(listener: (tape: Pick<KeptTape, 'turn'>) => void): () => void
  onDrop(listener: (turnId: string) => void): () => void
}

/** A shelf that drops turns: pinned ones stay. */
export interface KeepingShelf extends TurnShelf {
  /** Throws if there would be too many pinned turns, or too large ones. */
  pin(turnId: string, pinning: Pinning): void
  unpin(turnId: string): void
  /** Removes turns that are over. */
  remove(turnIds: readonly string[]): void
}
