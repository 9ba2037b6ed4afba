// Counts the values of a message before it is decoded: an empty value takes two bytes on the wire and a hundred times that in memory.
// One pass over the bytes along the schema; an unknown field counts as one value.

import type { DescMessage } from '@bufbuild/protobuf'

/** Limit of nested messages. */
const mostDepth = 100

/** Fields that are messages, by their numbers. */
type Children = ReadonlyMap<number, () => Children>

const known = new WeakMap<DescMessage, Children>()

function childrenOf(desc: DescMessage): Children {
  const found = known.get(desc)
  if (found) return found
  const children = new Map<number, () => Children>()
  for (const { fieldKind, number, message } of desc.fields) {
    const inside = message && (() => childrenOf(message))
    // The entry of a map has its key under 1 and its value under 2.
    if (fieldKind === 'map') children.set(number, () => new Map(inside ? [[2, inside]] : []))
    else if (inside) children.set(number, inside)
  }
  known.set(desc, children)
  return children
}

class Count {
  values = 0
  readonly #bytes: Uint8Array
  readonly #most: number
  #at = 0

  constructor(bytes: Uint8Array, most: number) {
    this.#bytes = bytes
    this.#most = most
  }

  /** False if there are too many values, or they are nested too deeply. Malformed data ends the count: the decoder reports it. */
  isWithin(children: Children, end: number, depth: number): boolean {
    if (depth > mostDepth) return false
    while (this.#at < end) {
      if (++this.values > this.#most) return false
      const tag = this.#varint()
      const wire = tag & 7
      if (wire === 0) this.#varint()
      else if (wire === 1) this.#at += 8
      else if (wire === 5) this.#at += 4
      else if (wire === 2) {
        const length = this.#varint()
        const inside = children.get(tag >>> 3)
        const stop = Math.min(end, this.#at + length)
        if (inside && !this.isWithin(inside(), stop, depth + 1)) return false
        this.#at = stop
      } else this.#at = end
    }
    return true
  }

  #varint(): number {
    let value = 0
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#bytes[this.#at++] ?? 0
      if (shift < 28) value |= (byte & 0x7f) << shift
      else if (shift < 35) value = (value | ((byte & 0x0f) << shift)) >>> 0
      if (byte < 0x80) break
    }
    return value >>> 0
  }
}

export const hasAtMost = (most: number, desc: DescMessage, bytes: Uint8Array): boolean =>
  new Count(bytes, most).isWithin(childrenOf(desc), bytes.length, 0)
