// A conversation as the page receives it: results beside their calls, long texts cut to their beginning.

import type { TranscriptEntry, TranscriptPart, TranscriptResult } from '../transcript-api.ts'
import type { Placed } from './align.ts'
import { type Entry, type Part, partsIn, type Result } from './entry.ts'
import { endOf, requestIn, type TapedTurn } from './taped-turn.ts'

/** The beginning of a long text. */
export const longestText = 8 * 1024
/** An image up to this size comes with its content. */
const longestImage = 64 * 1024
/** All texts of a transcript; entries far from the chosen turn get less if there are many. */
const allTexts = 2 * 1024 * 1024
const shortestText = 200
/** Entries on each side of the chosen turn that keep their full beginnings. */
const nearby = 30

interface Shown {
  chosen: TapedTurn
  turns: readonly TapedTurn[]
  /** Removes secrets from the beginning of a longer text. */
  cut(text: string, length: number): string
}

export function showConversation(placed: readonly Placed[], shown: Shown): TranscriptEntry[] {
  const { chosen } = shown
  const lengthOf = textLengths(placed, chosen.turn)
  const calls = new OpenCalls(shown.turns)
  const own = placed.find(({ entry }) => entry.answerOf === chosen.turn)?.entry
  return placed.flatMap(({ entry, isOutside, isRewritten }, at): TranscriptEntry[] => {
    const view = (part: Part) => showPart(part, lengthOf(at), shown.cut)
    const alone = entry.results.flatMap((result) => calls.attach(result, entry, view) ?? [])
    if (entry.role === 'tool' && alone.length === 0) return []
    const parts = entry.parts.map(view)
    if (entry.role === 'assistant') calls.open(parts, entry.answerOf)
    const isChosen = entry === own
    return [
      {
        role: entry.role,
        parts,
        results: alone,
        ...(entry.answerOf === undefined ? {} : { turn: entry.answerOf }),
        ...(isOutside ? { isOutside } : {}),
        ...(isRewritten ? { isRewritten } : {}),
        ...(isChosen ? { isChosen, ...stateOf(chosen) } : {}),
      },
    ]
  })
}

function stateOf({ isOver, frames }: TapedTurn): Pick<TranscriptEntry, 'state'> {
  if (!isOver) return { state: 'running' }
  return frames.some(({ side, do: what }) => side === 'client' && what === 'gone') ? { state: 'gone' } : {}
}

/** How much of its texts each entry shows. */
function textLengths(placed: readonly Placed[], chosen: string): (at: number) => number {
  const middle = placed.findIndex(({ entry }) => entry.answerOf === chosen)
  const isNear = (at: number) => Math.abs(at - middle) <= nearby
  let far = 0
  let left = allTexts
  for (const [at, { entry }] of placed.entries())
    for (const { text } of partsIn(entry))
      if (isNear(at)) left -= Math.min(text.length, longestText)
      else far++
  const short = Math.min(longestText, Math.max(shortestText, Math.floor(left / Math.max(1, far))))
  return (at) => (isNear(at) ? longestText : short)
}

function showPart(part: Part, length: number, cut: Shown['cut']): TranscriptPart {
  const { text, ...facts } = part
  if (part.kind === 'image' || part.kind === 'file')
    return { ...facts, text: isInline(part) ? text : '', size: bytesOf(text) }
  return { ...facts, text: text.length > length ? cut(text, length) : text, size: text.length }
}

const isInline = ({ kind, text }: Part) => kind === 'image' && text.length <= longestImage

/** Of base64. */
const bytesOf = (text: string) =>
  Math.floor(((text.length - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0)) * 3) / 4)

interface OpenCall {
  part: TranscriptPart
  turn: string | undefined
}

/** Calls without a result so far. */
class OpenCalls {
  readonly #turns: readonly TapedTurn[]
  readonly #byId = new Map<string, OpenCall>()
  /** Of the last answer, in order: some clients drop the ids. */
  #last: OpenCall[] = []
  readonly #waits = new Map<string, number | undefined>()

  constructor(turns: readonly TapedTurn[]) {
    this.#turns = turns
  }

  open(parts: readonly TranscriptPart[], turn: string | undefined): void {
    this.#last = parts.filter(({ kind }) => kind === 'call').map((part) => ({ part, turn }))
    for (const call of this.#last) if (call.part.callId !== undefined) this.#byId.set(call.part.callId, call)
  }

  /** The result itself if it has no call. */
  attach(
    { callId, isError, parts }: Result,
    { results }: Entry,
    view: (part: Part) => TranscriptPart,
  ): TranscriptResult | undefined {
    const shown: TranscriptResult = { callId, isError, parts: parts.map(view) }
    const place = results.findIndex((one) => one.callId === callId)
    const sameNumber = results.length === this.#last.length
    const call = this.#byId.get(callId) ?? (sameNumber ? this.#last[place] : undefined)
    if (!call || call.part.result) return shown
    const milliseconds = this.#wait(call.turn, call.part.callId)
    call.part.result = milliseconds === undefined ? shown : { ...shown, milliseconds }
    return undefined
  }

  /** From the end of the turn with the call to the start of the first later turn that knows the call. */
  #wait(turn: string | undefined, callId: string | undefined): number | undefined {
    if (turn === undefined) return undefined
    const key = `${turn} ${callId}`
    if (!this.#waits.has(key)) this.#waits.set(key, waitAfter(this.#turns, turn, callId))
    return this.#waits.get(key)
  }
}

/** Turns that are looked at for a result. */
const mostLookedAt = 3

function waitAfter(
  turns: readonly TapedTurn[],
  turn: string,
  callId: string | undefined,
): number | undefined {
  const place = turns.findIndex((one) => one.turn === turn)
  const made = turns[place]
  const end = made && endOf(made)
  if (end === undefined) return undefined
  const next = turns.slice(place + 1).filter(({ startedAt }) => startedAt >= end - 1)
  const known = next
    .slice(0, mostLookedAt)
    .find((one) => callId === undefined || requestIn(one)?.body.includes(callId))
  return known && Math.max(0, Math.round(known.startedAt - end))
}
