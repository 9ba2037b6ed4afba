// A regular expression → the places of its automaton. Both dialects have literals, `.`, classes, `\d \w \s` and their opposites, groups,
// `|`, `* + ?`, `{m,n}` up to a limit, and `^ $ \b`. Look-around and back-references are in none.

import type { Edge, PatternPlaces, Place, Room, Test } from './automaton.ts'
import { characterEscape, control, isLineEnd, kinds } from './escapes.ts'

export interface Dialect {
  /** JavaScript's patterns with the flag `u`; otherwise about Python's, with a leading `(?i)`. */
  isEcma: boolean
  longest: number
  mostPlaces: number
  /** Counted repetitions copy their part. */
  mostCopies: number
}

interface ReadPattern extends PatternPlaces {
  ignoresCase: boolean
  /** Whether it names kinds of characters that are ASCII's in JavaScript, and Unicode's in Python and Rust. */
  hasKinds: boolean
}

/** Undefined for a pattern that is not supported, not valid or too large. `room`: the places that are left for several patterns. */
export function readPattern(source: string, dialect: Dialect, room: Room): ReadPattern | undefined {
  if (source.length > dialect.longest) return undefined
  try {
    return new PatternReader(source, dialect, room).read()
  } catch (error) {
    if (error instanceof Unsupported) return undefined
    throw error
  }
}

class Unsupported extends Error {}

/** A part of the pattern that was read, to be added to the automaton any number of times. Returns its first place. */
type Part = (next: number) => number

const mostGroups = 64

class PatternReader {
  readonly #dialect: Dialect
  readonly #room: Room
  readonly #source: string
  #at = 0
  #depth = 0
  /** Parts that were added: copies of a part without places take time, too. */
  #added = 0
  #hasKinds = false
  readonly #ignoresCase: boolean
  readonly #places: Place[] = [{ next: [] }]

  constructor(source: string, dialect: Dialect, room: Room) {
    this.#room = room
    this.#dialect = dialect
    this.#ignoresCase = !dialect.isEcma && source.startsWith('(?i)')
    this.#source = this.#ignoresCase ? source.slice(4) : source
  }

