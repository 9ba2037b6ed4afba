// The text of an upstream request body. Values that are unchanged from the client's body keep their exact bytes, including order,
// blanks, escapes and the spelling of numbers: prompt caches stay valid, and no digit is lost.

import { hasOddNumber, hasSpelling, writeAll } from '../../base/exact-json.ts'
import type { Fields } from '../../base/json.ts'
import { type Member, membersOf } from '../../base/json-text.ts'
import type { TurnRequest } from '../../core/request.ts'

type Origin = Pick<TurnRequest['origin'], 'body' | 'text' | 'members'>

/** A larger text is written into its bytes in parts: as one string it would be allocated and copied twice more. */
const largeBody = 16 * 1024
/** Characters of a part that was written: V8 takes a page of its own from the system for each longer string. */
const usualPart = 16 * 1024

/** What is sent: bytes if it is large. `origin`: the client's request. `isExact`: numbers in other parts of `body` have their own spelling, too. */
export function bodyBytes(
  body: Readonly<Fields>,
  origin: Origin = { body: {} },
  isExact = false,
): string | Buffer {
  const parts = partsOf(body, origin, isExact)
  let length = 0
  for (const part of parts) length += part.length
  if (length < largeBody) {
    const text = parts.join('')
    return text.includes(anyEscape) ? wellFormed(text) : text
  }
  // A search in the bytes is faster: to search a text, V8 joins its pieces in new memory.
  const bytes = encode(parts)
  if (!bytes.includes(anyEscape)) return bytes
  const text = bytes.toString()
  const better = wellFormed(text)
  return better === text ? bytes : better
}

/** Before a surrogate, among others. Most texts have none: the search is much faster than a pattern. */
const anyEscape = '\\u'

export function bodyText(body: Readonly<Fields>, origin?: Origin, isExact?: boolean): string {
  return bodyBytes(body, origin, isExact).toString()
}

/** `Buffer.from` of the whole text takes twice as long. */
function encode(parts: readonly string[]): Buffer {
  const lengths = parts.map((part) => Buffer.byteLength(part))
  const bytes = Buffer.allocUnsafeSlow(lengths.reduce((sum, length) => sum + length, 0))
  let at = 0
  for (const part of parts) at += bytes.write(part, at)
  return bytes
}

/** The text, cut between values: no part begins inside of a string. */
function partsOf(body: Readonly<Fields>, origin: Origin, isExact: boolean): string[] {
  const { text } = origin
  const write = isExact || hasSpelledMember(origin.body) ? writeAll : JSON.stringify
  const isLarge = text !== undefined && text.length >= largeBody
  const isShared = text !== undefined && sharesContent(body, origin)
  const spliced = isShared
    ? splice(body, origin, text, isLarge ? (value) => valueIn(value, write) : (value) => [write(value)])
    : undefined
  return spliced ?? (isLarge ? membersIn(body, write) : [write(body)])
}

function hasSpelledMember(body: Readonly<Fields>): boolean {
  for (const name in body) if (hasSpelling(body[name])) return true
  return false
}

/** An object as parts of usual size. */
function membersIn(body: Readonly<Fields>, write: (value: unknown) => string): string[] {
  const parts: string[] = []
  let lead = '{'
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue
    const [first, ...others] = valueIn(value, write)
    parts.push(`${lead}${JSON.stringify(name)}:${first}`, ...others)
    lead = ','
  }
  parts.push(lead === '{' ? '{}' : '}')
  return parts
}

/** Lists are long: of messages, of tools. One with spellings of its own is written as a whole. */
function valueIn(value: unknown, write: (value: unknown) => string): string[] {
  if (!Array.isArray(value) || value.length === 0 || hasSpelling(value)) return [write(value)]
  const parts: string[] = []
  let part = '['
  for (const [at, element] of value.entries()) {
    if (part.length > usualPart) {
      parts.push(part)
      part = ''
    }
    part += `${at === 0 ? '' : ','}${write(element) ?? 'null'}`
  }
  parts.push(`${part}]`)
  return parts
}

