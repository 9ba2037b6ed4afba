// JSON that keeps the spelling of numbers: `9007199254740993`, `1e400`, `1.0` and `-0` change when they are parsed and written. The
// spelling is stored under a symbol of the object or array that holds the number: JSON.stringify and Object.entries ignore it, a
// spread copies it. It is used only while the number has its parsed value.

import { blanksEnd, stringEnd } from './json-text.ts'

const spelling = Symbol('spelling of numbers')

type Spelling = ReadonlyMap<string, string>
type Spelled = object & { [spelling]?: Spelling }

/** A quick check. Such a number needs 16 digits, a fraction, an exponent, or a negative zero; most texts have none. */
const maybeOdd = /\d{16}|\d[.eE]|-0/

const isOdd = (number: string) => String(Number(number)) !== number

/** Whether the word from `at` to `end` is a number that would be written differently than it is spelled. */
export function isOddNumber(text: string, at: number, end: number): boolean {
  if (!isNumberStart(text.charCodeAt(at))) return false
  // Few digits and nothing else: the usual number.
  let hasOnlyDigits = end - at < 16
  for (let each = at; hasOnlyDigits && each < end; each++) {
    const code = text.charCodeAt(each)
    hasOnlyDigits = code >= 0x30 && code <= 0x39
  }
  return !hasOnlyDigits && isOdd(text.slice(at, end))
}

/** Whether a number deeper than `below` levels would be written differently than it was spelled. */
export function hasOddNumber(text: string, below = 0): boolean {
  if (!maybeOdd.test(text)) return false
  let depth = 0
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === 0x22) at = stringEnd(text, at)
    else if (isNumberStart(code)) {
      const end = numberEnd(text, at)
      if (depth > below && isOdd(text.slice(at, end))) return true
      at = end
    } else {
      // `{` and `[` differ only in this bit, as do `}` and `]`.
      const bracket = code | 0x20
      if (bracket === 0x7b) depth++
      else if (bracket === 0x7d) depth--
      at++
    }
  }
  return false
}

/** JSON.parse that keeps the spelling of numbers. */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text)
  keepSpelling(text, value)
  return value
}

/** `value` was parsed from `text`. Does nothing if only numbers within the first `below` levels have a spelling to keep. */
export function keepSpelling(text: string, value: unknown, below = 0): void {
  if (hasOddNumber(text, below)) readSpelling(text, value)
}

/** The same for a text that is known to have a spelling to keep. */
export function readSpelling(text: string, value: unknown): void {
  new SpellingReader(text).read(value)
}

/** Whether the value, or one inside it, has a kept spelling. */
export const hasSpelling = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && (value as Spelled)[spelling] !== undefined

/** Writes a value that was parsed as a whole. */
export const writeExact = (value: unknown): string =>
  hasSpelling(value) ? writeAll(value) : JSON.stringify(value)

/** Writes a value that may be assembled from several parsed ones. */
export function writeAll(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const spelled = (value as Spelled)[spelling]
  if (Array.isArray(value)) {
    const elements = value.map((element, at) => spellingOf(spelled, String(at), element) ?? writeAll(element))
    return `[${elements.join(',')}]`
  }
  const members: string[] = []
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue
    members.push(`${JSON.stringify(name)}:${spellingOf(spelled, name, member) ?? writeAll(member)}`)
  }
  return `{${members.join(',')}}`
}

/** The text of one member. */
export const writeMember = (object: object, name: string, value: unknown): string =>
  spellingOf((object as Spelled)[spelling], name, value) ?? writeExact(value)

/** The kept spelling of one number. */
export const spellingIn = (holder: object, name: string, value: unknown): string | undefined =>
  spellingOf((holder as Spelled)[spelling], name, value)

/** Gives one number of an object or array a spelling. */
export function spell(holder: object, name: string, number: string): void {
  if (isOdd(number)) (holder as Spelled)[spelling] = new Map((holder as Spelled)[spelling]).set(name, number)
}

/** For a copy that is not made by a spread. */
export function copySpelling<T extends object>(from: object, to: T): T {
  const spelled = (from as Spelled)[spelling]
  if (spelled) (to as Spelled)[spelling] = spelled
  return to
}