  read(): ReadPattern {
    const part = this.#alternatives()
    if (this.#at < this.#source.length) throw new Unsupported()
    return {
      start: part(0),
      places: this.#places,
      byCodePoint: this.#dialect.isEcma,
      ignoresCase: this.#ignoresCase,
      hasKinds: this.#hasKinds,
    }
  }

  #add(place: Place): number {
    if (this.#places.length >= this.#dialect.mostPlaces || --this.#room.left < 0) throw new Unsupported()
    return this.#places.push(place) - 1
  }

  #alternatives(): Part {
    const parts = [this.#sequence()]
    while (this.#takes('|')) parts.push(this.#sequence())
    return parts.length === 1
      ? (parts[0] as Part)
      : (next) => this.#add({ next: parts.map((part) => part(next)) })
  }

  #sequence(): Part {
    const parts: Part[] = []
    while (this.#at < this.#source.length && !')|'.includes(this.#source[this.#at] as string))
      parts.push(this.#repeated(this.#atom()))
    return (next) => {
      if (this.#added++ > this.#dialect.mostPlaces) throw new Unsupported()
      return parts.reduceRight((after, part) => part(after), next)
    }
  }

  #repeated(part: Part): Part {
    const count = this.#dialect.isEcma ? /^\{(\d{1,4})(,?)(\d{0,4})\}/ : /^\{(\d{1,3})(,?)(\d{0,3})\}/
    const counted = count.exec(this.#source.slice(this.#at, this.#at + 11))
    let repeated = part
    if (this.#takes('*')) repeated = this.#loop(part)
    else if (this.#takes('+')) repeated = (next) => part(this.#loop(part)(next))
    else if (this.#takes('?')) repeated = (next) => this.#add({ next: [part(next), next] })
    else if (counted) {
      this.#at += counted[0].length
      const least = Number(counted[1])
      repeated = this.#copies(
        part,
        least,
        counted[2] === '' ? least : counted[3] === '' ? undefined : Number(counted[3]),
      )
    } else return part
    // A lazy repetition matches the same texts.
    this.#takes('?')
    if ('*+'.includes(this.#source[this.#at] ?? ' ')) throw new Unsupported()
    return repeated
  }

  #loop =
    (part: Part): Part =>
    (next) => {
      const place: Place = { next: [] }
      const loop = this.#add(place)
      place.next = [part(loop), next]
      return loop
    }

  #copies(part: Part, least: number, most: number | undefined): Part {
    const { mostCopies } = this.#dialect
    if (least > mostCopies || (most ?? least) > mostCopies || (most ?? least) < least) throw new Unsupported()
    return (next) => {
      let after = next
      if (most === undefined) after = this.#loop(part)(after)
      else for (let copy = least; copy < most; copy++) after = this.#add({ next: [part(after), next] })
      for (let copy = 0; copy < least; copy++) after = part(after)
      return after
    }
  }

  #atom(): Part {
    const character = this.#character()
    switch (character) {
      case '(':
        return this.#group()
      case '[':
        return this.#one(this.#class())
      case '.':
        return this.#one(this.#dialect.isEcma ? (other) => !isLineEnd(other) : (other) => other !== '\n')
      case '^':
        return this.#edge('start')
      case '$':
        return this.#edge('end')
      case '\\':
        return this.#escape()
      case '*':
      case '+':
      case '?':
        throw new Unsupported()
      case ']':
      case '{':
      case '}':
        if (this.#dialect.isEcma) throw new Unsupported()
    }
    return this.#one(this.#literal(character))
  }

  #character(): string {
    const code = this.#source.codePointAt(this.#at) as number
    const character = this.#dialect.isEcma ? String.fromCodePoint(code) : (this.#source[this.#at] as string)
    this.#at += character.length
    return character
  }

  #one(test: Test): Part {
    return (next) => this.#add({ test, next: [next] })
  }

  #edge(edge: Edge): Part {
    return (next) => this.#add({ edge, next: [next] })
  }

  #literal(character: string): Test {
    const wanted = this.#ignoresCase ? character.toLowerCase() : character
    return (other) => other === wanted
  }

  #group(): Part {
    if (this.#takes('?') && !this.#takes(':') && !this.#takesName()) throw new Unsupported()
    if (++this.#depth > mostGroups) throw new Unsupported()
    const part = this.#alternatives()
    this.#depth--
    if (!this.#takes(')')) throw new Unsupported()
    return part
  }

  #takesName(): boolean {
    const name = /^<[A-Za-z_$][\w$]*>/.exec(this.#source.slice(this.#at, this.#at + mostGroups))
    if (!this.#dialect.isEcma || name === null) return false
    this.#at += name[0].length
    return true
  }

  #escape(): Part {
    const letter = this.#source[this.#at] ?? ''
    if (letter !== 'b' && (letter !== 'B' || !this.#dialect.isEcma))
      return this.#one(this.#testOf(this.#escaped()))
    this.#at++
    this.#hasKinds = true
    return this.#edge(letter === 'b' ? 'boundary' : 'no boundary')
  }

  /** After a backslash: a kind of characters, or one of them. */
  #escaped(): Test | string {
    const letter = this.#source[this.#at] ?? ''
    const kind = kinds.get(letter)
    const other = this.#dialect.isEcma ? characterEscape(this.#source, this.#at) : undefined
    this.#at += other?.length ?? 1
    if (kind) {
      this.#hasKinds = true
      return kind
    }
    if (other) return other.character
    const found = control.get(letter)
    if (found !== undefined) return found
    // A letter or digit has a meaning that is not supported, such as a back-reference.
    if (letter === '' || /[A-Za-z0-9]/.test(letter)) throw new Unsupported()
    this.#at--
    return this.#character()
  }

  #testOf(escaped: Test | string): Test {
    return typeof escaped === 'string' ? this.#literal(escaped) : escaped
  }

  #class(): Test {
    const isNegated = this.#takes('^')
    const tests: Test[] = []
    // Python reads a bracket at the beginning as itself, JavaScript as the end.
    if (this.#dialect.isEcma && this.#source[this.#at] === ']') throw new Unsupported()
    for (let first = true; first || this.#source[this.#at] !== ']'; first = false) tests.push(this.#member())
    this.#at++
    return (other, code) => tests.some((test) => test(other, code)) !== isNegated
  }

  #member(): Test {
    const { isEcma } = this.#dialect
    const isEscaped = this.#source[this.#at] === '\\'
    const first = this.#end()
    const last = this.#source[this.#at + 1]
    if (this.#source[this.#at] !== '-' || last === undefined || last === ']' || (isEscaped && !isEcma))
      return this.#testOf(first)
    if (last === '\\' && !isEcma) throw new Unsupported()
    this.#at++
    return this.#range(first, this.#end())
  }

  /** A member of a class, or an end of its range. */
  #end(): Test | string {
    if (this.#at >= this.#source.length) throw new Unsupported()
    const character = this.#character()
    if (character !== '\\') return character
    if (!this.#dialect.isEcma || this.#source[this.#at] !== 'b') return this.#escaped()
    this.#at++
    return '\b'
  }

  #range(first: Test | string, last: Test | string): Test {
    if (typeof first !== 'string' || typeof last !== 'string') throw new Unsupported()
    const from = first.codePointAt(0) as number
    const to = last.codePointAt(0) as number
    if (to < from) throw new Unsupported()
    if (!this.#ignoresCase) return (_, code) => code >= from && code <= to
    const isWithin = (other: string) => other >= first && other <= last
    return (other) => isWithin(other) || isWithin(other.toUpperCase())
  }

  #takes(character: string): boolean {
    if (this.#source[this.#at] !== character) return false
    this.#at++
    return true
  }
}
