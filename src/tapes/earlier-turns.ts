// The tapes of turns that a turn goes on with, and its own: what is needed to replay it.

import { dirname } from 'node:path'
import { isObject, parseJson } from '../base/json.ts'
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
  const known = new Set(chain.map((tape) => tape.turn))
  const inFile = firstByTurn(tapes)
  // What is inserted comes to stand at the same place, and is looked at next.
  for (let at = 0; at < chain.length; ) {
    const wanted = earlierTurn(chain[at] as ReadTape)
    if (wanted === undefined || known.has(wanted)) {
      at++
      continue
    }
    const before =
      inFile.get(wanted) ?? findTurn(wanted, dirname(path))?.tapes.find((tape) => tape.turn === wanted)
    if (!before && missing === 'left out') return chain
    if (!before)
      throw new TapeError(
        path,
        `${chain[at]?.turn} goes on with ${wanted}, whose tape is neither in the file nor beside it`,
      )
    known.add(wanted)
    chain.splice(at, 0, before)
  }
  return chain
}

function firstByTurn(tapes: readonly ReadTape[]): Map<string, ReadTape> {
  const first = new Map<string, ReadTape>()
  for (const tape of tapes) if (!first.has(tape.turn)) first.set(tape.turn, tape)
  return first
}

/** The turns that would have to be played before these. */
export function missingFrom(tapes: readonly ReadTape[]): string[] {
  const known = new Set(tapes.map(({ turn }) => turn))
  return tapes.flatMap((tape) => {
    const before = earlierTurn(tape)
    return before === undefined || known.has(before) ? [] : [before]
  })
}

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
