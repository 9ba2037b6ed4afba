// The whole conversation around a turn: the history in its request, its answer, and what later turns add. What its request does not
// contain comes from the earlier turns that are kept.

import type { Steps } from '../../base/slices.ts'
import { addedBy, findAnswers, type Placed, withEarlier } from './align.ts'
import { type Entry, keysOf, PartNumbers } from './entry.ts'
import { readAnswer } from './read-answer.ts'
import type { ReadRequest } from './read-request.ts'
import type { TapedTurn } from './taped-turn.ts'

export interface Conversation {
  entries: Placed[]
  /** The request continues messages that are not kept. */
  isPartial: boolean
  /** Why no door reads the request. */
  problem?: string | undefined
  /** Turns whose content is not shown: too many begin anew. */
  leftOut: number
}

interface Source {
  /** The kept turns of the conversation, oldest first. */
  turns: readonly TapedTurn[]
  /** May know them from before. */
  request(tape: TapedTurn): ReadRequest
  answer(tape: TapedTurn): Steps<Entry>
}

/** Requests that are read beside the turn's own; each stands for all turns whose answers it contains. */
const mostRequests = 6

export function* buildConversation(chosen: TapedTurn, source: Source): Steps<Conversation> {
  const answers = new Map<string, Entry>()
  for (const tape of source.turns) answers.set(tape.turn, yield* source.answer(tape))
  const own = answers.get(chosen.turn) ?? (yield* source.answer(chosen))
  const place = source.turns.findIndex(({ turn }) => turn === chosen.turn)
  const before = place < 0 ? [] : source.turns.slice(0, place)
  const after = place < 0 ? [] : source.turns.slice(place + 1)

  const { entries, isPartial, problem } = source.request(chosen)
  yield
  const { history, found } = findAnswers(entries, only(answers, before))
  const outside = before.filter(({ turn }) => !found.has(turn))
  const missing = yield* standIns(outside, answers, source)
  const earlier: Entry[] = []
  for (const { request, answer } of missing.found) {
    for (const { entry } of addedBy(request, earlier)) earlier.push(entry)
    earlier.push(answer)
  }
  const placed = [...withEarlier(earlier, history), { entry: own }]
  const later = yield* standIns(after, answers, source)
  for (const { request, answer } of later.found) {
    const known = placed.map(({ entry }) => entry)
    placed.push(...addedBy(request, known), { entry: answer })
    yield
  }
  return { entries: placed, isPartial, problem, leftOut: missing.leftOut + later.leftOut }
}

const only = (answers: ReadonlyMap<string, Entry>, turns: readonly TapedTurn[]) =>
  new Map(turns.flatMap(({ turn }) => (answers.has(turn) ? [[turn, answers.get(turn) as Entry]] : [])))

export function* answerOf(tape: TapedTurn): Steps<Entry> {
  const numbers = new PartNumbers(tape.turn, 'answer')
  const parts = (yield* readAnswer(tape.frames)).map((part) => numbers.place(part))
  return { role: 'assistant', keys: keysOf('assistant', parts, []), parts, results: [], answerOf: tape.turn }
}

interface StandIns {
  /** Oldest first. */
  found: { request: Entry[]; answer: Entry }[]
  leftOut: number
}

/** The last turn stands for all whose answers are in its request; of those that are not, the last again. */
function* standIns(
  turns: readonly TapedTurn[],
  answers: ReadonlyMap<string, Entry>,
  source: Pick<Source, 'request'>,
): Steps<StandIns> {
  const found: StandIns['found'] = []
  let left = turns
  while (left.length > 0 && found.length < mostRequests) {
    const last = left.at(-1) as TapedTurn
    const { entries } = source.request(last)
    yield
    left = left.slice(0, -1)
    const { history, found: contained } = findAnswers(entries, only(answers, left))
    left = left.filter(({ turn }) => !contained.has(turn))
    found.unshift({ request: history, answer: answers.get(last.turn) as Entry })
  }
  return { found, leftOut: left.length }
}
