// Delta events without JSON parsing. Most events of a stream differ in one string only: the next delta. After one event has been
// parsed in full, later events of the same shape are read by that string alone, which is several times faster.
//
// Why this is safe: an event has the shape if it begins and ends with exactly the same characters as the parsed event, and the part
// between them is exactly one JSON string. So it is the same JSON except for that string. `learn` checks that the string is the value
// of the named member; its caller checks that nothing else in the event has an effect.

import { isPlain } from '../../base/json-string.ts'
import { beginsWith, endsWith } from '../../base/text-edges.ts'
import type { DeltaShape } from '../../core/fast-path.ts'

interface ShapeOf<Kind> extends DeltaShape {
  readonly kind: Kind
}

/** Characters around the delta. Larger events are parsed in full, because the delta, a slice, keeps the whole text in memory. */
const longestFrame = 4 * 1024

/** Shapes learned in a row that matched no event. Some servers put something new into every event: learning stops there. */
const mostUseless = 8

export class DeltaShapes<Kind extends string> {
  #shapes: ShapeOf<Kind>[] = []
  #useless = 0
  /** The string of the event that `find` matched. */
  text = ''

  get isLearning(): boolean {
    return this.#useless <= mostUseless
  }

  /** The kind of the event, with its string in `text`; undefined if the event has to be parsed. */
  find(data: string): Kind | undefined {
    for (const { kind, prefix, suffix } of this.#shapes) {
      if (!beginsWith(data, prefix) || !endsWith(data, suffix)) continue
      const text = stringIn(data, prefix.length, data.length - suffix.length)
      if (text === undefined) continue
      this.#useless = 0
      this.text = text
      return kind
    }
    return undefined
  }

  of(kind: Kind): DeltaShape | undefined {
    return this.#shapes.find((shape) => shape.kind === kind)
  }

  /** Learns from an event whose only effect was `value`, the string member `name`. True if its shape is known now. */
  learn(kind: Kind, data: string, name: string, value: unknown): boolean {
    if (typeof value !== 'string' || !this.isLearning || data.length - value.length > longestFrame)
      return false
    // Without escapes in the string or in any name, there is only one way to spell them.
    const start = data.includes('\\') ? undefined : valueStart(data, name)
    if (start === undefined || !data.startsWith(`"${value}"`, start)) return false
    this.#useless++
    const shape = { kind, prefix: data.slice(0, start), suffix: data.slice(start + value.length + 2) }
    this.#shapes = [shape, ...this.#shapes.filter((other) => other.kind !== kind)]
    return true
  }
}

/** Characters that a JSON string has to escape. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern has to match control characters
const special = /["\\\u0000-\u001f]/

/** The value, if the range is exactly one JSON string. */
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
 * The position of the member's value in an event without escapes; undefined if the name, or an equal string value, occurs more than
 * once. Without escapes every quote begins or ends a string, so nothing else can look like the name.
 */
function valueStart(data: string, name: string): number | undefined {
  const written = `"${name}"`
  const at = data.indexOf(written)
  const colon = at + written.length
  if (at < 0 || data[colon] !== ':' || data.indexOf(written, colon) >= 0) return undefined
  return data[colon + 1] === ' ' ? colon + 2 : colon + 1
}
