// The tapes of turns that a turn goes on with, and its own: what is needed to replay it.

import { dirname } from 'node:path'
import { isObject, parseJson } from '../protocols/json.ts'
import { responseId } from '../protocols/openai-responses/response-out.ts'
import { findTurn } from './folder.ts'
import type { Frame, TapeHead } from './frame.ts'
import { type ReadTape, TapeError, type TapeFile } from './read.ts'

/** Each behind the one that it goes on with. `turn`: which one of the file, where it holds several; else all of them. */
export function withEarlier(
  { path, tapes }: TapeFile,
  turn?: string,
  { missing = 'refused' }: { missing?: 'refused' | 'left out' } = {},
): ReadTape[] {
  const chain = turn === undefined ? [...tapes] : tapes.filter((tape) => tape.turn === turn)
  const isMissing = (tape: ReadTape) => {
    const before = earlierTurn(tape)
    return before !== undefined && !chain.some(({ turn: known }) => known === before)
  }
  for (let at = chain.findIndex(isMissing); at !== -1; at = chain.findIndex(isMissing)) {
    const wanted = earlierTurn(chain[at] as ReadTape) ?? ''
    const beside = tapes.some((tape) => tape.turn === wanted) ? tapes : findTurn(wanted, dirname(path))?.tapes
    const before = beside?.find((tape) => tape.turn === wanted)
    if (!before && missing === 'left out') return chain
    if (!before)
      throw new TapeError(
        path,
        `${chain[at]?.turn} goes on with ${wanted}, whose tape is neither in the file nor beside it`,
      )
    chain.splice(at, 0, before)
  }
  return chain
}

/** The turns that would have to be played before these. */
export const missingFrom = (tapes: readonly ReadTape[]): string[] =>
  tapes.flatMap((tape) => {
    const before = earlierTurn(tape)
    return before === undefined || tapes.some(({ turn }) => turn === before) ? [] : [before]
  })

/** The turn that has to be played before: its run goes on, or its answer is referred to. */
export function earlierTurn({
  head,
  frames,
}: {
  head: TapeHead
  frames: readonly Frame[]
}): string | undefined {
  if (head.continues !== undefined) return head.continues
  const request = frames.find((frame) => frame.side === 'client' && frame.do === 'request')
  const body = request && 'body' in request ? parseJson(request.body) : undefined
  const before = isObject(body) ? body.previous_response_id : undefined
  return typeof before === 'string' && before.startsWith(responseId(''))
    ? before.replace(responseId(''), 'turn_')
    : undefined
}
