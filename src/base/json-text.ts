// Positions of values in a JSON text, without parsing them, so that they can be forwarded byte for byte: numbers beyond 2^53,
// `1.0`, escapes and blanks change when they are parsed and written. The text must be valid JSON.

export interface Member {
  name: string
  /** Start of the name. */
  start: number
  valueStart: number
  end: number
}

/** The members of an object, in order. */
export function membersOf(text: string): Member[] {
  const members: Member[] = []
  let at = blanksEnd(text, blanksEnd(text, 0) + 1)
  while (text[at] === '"') {
    const start = at
    const nameEnd = stringEnd(text, at)
    const valueStart = blanksEnd(text, blanksEnd(text, nameEnd) + 1)
    const end = skipValue(text, valueStart)
    members.push({ name: stringAt(text, start, nameEnd), start, valueStart, end })
    at = afterComma(text, end)
  }
  return members
}

/** The string from `start` to `end`. Few names of members have an escape. */
export function stringAt(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1)
  return inner.includes('\\') ? JSON.parse(text.slice(start, end)) : inner
}

/** The texts of an array's elements, in order. */
export function elementsOf(text: string): string[] {
  const elements: string[] = []
  let at = blanksEnd(text, blanksEnd(text, 0) + 1)
  while (at < text.length && text[at] !== ']') {
    const end = skipValue(text, at)
    elements.push(text.slice(at, end))
    at = afterComma(text, end)
  }
  return elements
}

/** The text of a member's value. Of a repeated name the last counts, as in JSON.parse. */
export function memberText(text: string, name: string): string | undefined {
  const member = membersOf(text).findLast((candidate) => candidate.name === name)
  return member && text.slice(member.valueStart, member.end)
}

/** The text is that of an object, perhaps after blanks: some services keep a connection busy with them. */
export const isObjectText = (text: string): boolean => text.charCodeAt(blanksEnd(text, 0)) === 0x7b

/** The text with another value for the member at `path`; unchanged if there is none. `value` is JSON text. */
export function replaceMember(text: string, [name, ...rest]: readonly string[], value: string): string {
  const member = isObjectText(text)
    ? membersOf(text).findLast((candidate) => candidate.name === name)
    : undefined
  if (!member) return text
  const { valueStart, end } = member
  const inner = rest.length === 0 ? value : replaceMember(text.slice(valueStart, end), rest, value)
  return text.slice(0, valueStart) + inner + text.slice(end)
}

const quote = 0x22
const backslash = 0x5c

/** Valid JSON has no other control characters between its tokens. */
const isBlank = (code: number) => code <= 0x20

export function blanksEnd(text: string, at: number): number {
  let end = at
  while (end < text.length && isBlank(text.charCodeAt(end))) end++
  return end
}

function afterComma(text: string, at: number): number {
  const end = blanksEnd(text, at)
  return text[end] === ',' ? blanksEnd(text, end + 1) : end
}

/** Strings are most of a text: `indexOf` skips them. */
export function stringEnd(text: string, at: number): number {
  let end = text.indexOf('"', at + 1)
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end + 1
}

function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text.charCodeAt(first - 1) === backslash) first--
  return (at - first) % 2 === 1
}

function skipValue(text: string, at: number): number {
  const first = text[at]
  if (first === '"') return stringEnd(text, at)
  return first === '{' || first === '[' ? skipNested(text, at) : skipWord(text, at)
}

function skipNested(text: string, at: number): number {
  let depth = 0
  let end = at
  do {
    const code = text.charCodeAt(end)
    if (code === quote) {
      end = stringEnd(text, end)
      continue
    }
    // `{` and `[` differ only in this bit, as do `}` and `]`.
    const bracket = code | 0x20
    if (bracket === 0x7b) depth++
    else if (bracket === 0x7d) depth--
    end++
  } while (depth > 0)
  return end
}

/** A number, true, false or null. */
function skipWord(text: string, at: number): number {
  let end = at
  while (end < text.length && !isBlank(text.charCodeAt(end)) && !',]}'.includes(text[end] as string)) end++
  return end
}
