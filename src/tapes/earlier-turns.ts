// The earlier turns that a turn depends on: a replay needs their tapes too.

import { dirname } from 'node:path'
import { type Fields, isObject, parseJson } from '../base/json.ts'
import { answerOfItem } from '../protocols/openai-responses/items-out.ts'
import { notKept } from '../protocols/openai-responses/references-in.ts'
import { responseId } from '../protocols/openai-responses/response-out.ts'
import { findTurn } from './folder.ts'
import type { Frame, TapeHead } from './frame.ts'
import { type ReadTape, TapeError, type TapeFile } from './read.ts'
import { gatewayFrames } from './summary.ts'

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
  if (!isObject(body) || wasNotFound(frames)) return undefined
  const before = body.previous_response_id
  if (typeof before === 'string' && before.startsWith(responseId('')))
    return before.replace(responseId(''), 'turn_')
  const answer = referencesIn(body).flatMap((id) => answerOfItem(id) ?? [])[0]
  return answer === undefined ? undefined : `turn_${answer}`
}

/** The gateway did not know what the request refers to: it is another key's, was deleted, or is too old. Its tape may still be there. */
const wasNotFound = (frames: readonly Frame[]): boolean =>
  gatewayFrames(frames, 'finish').some(({ error }) => error?.message.includes(notKept) === true)

/** The ids of the items of earlier answers that a request names in place of their content. */
export function referencesIn({ input }: Fields): string[] {
  const items = Array.isArray(input) ? input.filter(isObject) : []
  return items.flatMap(({ type, id }) => (type === 'item_reference' && typeof id === 'string' ? [id] : []))
}
