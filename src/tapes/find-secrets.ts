// What looks like a secret on a tape: typed in by hand, said by a model, or left by another program. Recorders take out the
// secrets that they know, by value; this is for the rest.

import { eventChains, messageChains } from './delta-chains.ts'
import type { ReadTape } from './read.ts'
import { fillerOf, isTakenOut, secretHeaders, secretPatterns } from './secret-patterns.ts'
import { type Chain, chainOf, frameSlot, joined, type Slot, slotsOf } from './slots.ts'

export interface Finding {
  /** Of the file. */
  line: number
  /** Never the secret itself. */
  what: string
}

/** In order of their lines. */
export const findSecrets = (tape: ReadTape): Finding[] => findingsOf(spotsOf(tape))

function findingsOf(spots: Iterable<Spot>): Finding[] {
  const found = new Map<string, Finding>()
  for (const { what, chain, from } of spots) {
    const { line } = chain.at(from).slot
    found.set(`${line} ${what}`, { line, what })
  }
  return [...found.values()].sort((one, other) => one.line - other.line)
}

/** A copy with filler in their places. */
export const withoutSecrets = (tape: ReadTape): ReadTape => maskSecrets(tape).tape

export function maskSecrets(tape: ReadTape): { tape: ReadTape; found: Finding[] } {
  const copy = structuredClone(tape)
  // All are found before any is filled in: the half of a secret that is in one piece may look like a whole one.
  const spots = [...spotsOf(copy)]
  for (const spot of spots) fill(spot)
  return { tape: copy, found: findingsOf(spots) }
}

interface Spot {
  what: string
  chain: Chain
  from: number
  to: number
}

/** In single texts, then in what belongs together: where they overlap, the longer ones come later. */
function* spotsOf(tape: ReadTape): Generator<Spot> {
  for (const slot of slotsOf(tape)) {
    const chain = chainOf(slot)
    if (slot.header === undefined || !secretHeaders.has(slot.header)) yield* search(chain)
    else if (!isTakenOut(chain.text))
      yield { what: `a value of the header "${slot.header}"`, chain, from: 0, to: chain.text.length }
  }
  for (const { isRun, slots } of streamsOf(tape)) {
    if (!isRun) yield* search(joined(slots))
    for (const chain of isRun ? messageChains(slots) : eventChains(joined(slots))) yield* search(chain)
  }
}

function* search(chain: Chain): Generator<Spot> {
  for (const { what, pattern } of secretPatterns)
    for (const { 0: secret, index } of chain.text.matchAll(pattern))
      if (!isTakenOut(secret)) yield { what, chain, from: index, to: index + secret.length }
}

interface Stream {
  isRun: boolean
  slots: Slot[]
}

/** What was written one behind the other on the same wire. */
function streamsOf({ frames, lines }: ReadTape): Iterable<Stream> {
  const streams = new Map<string, Stream>()
  for (const [at, frame] of frames.entries()) {
    const isPiece =
      frame.do === 'write' || frame.do === 'data' || (frame.side === 'run' && frame.do === 'received')
    const slot = isPiece ? frameSlot(frame, lines[at] ?? 0) : undefined
    if (!slot) continue
    const key = `${frame.side} ${'exchange' in frame ? frame.exchange : ''}`
    const stream = streams.get(key) ?? { isRun: frame.side === 'run', slots: [] }
    streams.set(key, stream)
    stream.slots.push(slot)
  }
  return streams.values()
}

function fill({ chain, from, to }: Spot): void {
  const filler = fillerOf(to - from)
  let index = from
  while (index < to) {
    const start = chain.at(index)
    let length = 1
    while (index + length < to && isNext(chain.at(index + length), start, length)) length++
    const text = start.slot.read()
    const piece = filler.slice(index - from, index - from + length)
    start.slot.write(text.slice(0, start.index) + piece + text.slice(start.index + length))
    index += length
  }
}

type Place = ReturnType<Chain['at']>

const isNext = (place: Place, start: Place, length: number) =>
  place.slot === start.slot && place.index === start.index + length