/** True if the arguments of a call contain a number with its own spelling. Arguments are text in a request, and values in some bodies. */
export const hasOddInput = ({ messages }: TurnRequest): boolean =>
  messages.some(
    (message) =>
      message.role === 'assistant' &&
      message.content.some((part) => part.type === 'tool-call' && hasOddNumber(part.input)),
  )

function sharesContent(body: Readonly<Fields>, { body: original }: Origin): boolean {
  for (const name in body) {
    const value = body[name]
    if (typeof value === 'object' && value !== null && original[name] === value) return true
  }
  return false
}

/** Undefined for a text with a duplicate name: services may disagree about which one counts. */
function splice(
  body: Readonly<Fields>,
  { body: original, members: known }: Origin,
  text: string,
  partsOfValue: (value: unknown) => string[],
): string[] | undefined {
  const members = known ?? membersOf(text)
  const last = members.at(-1)
  if (last === undefined || Object.keys(original).length < members.length) return undefined
  const cuts = new Cuts(text)
  let before = 0
  for (const { name, start, valueStart, end } of members) {
    const value = Object.hasOwn(body, name) ? body[name] : undefined
    if (value !== undefined) {
      if (cuts.isEmpty) cuts.take(0, (members[0] as Member).start)
      else cuts.take(before, start)
      if (value === original[name]) cuts.take(start, end)
      else {
        cuts.take(start, valueStart)
        for (const part of partsOfValue(value)) cuts.add(part)
      }
    }
    before = end
  }
  if (cuts.isEmpty) return undefined
  for (const name in body) {
    const value = body[name]
    if (value !== undefined && !Object.hasOwn(original, name))
      for (const part of [`,${JSON.stringify(name)}:`, ...partsOfValue(value)]) cuts.add(part)
  }
  cuts.take(last.end, text.length)
  return cuts.end()
}

/** Pieces of a text, and others between them. Pieces that follow each other are one. */
class Cuts {
  readonly #text: string
  readonly #parts: string[] = []
  #from = 0
  #to = 0

  constructor(text: string) {
    this.#text = text
  }

  get isEmpty(): boolean {
    return this.#to === 0
  }

  take(from: number, to: number): void {
    if (from !== this.#to) {
      this.#cut()
      this.#from = from
    }
    this.#to = to
  }

  add(part: string): void {
    this.#cut()
    this.#parts.push(part)
  }

  end(): string[] {
    this.#cut()
    return this.#parts
  }

  #cut(): void {
    if (this.#from < this.#to) this.#parts.push(this.#text.slice(this.#from, this.#to))
    this.#from = this.#to
  }
}

const surrogate = /\\u[dD][89a-fA-F]/g
const secondHalf = /\\u[dD][c-fC-F]/y
const escapeLength = '\\ud83d'.length

/** Replaces lone surrogates by U+FFFD: clients that cut text inside an emoji leave them, and services refuse them. */
function wellFormed(text: string): string {
  const pieces: string[] = []
  let from = 0
  surrogate.lastIndex = 0
  for (let found = surrogate.exec(text); found; found = surrogate.exec(text)) {
    const at = found.index
    if (isEscaped(text, at)) continue
    const end = at + escapeLength
    secondHalf.lastIndex = end
    if (isFirstHalf(text, at) && secondHalf.test(text)) {
      surrogate.lastIndex = end + escapeLength
      continue
    }
    pieces.push(text.slice(from, at), '\ufffd')
    from = end
    surrogate.lastIndex = end
  }
  return pieces.length === 0 ? text : pieces.join('') + text.slice(from)
}

/** The backslash at this place is the second of a pair, so it begins no escape. */
function isEscaped(text: string, at: number): boolean {
  let before = at
  while (before > 0 && text.charCodeAt(before - 1) === 0x5c) before--
  return (at - before) % 2 === 1
}

const isFirstHalf = (text: string, at: number) => '89abAB'.includes(text.charAt(at + 3))
