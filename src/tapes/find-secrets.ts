// Finds and masks secrets on a tape: in single texts, in text that arrived in pieces, and in names. The filler has the same length.

import { looksSecret, type SecretFinder } from '../base/secrets/find.ts'
import { isSecretValue } from '../base/secrets/named-values.ts'
import { isSecretHeader, isSecretName } from '../base/secrets/names.ts'
import { fillerOf, isTakenOut } from '../base/secrets/taken-out.ts'
import { finish, type Steps } from '../base/slices.ts'
import { eventChains, messageChains } from './delta-chains.ts'
import type { Frame } from './frame.ts'
import type { ReadTape } from './read.ts'
import { SecretPlaces } from './secret-place.ts'
import { type Chain, chainOf, joined, type Slot, slotsOf, type TapeSlots } from './text-slots.ts'

export interface Finding {
  /** The line in the file. */
  line: number
  /** A description, never the secret itself. */
  what: string
}

type TextFinder = Pick<SecretFinder, 'findSteps'>

type MaskedTape = Omit<ReadTape, 'turn'>

interface PlacedFinding extends Finding {
  /** The frame, and the path of the value in it. */
  place: string
}

/** Sorted by line; each place once. */
export function findSecrets(tape: MaskedTape): PlacedFinding[] {
  const places = new SecretPlaces(tape)
  const starts = finish(spotsOf(tape, looksSecret))
    .map(({ what, chain, from }) => ({ what, at: chain.at(from) }))
    .sort((one, other) => one.at.slot.line - other.at.slot.line || one.at.index - other.at.index)
  const found = new Map<string, PlacedFinding>()
  for (const { what, at } of starts) {
    const place = places.words(at)
    found.set(`${at.slot.line} ${what} ${place}`, { line: at.slot.line, place, what })
  }
  return [...found.values()]
}

function findingsOf(spots: readonly Spot[]): Finding[] {
  const found = new Map<string, Finding>()
  for (const { what, chain, from } of spots) {
    const { line } = chain.at(from).slot
    found.set(`${line} ${what}`, { line, what })
  }
  return [...found.values()].sort((one, other) => one.line - other.line)
}

/** A copy with filler in place of secrets. */
export const withoutSecrets = <Tape extends MaskedTape>(tape: Tape): Tape => maskSecrets(tape).tape

interface Masked<Tape> {
  tape: Tape
  found: Finding[]
}

export const maskSecrets = <Tape extends MaskedTape>(
  tape: Tape,
  finder: TextFinder = looksSecret,
): Masked<Tape> => finish(maskSteps(tape, finder))

/** The same in steps, because a tape may be long. */
export function* maskSteps<Tape extends MaskedTape>(tape: Tape, finder: TextFinder): Steps<Masked<Tape>> {
  const frames: Frame[] = []
  for (const frame of tape.frames) {
    frames.push(copyOf(frame))
    yield
  }
  const copy = { ...tape, head: copyOf(tape.head), frames }
  // Find all before filling any: half of a secret in one piece may look like a whole one.
  const spots = yield* spotsOf(copy, finder)
  yield* fillIn(spots)
  return { tape: copy, found: findingsOf(spots) }
}

/** Copies objects and lists; strings are shared. */
function copyOf<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(copyOf) as Value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, copyOf(one)])) as Value
}

const inWord = /[\w.~+/=%\\-]/

interface Spot {
  what: string
  chain: Chain
  from: number
  to: number
}

/** Searches single texts first, then joined ones: where findings overlap, the longer ones come later. */
function* spotsOf(tape: MaskedTape, finder: TextFinder): Steps<Spot[]> {
  const spots: Spot[] = []
  const { all, wires } = yield* slotsOf(tape)
  const whole = yield* apartSlots(wires)
  for (const slot of all) {
    yield
    if (whole.has(slot)) continue
    const chain = chainOf(slot)
    const what = isSecretByName(slot, chain.text)
    if (what === undefined) yield* search(chain, finder, spots)
    else spots.push({ what, chain, from: 0, to: chain.text.length })
  }
  for (const { isRun, slots } of wires) {
    const stream = isRun ? undefined : yield* joined(slots)
    if (stream) yield* search(stream, finder, spots)
    for (const chain of yield* stream ? eventChains(stream) : messageChains(slots))
      yield* search(chain, finder, spots)
  }
  return spots
}

/** Pieces of streams that the search of the joined stream covers. */
function* apartSlots(wires: TapeSlots['wires']): Steps<ReadonlySet<Slot>> {
  const apart = new Set<Slot>()
  for (const { isRun, slots } of wires) {
    if (isRun) continue
    for (const [at, slot] of slots.entries()) {
      if (isApart(slot, at, slots)) apart.add(slot)
      yield
    }
  }
  return apart
}

/** No word of the piece continues in its neighbours, so the search of the joined stream finds everything in it. */
function isApart(slot: Slot, at: number, slots: readonly Slot[]): boolean {
  const text = slot.read()
  const before = slots[at - 1]?.read() ?? ''
  const after = slots[at + 1]?.read() ?? ''
  const isWithin = (one: string, other: string) =>
    inWord.test(one.at(-1) ?? '') && inWord.test(other[0] ?? '')
  return text !== '' && !isWithin(before, text) && !isWithin(text, after)
}

function isSecretByName({ name, isHeader }: Slot, text: string): string | undefined {
  if (name === undefined || isTakenOut(text)) return undefined
  if (isHeader) return isSecretHeader(name) ? `a value of the header "${name.toLowerCase()}"` : undefined
  return isSecretName(name) && isSecretValue(text) ? `a value called "${name}"` : undefined
}

function* search(chain: Chain, finder: TextFinder, spots: Spot[]): Steps<void> {
  for (const { what, start, end } of yield* finder.findSteps(chain.text))
    spots.push({ what, chain, from: start, to: end })
}

/** Writes each slot once, names after values. */
function* fillIn(spots: readonly Spot[]): Steps<void> {
  const changed = new Map<Slot, Uint16Array>()
  for (const { chain, from, to } of spots) {
    yield
    const filler = fillerOf(to - from)
    for (let index = from; index < to; index++) {
      const place = chain.at(index)
      const codes = changed.get(place.slot) ?? codesOf(place.slot.read())
      changed.set(place.slot, codes)
      codes[place.index] = filler.charCodeAt(index - from)
    }
  }
  const slots = [...changed.keys()]
  for (const slot of [...slots.filter((one) => !one.isName), ...slots.filter((one) => one.isName)]) {
    yield
    const codes = changed.get(slot) as Uint16Array
    slot.write(Buffer.from(codes.buffer, 0, codes.byteLength).toString('utf16le'))
  }
}

function codesOf(text: string): Uint16Array {
  const codes = new Uint16Array(text.length)
  for (let at = 0; at < text.length; at++) codes[at] = text.charCodeAt(at)
  return codes
}
