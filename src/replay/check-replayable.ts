// Checks whether the current code can replay a tape, and says why not.

import { type ReadTape, TapeError } from '../tapes/read.ts'
import { replayProblem } from '../tapes/replayable.ts'

/** Throws a TapeError. */
export function checkReplayable({ head, turn, frames }: ReadTape, path: string): void {
  const problem = isTurnId(turn) ? replayProblem(frames, head.cut) : 'its turn id is invalid'
  if (problem !== undefined) throw new TapeError(path, `${turn} cannot be replayed: ${problem}`)
}

/** The id is sent as a header. */
const isTurnId = (turn: string) => /^[\w-]{1,100}$/.test(turn)
