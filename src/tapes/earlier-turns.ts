// The earlier turns that a turn depends on: a replay needs their tapes too.

import { dirname } from 'node:path'
import { isObject, parseJson } from '../base/json.ts'
import { responseId } from '../protocols/openai-responses/response-out.ts'
import { findTurn } from './folder.ts'
import type { Frame, TapeHead } from './frame.ts'
import { type ReadTape, TapeError, type TapeFile } from './read.ts'

/**
 * The tapes with those that they depend on, dependencies first. `turn` selects one tape of the file; without it, all are included.
 */
export function withEarlier(
  { path, tapes }: TapeFile,
  turn?: string,
  { missing = 'refused' }: { missing?: 'refused' | 'left out' } = {},
): ReadTape[] {
  const chain = turn === undefined ? [...tapes] : tapes.filter((tape) => tape.turn === turn)
  const known = new Set(chain.map((tape) => tape.turn))
  const inFile = firstByTurn(tapes)
  // An inserted tape takes this index and is examined next.
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
        `${chain[at]?.turn} continues ${wanted}, whose tape is neither in the file nor in its folder`,
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

/** Turns that these tapes depend on and that are not among them. */
export function missingFrom(tapes: readonly ReadTape[]): string[] {
  const known = new Set(tapes.map(({ turn }) => turn))
  return tapes.flatMap((tape) => {
    const before = earlierTurn(tape)
    return before === undefined || known.has(before) ? [] : [before]
  })
}

/** The turn that this one depends on: it continues that turn's run, or its request refers to that turn's answer. */
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
