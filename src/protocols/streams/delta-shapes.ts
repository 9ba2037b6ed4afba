// The events of a stream mostly differ in one string only: the next piece of text. Once one of them has been read in full, the
// others of its shape are read by that string alone, which is several times faster than reading their JSON.
//
// Why that is safe: an event is of the shape if it begins and ends with the very same characters as the one that was read, and
// what is between them is exactly one JSON string. So it is the same JSON, but for that string. `learn` makes sure that this
// string is the one that was meant; whoever calls it, that nothing else of that event counted.

import { isPlain } from '../../base/json-string.ts'
import type { DeltaShape } from '../../core/fast-path.ts'

interface ShapeOf<Kind> extends DeltaShape {
  readonly kind: Kind
}

/** Of an event, what is around its piece: longer ones are read in full, for a piece holds on to the text it was cut out of. */
const longestFrame = 4 * 1024

/** Some servers put something new into every event. They are not looked at for ever. */
const mostUseless = 8

export class DeltaShapes<Kind extends string> {
  #shapes: ShapeOf<Kind>[] = []
  #useless = 0
  /** Of the event that `find` has found. */
  text = ''

  get isLearning(): boolean {
    return this.#useless <= mostUseless
  }

  /** Which shape the event has, with its string in `text`; undefined where it has to be read in full. */
  find(data: string): Kind | undefined {
    for (const { kind, prefix, suffix } of this.#shapes) {
      if (!data.startsWith(prefix) || !data.endsWith(suffix)) continue
      const text = stringIn(data, prefix.length, data.length - suffix.length)
      if (text === undefined) continue
      this.#useless = 0
      this.text = text
      return kind
    }
    return undefined
  }

  /** What is known of this kind. */
  of(kind: Kind): DeltaShape | undefined {
    return this.#shapes.find((shape) => shape.kind === kind)
  }

  /** This event gave `value`, the string under `name`, and had no other effect. Says whether its shape is known now. */
  learn(kind: Kind, data: string, name: string, value: unknown): boolean {
    if (typeof value !== 'string' || !this.isLearning || data.length - value.length > longestFrame)
      return false
    // Only where nothing is escaped, neither in the string nor in any name: there is but one way to spell them.
    const start = data.includes('\\') ? undefined : valueStart(data, name)
    if (start === undefined || !data.startsWith(`"${value}"`, start)) return false
    this.#useless++
    const shape = { kind, prefix: data.slice(0, start), suffix: data.slice(start + value.length + 2) }
    this.#shapes = [shape, ...this.#shapes.filter((other) => other.kind !== kind)]
    return true
  }
}

/** What cannot stand in a JSON string as it is. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const special = /["\\\u0000-\u001f]/

/** The value of what is exactly one JSON string. */
function stringIn(data: string, start: number, end: number): string | undefined {
  if (end - start < 2 || data.charCodeAt(start) !== 0x22 || data.charCodeAt(end - 1) !== 0x22)
    return undefined
  const inner = data.slice(start + 1, end - 1)
  if (isPlain(inner) || !special.test(inner)) return inner
  try {
    const value: unknown = JSON.parse(data.slice(start, end))
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Where the value of the member of that name begins, in all of an event without escapes; undefined where that name, or a string
 * that reads like it, stands there more than once. Every quote begins or ends a string there, so nothing else looks like it.
 */
function valueStart(data: string, name: string): number | undefined {
  const written = `"${name}"`
  const at = data.indexOf(written)
  const colon = at + written.length
  if (at < 0 || data[colon] !== ':' || data.indexOf(written, colon) >= 0) return undefined
  return data[colon + 1] === ' ' ? colon + 2 : colon + 1
}
