// The texts of a tape as places that can be read and written, and those that belong together as one.

import type { Frame } from './frame.ts'
import type { ReadTape } from './read.ts'

export interface Slot {
  /** Of the file. */
  line: number
  /** Of the header, where it is a header's value. */
  header?: string
  read(): string
  write(text: string): void
}

/** A text that is spread over slots; `at(n)` is where its nth character stands. */
export interface Chain {
  text: string
  at(index: number): { slot: Slot; index: number }
}

export const chainOf = (slot: Slot): Chain => ({ text: slot.read(), at: (index) => ({ slot, index }) })

/** One behind the other. */
export function joined(slots: readonly Slot[]): Chain {
  const texts = slots.map((slot) => slot.read())
  const starts: number[] = []
  let length = 0
  for (const text of texts) {
    starts.push(length)
    length += text.length
  }
  return {
    text: texts.join(''),
    at(index) {
      let low = 0
      let high = starts.length - 1
      while (low < high) {
        const middle = (low + high + 1) >> 1
        if ((starts[middle] ?? 0) <= index) low = middle
        else high = middle - 1
      }
      return { slot: slots[low] as Slot, index: index - (starts[low] ?? 0) }
    },
  }
}

type Holder = Record<string, unknown>

/** All texts of a tape; what is bytes, as one character for each. */
export function slotsOf({ head, line, frames, lines }: ReadTape): Slot[] {
  return [head, ...frames].flatMap((holder, at) =>
    textsIn(holder as unknown as Holder, at === 0 ? line : (lines[at - 1] ?? line)),
  )
}

export function frameSlot(frame: Frame, line: number): Slot | undefined {
  const holder = frame as unknown as Holder
  for (const name of ['text', 'base64', 'body'])
    if (typeof holder[name] === 'string') return slotAt(holder, name, line)
  return undefined
}

function textsIn(holder: Holder, line: number, parent?: string): Slot[] {
  return Object.entries(holder).flatMap(([name, value]) => {
    if (typeof value === 'string') return [slotAt(holder, name, line, parent)]
    return typeof value === 'object' && value !== null ? textsIn(value as Holder, line, name) : []
  })
}

function slotAt(holder: Holder, name: string, line: number, parent?: string): Slot {
  const isBytes = name === 'base64' && parent === undefined
  return {
    line,
    ...(parent === 'headers' ? { header: name.toLowerCase() } : {}),
    read: () => {
      const text = String(holder[name])
      return isBytes ? Buffer.from(text, 'base64').toString('latin1') : text
    },
    write: (text) => {
      holder[name] = isBytes ? Buffer.from(text, 'latin1').toString('base64') : text
    },
  }
}
