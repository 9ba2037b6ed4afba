// The transcripts of kept turns. What was read is remembered for a while: the turns of a conversation repeat each other, and a running
// one is read again and again.

import { BoundedMap } from '../../base/bounded-map.ts'
import { inSlices, type Steps } from '../../base/slices.ts'
import type { Scrubber } from '../../observe/scrub.ts'
import type { Transcript } from '../transcript-api.ts'
import { answerOf, buildConversation } from './conversation.ts'
import { type Entry, type Part, partsIn } from './entry.ts'
import { type ReadRequest, readRequest } from './read-request.ts'
import { showConversation } from './show.ts'
import { requestIn, type TapedTurn } from './taped-turn.ts'

type Content = Pick<Transcript, 'notes' | 'frames' | 'entries' | 'isPartial' | 'problem' | 'leftOut'>

const remembered = { maxEntries: 300, maxBytes: 32 * 1024 * 1024, ttlMs: 60_000 }
/** A longer conversation is shown with those that are nearest to the turn. */
const mostTurns = 200
/** A secret at the cut must be seen whole to be recognized. */
const behindCut = 4 * 1024

export class Transcripts {
  readonly #scrubber: Scrubber
  readonly #requests = new BoundedMap<string, ReadRequest>(remembered)
  readonly #answers = new BoundedMap<string, Entry>(remembered)

  constructor(scrubber: Scrubber) {
    this.#scrubber = scrubber
  }

  /** `turns`: the kept ones of the conversation, oldest first. `find`: any turn that the viewer may see. */
  async of(
    chosen: TapedTurn,
    turns: readonly TapedTurn[],
    find: (turn: string) => TapedTurn | undefined,
  ): Promise<Content> {
    const near = nearest(turns, chosen)
    const source = {
      turns: near,
      request: (tape: TapedTurn) => this.#request(tape, find),
      answer: (tape: TapedTurn) => this.#answer(tape),
    }
    const { entries, ...rest } = await inSlices(buildConversation(chosen, source))
    const { frames } = chosen
    const client = frames.filter(({ side }) => side === 'client').length
    return {
      ...rest,
      leftOut: rest.leftOut + turns.length - near.length,
      notes: frames.flatMap((frame) => (frame.side === 'gateway' && frame.do === 'note' ? [frame.text] : [])),
      frames: { client, others: frames.length - client },
      entries: showConversation(entries, {
        chosen,
        turns: near,
        cut: (text, length) =>
          this.#scrubber.scrubBeginning(text.slice(0, length + behindCut)).slice(0, length),
      }),
    }
  }

  /** With its secrets. */
  async part(
    tape: TapedTurn,
    number: number,
    find: (turn: string) => TapedTurn | undefined,
  ): Promise<Part | undefined> {
    const isOfAnswer = number % 2 === 0
    const entries = isOfAnswer ? [await inSlices(this.#answer(tape))] : this.#request(tape, find).entries
    return entries.flatMap(partsIn).find((part) => part.number === number)
  }

  #request(tape: TapedTurn, find: (turn: string) => TapedTurn | undefined): ReadRequest {
    const known = this.#requests.get(tape.turn)
    if (known) return known
    const read = readRequest(tape, find)
    this.#requests.set(tape.turn, read, 2 * (requestIn(tape)?.body.length ?? 0))
    return read
  }

  *#answer(tape: TapedTurn): Steps<Entry> {
    const known = this.#answers.get(tape.turn)
    if (known) return known
    const read = yield* answerOf(tape)
    const length = read.parts.reduce((sum, { text }) => sum + text.length, 0)
    if (tape.isOver) this.#answers.set(tape.turn, read, 2 * length)
    return read
  }
}

function nearest(turns: readonly TapedTurn[], { turn }: TapedTurn): readonly TapedTurn[] {
  const place = turns.findIndex((one) => one.turn === turn)
  const from = Math.max(0, Math.min(place - mostTurns / 2, turns.length - mostTurns))
  return turns.slice(from, from + mostTurns)
}
