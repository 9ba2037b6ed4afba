// One pass over a JSON text for all that is asked of it before and after it is parsed: its depth, the places of its members, and
// whether it has numbers whose spelling must be kept. The text must be valid JSON.

import { isOddNumber } from './exact-json.ts'
import { blanksEnd, type Member, stringAt, stringEnd } from './json-text.ts'

interface JsonOutline {
  /** Nested arrays and objects. */
  readonly depth: number
  /** Of the outermost object, in order. */
  readonly members: readonly Member[]
  /** Below the outermost object, there is a number that would be written differently than it is spelled. */
  readonly hasOddNumber: boolean
}

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const brace = 0x7b

export function outlineOf(text: string): JsonOutline {
  const members: Member[] = []
  let hasOdd = false
  let deepest = 0
  let depth = 0
  let at = blanksEnd(text, 0)
  const isObject = text.charCodeAt(at) === brace
  /** Of the member at hand; -1 before its value. */
  let [start, nameEnd, valueStart] = [-1, -1, -1]
  /** After the last token. */
  let end = at
  const endMember = () => {
    if (valueStart >= 0) members.push({ name: stringAt(text, start, nameEnd), start, valueStart, end })
    start = -1
    valueStart = -1
  }
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      end = stringEnd(text, at)
      if (depth === 1 && start < 0) [start, nameEnd] = [at, end]
      at = end
      continue
    }
    // `{` and `[` differ only in this bit, as do `}` and `]`.
    const bracket = code | 0x20
    if (bracket === 0x7b) {
      if (++depth > deepest) deepest = depth
    } else if (bracket === 0x7d) {
      if (--depth === 0 && isObject) endMember()
      end = at + 1
    } else if (code > 0x20 && code !== comma && code !== colon) {
      end = wordEnd(text, at)
      if (!hasOdd && depth > 1) hasOdd = isOddNumber(text, at, end)
      at = end
      continue
    } else if (depth === 1 && isObject) {
      if (code === comma) endMember()
      else if (code === colon) valueStart = blanksEnd(text, at + 1)
    }
    at++
  }
  return { depth: deepest, members, hasOddNumber: hasOdd }
}

/** A number, true, false or null. */
function wordEnd(text: string, at: number): number {
  let end = at + 1
  while (end < text.length) {
    const code = text.charCodeAt(end)
    if (code <= 0x20 || code === comma || (code | 0x20) === 0x7d) break
    end++
  }
  return end
}
