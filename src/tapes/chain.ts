// The tapes that a tape goes on with, and itself: what is needed to replay it.

import { dirname } from 'node:path'
import { findTurn } from './folder.ts'
import { type ReadTape, TapeError, type TapeFile } from './read.ts'

/** Each behind the one that it goes on with. `turn`: which one of the file, where it holds several; else all of them. */
export function withEarlier(
  { path, tapes }: TapeFile,
  turn?: string,
  { missing = 'refused' }: { missing?: 'refused' | 'left out' } = {},
): ReadTape[] {
  const chain = turn === undefined ? [...tapes] : tapes.filter((tape) => tape.turn === turn)
  const isMissing = ({ head: { continues } }: ReadTape) =>
    continues !== undefined && !chain.some((tape) => tape.turn === continues)
  for (let at = chain.findIndex(isMissing); at !== -1; at = chain.findIndex(isMissing)) {
    const wanted = chain[at]?.head.continues ?? ''
    const beside = tapes.some((tape) => tape.turn === wanted) ? tapes : findTurn(wanted, dirname(path))?.tapes
    const before = beside?.find((tape) => tape.turn === wanted)
    if (!before && missing === 'left out') return chain
    if (!before)
      throw new TapeError(
        path,
        `${chain[at]?.turn} goes on with the run of ${wanted}, whose tape is neither in the file nor beside it`,
      )
    chain.splice(at, 0, before)
  }
  return chain
}
