// Who watches turns: the inspector, the recorder. Where nobody does, there is no watch, and a turn costs nothing more.

import type { Tape } from './tape.ts'

export interface TurnBeginning {
  turnId: string
  door: string
  model: string
  stream: boolean
  key: string
  client: string | undefined
  createdAt: number
  /** The client asked for a tape of this turn, and may. */
  record: boolean
}

export interface Watch {
  /** The tape of a turn that begins; undefined where nobody is interested in it. */
  begin(turn: TurnBeginning): Tape | undefined
}

/** What the inspector keeps and shows: the newest turns, bounded in number and bytes. */
export interface TapeShelf {
  /** Newest first. */
  list(): readonly Tape[]
  find(turnId: string): Tape | undefined
  /** Called after each change of any tape; gives the way to stop listening. */
  onChange(listener: (tape: Tape) => void): () => void
}
