// The texts of a tape as places that can be read and written, and those that belong together as one.

import type { Frame } from './frame.ts'
import type { ReadTape } from './read.ts'

export interface Slot {
  /** Of the file. */
  line: number
  /** Of a value: what it is called. */
  name?: string
  /** It is a header's value. */
  isHeader?: boolean
  /** It is a name itself: to be written after all values. */
  isName?: boolean
  read(): string
  write(text: string): void
}

/** A text that is spread over slots; `at(n)` is where its nth character stands. */
export interface Chain {
  text: string
  at(index: number): Place
}

export interface Place {
  slot: Slot
  index: number
}

export const chainOf = (slot: Slot): Chain => ({ text: slot.read(), at: (index) => ({ slot, index }) })

/** A piece of a chain: where it stands there, and where it comes from. */
interface Piece {
  start: number
  place: Place
}

/** Puts pieces together, in order. */
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

/** One behind the other. */
export function joined(slots: readonly Slot[]): Chain {
  const builder = new ChainBuilder()
  for (const slot of slots) builder.add(slot.read(), { slot, index: 0 })
  return builder.build()
}

/** What was written one behind the other in the same direction. */
export interface Wire {
  isRun: boolean
  slots: Slot[]
}

export interface TapeSlots {
  all: Slot[]
  wires: Wire[]
}

type Holder = Record<string, unknown>

/** All texts of a tape; what is bytes, as one character for each, and so are the texts between bytes of the same wire. */
export function slotsOf({ head, line, frames, lines }: Omit<ReadTape, 'turn'>): TapeSlots {
  const mixed = new Set(frames.flatMap((frame) => ('base64' in frame ? [wireOf(frame)] : [])))
  const all = slotsIn(head as unknown as Holder, { line })
  const wires = new Map<string, Wire>()
  for (const [at, frame] of frames.entries()) {
    const wire = wireOf(frame)
    const isBytes = wire !== undefined && mixed.has(wire)
    const slots = slotsIn(frame as unknown as Holder, { line: lines[at] ?? line, isBytes })
    for (const slot of slots) all.push(slot)
    const content = slots.find((slot) => !slot.isName && contentNames.has(slot.name ?? ''))
    if (wire === undefined || content === undefined) continue
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
  isBytes?: boolean
}

/** Shorter names are no secrets. */
const shortestName = 8

function slotsIn(holder: Holder, where: Where): Slot[] {
  return Object.entries(holder).flatMap(([name, value]) => {
    const own = name.length < shortestName ? [] : [nameSlot(holder, name, where)]
    if (typeof value === 'string') return [...own, valueSlot(holder, name, where)]
    if (typeof value !== 'object' || value === null) return own
    return [...own, ...slotsIn(value as Holder, { line: where.line, parent: name })]
  })
}

function valueSlot(holder: Holder, name: string, { line, parent, isBytes = false }: Where): Slot {
  const isBase64 = parent === undefined && name === 'base64'
  const isUtf8 = isBytes && parent === undefined && name === 'text'
  let known: string | undefined
  const decoded = (text: string) => {
    if (isBase64) return Buffer.from(text, 'base64').toString('latin1')
    return isUtf8 ? Buffer.from(text).toString('latin1') : text
  }
  const encoded = (text: string) => {
    if (isBase64) return Buffer.from(text, 'latin1').toString('base64')
    return isUtf8 ? Buffer.from(text, 'latin1').toString() : text
  }
  return {
    ...{ line, name, isHeader: parent === 'headers' },
    read: () => {
      known ??= decoded(String(holder[name]))
      return known
    },
    write: (text) => {
      known = text
      put(holder, name, encoded(text))
    },
  }
}

function nameSlot(holder: Holder, name: string, { line }: Where): Slot {
  return {
    line,
    isName: true,
    read: () => name,
    write(renamed) {
      let free = renamed
      while (Object.hasOwn(holder, free)) free += '*'
      const entries = Object.entries(holder)
      for (const [old] of entries) delete holder[old]
      for (const [old, value] of entries) put(holder, old === name ? free : old, value)
    },
  }
}

/** Also where it is called `__proto__`. */
const put = (holder: Holder, name: string, value: unknown) =>
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true })