function spellingOf(spelled: Spelling | undefined, name: string, value: unknown) {
  const text = typeof value === 'number' ? spelled?.get(name) : undefined
  return text !== undefined && Object.is(Number(text), value) ? text : undefined
}

/** The spellings of numbers that a double cannot hold exactly. */
export function* lostNumbers(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  const spelled = (value as Spelled)[spelling]
  for (const [name, member] of Object.entries(value)) {
    const text = spellingOf(spelled, name, member)
    if (text === undefined) yield* lostNumbers(member)
    else if (decimal(text) !== decimal(String(Number(text)))) yield text
  }
}

const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** A normal form: equal numbers give equal texts. */
function decimal(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts.exec(number) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const kept = withoutZeros(digits)
  if (kept === '') return whole === '' ? number : '0'
  return `${sign}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`
}

function withoutZeros(digits: string): string {
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return digits.slice(0, end)
}

const isNumberStart = (code: number) => code === 0x2d || (code >= 0x30 && code <= 0x39)

function numberEnd(text: string, at: number): number {
  let end = at + 1
  while (end < text.length && isInNumber(text.charCodeAt(end))) end++
  return end
}

/** Digits, `+`, `-`, `.`, `e` and `E`. */
const isInNumber = (code: number) =>
  (code >= 0x30 && code <= 0x39) ||
  code === 0x2b ||
  code === 0x2d ||
  code === 0x2e ||
  code === 0x65 ||
  code === 0x45

/** Walks a text and its parsed value side by side. The text must be valid JSON of limited depth. */
class SpellingReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** The spelling of an odd number; else whether there is one inside. */
  read(value: unknown): string | boolean {
    this.#at = blanksEnd(this.#text, this.#at)
    const code = this.#text.charCodeAt(this.#at)
    if (code === 0x7b) return this.#object(value)
    if (code === 0x5b) return this.#list(value)
    const start = this.#at
    if (isNumberStart(code)) {
      this.#at = numberEnd(this.#text, start)
      const number = this.#text.slice(start, this.#at)
      return isOdd(number) && number
    }
    this.#at = code === 0x22 ? stringEnd(this.#text, start) : start + (code === 0x66 ? 5 : 4)
    return false
  }

  #object(value: unknown): boolean {
    let found = none
    let isSpelled = false
    while (this.#next(0x7d)) {
      const start = this.#at
      this.#at = stringEnd(this.#text, start)
      const name: string = JSON.parse(this.#text.slice(start, this.#at))
      this.#at = blanksEnd(this.#text, this.#at) + 1
      const read = this.read(memberOf(value, name))
      if (typeof read === 'string') found = withSpelling(found, name, read)
      isSpelled ||= read !== false
    }
    return keep(value, found, isSpelled)
  }

  #list(value: unknown): boolean {
    let found = none
    let isSpelled = false
    for (let place = 0; this.#next(0x5d); place++) {
      const read = this.read(memberOf(value, place))
      if (typeof read === 'string') found = withSpelling(found, String(place), read)
      isSpelled ||= read !== false
    }
    return keep(value, found, isSpelled)
  }

  /** Moves to the next member or element; at the end, moves past the bracket and returns false. */
  #next(close: number): boolean {
    // Past the opening bracket or the comma.
    const at = blanksEnd(this.#text, this.#at)
    const isEnd = this.#text.charCodeAt(at) === close
    this.#at = isEnd ? at + 1 : blanksEnd(this.#text, at + 1)
    if (isEnd || this.#text.charCodeAt(this.#at) !== close) return !isEnd
    this.#at++
    return false
  }
}

/** Shared by objects that have such numbers only further inside. */
const none: Spelling = new Map()

function withSpelling(found: Spelling, name: string, number: string): Spelling {
  return found === none ? new Map([[name, number]]) : (found as Map<string, string>).set(name, number)
}

/** The parsed value of a member. For a repeated name it is the last one, so an earlier text may have another type. */
const memberOf = (value: unknown, name: string | number): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string | number, unknown>)[name] : undefined

function keep(value: unknown, found: Spelling, isSpelled: boolean): boolean {
  if (isSpelled && typeof value === 'object' && value !== null) (value as Spelled)[spelling] = found
  return isSpelled
}
