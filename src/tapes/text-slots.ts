// The texts of a tape as slots that can be read and written, and chains: texts that span several slots.

import type { Steps } from '../base/slices.ts'
import type { Frame } from './frame.ts'
import type { ReadTape } from './read.ts'

export interface Slot {
  /** The line in the file. */
  line: number
  /** The name of a value. */
  name?: string
  /** The slot is the value of a header. */
  isHeader?: boolean
  /** The slot is a name. Names are written after all values. */
  isName?: boolean
  /** The slot is the body of a request, or a piece of a stream. */
  isContent?: boolean
  /** Of the value inside its frame, such as `headers.x-trace`. */
  readonly path: string
  read(): string
  write(text: string): void
}

/** A text that spans slots. `at(n)` is the place of its nth character. */
export interface Chain {
  text: string
  at(index: number): Place
}

export interface Place {
  slot: Slot
  index: number
}

class SlotChain implements Chain {
  readonly text: string
  readonly #slot: Slot

  constructor(slot: Slot) {
    this.#slot = slot
    this.text = slot.read()
  }

  at(index: number): Place {
    return { slot: this.#slot, index }
  }
}

export const chainOf = (slot: Slot): Chain => new SlotChain(slot)

/** A part of a chain: where it starts, and its place in a slot. */
interface Piece {
  start: number
  place: Place
}

/** Joins pieces in order. */
export class ChainBuilder {
  readonly #texts: string[] = []
  readonly #pieces: Piece[] = []
  #length = 0

  add(text: string, place: Place): void {
    if (text === '') return
    this.#texts.push(text)
    this.#pieces.push({ start: this.#length, place })
    this.#length += text.length
  }

  build(): Chain {
    return { text: this.#texts.join(''), at: (index) => this.#at(index) }
  }

  #at(index: number): Place {
    let low = 0
    let high = this.#pieces.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#pieces[middle] as Piece).start <= index) low = middle
      else high = middle - 1
    }
    const { start, place } = this.#pieces[low] as Piece
    return { slot: place.slot, index: place.index + index - start }
  }
}

/** The joined text of the slots. */
export function* joined(slots: readonly Slot[]): Steps<Chain> {
  const builder = new ChainBuilder()
  for (const slot of slots) {
    builder.add(slot.read(), { slot, index: 0 })
    yield
  }
  return builder.build()
}

/** Slots that were written in sequence in the same direction. */
export interface Wire {
  isRun: boolean
  slots: Slot[]
}

export interface TapeSlots {
  all: Slot[]
  wires: Wire[]
}

type Holder = Record<string, unknown>

/** All texts of a tape. Base64 is read as one character per byte, and so are texts on a wire that also carries base64. */
export function* slotsOf({ head, line, frames, lines }: Omit<ReadTape, 'turn'>): Steps<TapeSlots> {
  const mixed = new Set(frames.flatMap((frame) => ('base64' in frame ? [wireOf(frame)] : [])))
  const all: Slot[] = []
  addSlots(head as unknown as Holder, { line }, all)
  const wires = new Map<string, Wire>()
  for (const [at, frame] of frames.entries()) {
    yield
    const wire = wireOf(frame)
    const isBytes = wire !== undefined && mixed.has(wire)
    const first = all.length
    addSlots(frame as unknown as Holder, { line: lines[at] ?? line, isBytes }, all)
    if (wire === undefined) continue
    const content = all.slice(first).find((slot) => !slot.isName && contentNames.has(slot.name ?? ''))
    if (content === undefined) continue
    const known = wires.get(wire) ?? { isRun: frame.side === 'run', slots: [] }
    wires.set(wire, known)
    known.slots.push(content)
  }
  return { all, wires: [...wires.values()] }
}

const contentNames: ReadonlySet<string> = new Set(['text', 'base64'])

function wireOf(frame: Frame): string | undefined {
  const isPiece =
    frame.do === 'write' || frame.do === 'data' || (frame.side === 'run' && frame.do === 'received')
  return isPiece ? `${frame.side} ${'exchange' in frame ? frame.exchange : ''}` : undefined
}

interface Where {
  line: number
  parent?: string
  /** The place of the parent. */
  above?: Where
  isBytes?: boolean
}

/** Shorter names are no secrets. */
const shortestName = 8

function addSlots(holder: Holder, where: Where, slots: Slot[]): void {
  for (const [name, value] of Object.entries(holder)) {
    if (name.length >= shortestName) slots.push(new NameSlot(holder, name, where))
    if (typeof value === 'string') slots.push(new ValueSlot(holder, name, where))
    else if (typeof value === 'object' && value !== null)
      addSlots(value as Holder, { line: where.line, parent: name, above: where }, slots)
  }
}

/** Lists have numbers as names. */
function pathOf({ parent, above }: Where, name?: string): string {
  const names = name === undefined ? [] : [name]
  for (
    let at: string | undefined = parent, next = above;
    at !== undefined;
    at = next?.parent, next = next?.above
  )
    names.unshift(at)
  return names.join('.')
}

/** Where a frame holds JSON or a piece of a stream. */
const bodyNames: ReadonlySet<string> = new Set(['body', 'text'])

type Spelling = 'text' | 'base64' | 'utf8'

class ValueSlot implements Slot {
  readonly line: number
  readonly name: string
  readonly isHeader: boolean
  readonly isContent: boolean
  readonly #where: Where
  readonly #holder: Holder
  readonly #spelling: Spelling
  #known: string | undefined

  constructor(holder: Holder, name: string, where: Where) {
    const { line, parent, isBytes = false } = where
    this.line = line
    this.#where = where
    this.name = name
    this.isHeader = parent === 'headers'
    this.isContent = parent === undefined && bodyNames.has(name)
    this.#holder = holder
    this.#spelling = 'text'
    if (parent === undefined && name === 'base64') this.#spelling = 'base64'
    if (parent === undefined && name === 'text' && isBytes) this.#spelling = 'utf8'
  }

  /** Bytes have no path. */
  get path(): string {
    return this.#spelling === 'base64' ? '' : pathOf(this.#where, this.name)
  }

  read(): string {
    this.#known ??= decoded(String(this.#holder[this.name]), this.#spelling)
    return this.#known
  }

  write(text: string): void {
    this.#known = text
    put(this.#holder, this.name, encoded(text, this.#spelling))
  }
}

const decoded = (text: string, spelling: Spelling) =>
  spelling === 'text' ? text : Buffer.from(text, spelling).toString('latin1')

const encoded = (text: string, spelling: Spelling) =>
  spelling === 'text' ? text : Buffer.from(text, 'latin1').toString(spelling)

class NameSlot implements Slot {
  readonly line: number
  readonly isName = true
  readonly #where: Where
  readonly #holder: Holder
  readonly #name: string

  constructor(holder: Holder, name: string, where: Where) {
    this.line = where.line
    this.#where = where
    this.#holder = holder
    this.#name = name
  }

  /** Of the object that has the name. */
  get path(): string {
    return pathOf(this.#where)
  }

  read(): string {
    return this.#name
  }

  write(renamed: string): void {
    let free = renamed
    while (Object.hasOwn(this.#holder, free)) free += '*'
    const entries = Object.entries(this.#holder)
    for (const [old] of entries) delete this.#holder[old]
    for (const [old, value] of entries) put(this.#holder, old === this.#name ? free : old, value)
  }
}

/** Works for the name `__proto__` too. */
const put = (holder: Holder, name: string, value: unknown) =>
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true })
