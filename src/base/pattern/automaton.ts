// An automaton that follows all alternatives of a pattern at once: no text makes it slow. What it learns about a pattern (from these
// places, this character leads to those) it keeps, so that a pattern that is used again takes one look per character.

export type Test = (character: string, code: number) => boolean

export type Edge = 'start' | 'end' | 'boundary' | 'no boundary'

/** A place in the pattern. It consumes a character, is passed only at an edge, or leads on. Place 0 is the end of the pattern. */
export interface Place {
  test?: Test
  edge?: Edge
  next: number[]
}

/** What is left of a number of steps. Texts that are tried share it. */
export interface Steps {
  steps: number
}

/** What is left for automatons to keep. */
export interface Room {
  left: number
}

export interface PatternPlaces {
  places: readonly Place[]
  start: number
  /** By characters of Unicode; otherwise by units of UTF-16. */
  byCodePoint: boolean
}

/** The places that some beginning of a match has come to, before a character. */
interface Moment {
  readonly reached: readonly number[]
  readonly isFirst: boolean
  readonly isAfterWord: boolean
  /** What the next character leads to, as far as that was asked; null is a match. */
  readonly next: Map<number, Moment | null>
  isMatchAtEnd?: boolean
}

/** Keeping a moment takes about as much as this many entries. */
const momentSize = 8

const isWord = (code: number) =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95

export class Automaton {
  readonly #places: readonly Place[]
  readonly #start: number
  readonly #byCodePoint: boolean
  readonly #hasBoundary: boolean
  /** Whether a match may begin after the first character. */
  readonly #restarts: boolean
  readonly #moments = new Map<string, Moment>()
  readonly #room: Room
  readonly #first: Moment
  /** By place, the last pass that came to it. */
  readonly #seen: Float64Array
  #seenBy = 0

  constructor({ places, start, byCodePoint }: PatternPlaces, room: Room) {
    this.#places = places
    this.#start = start
    this.#byCodePoint = byCodePoint
    this.#room = room
    this.#seen = new Float64Array(places.length)
    this.#hasBoundary = places.some(({ edge }) => edge === 'boundary' || edge === 'no boundary')
    this.#restarts = this.#follow([start], (edge) => edge !== 'start').some(
      (place) => place === 0 || places[place]?.test !== undefined,
    )
    this.#first = moment([], true, false)
  }

  /** Whether the pattern matches anywhere in the text; undefined where the steps ended before that was known. */
  matches(text: string, steps: Steps): boolean | undefined {
    if (steps.steps < 0) return undefined
    let now = this.#first
    for (let at = 0; at < text.length; ) {
      const code = this.#byCodePoint ? (text.codePointAt(at) as number) : text.charCodeAt(at)
      at += code > 0xffff ? 2 : 1
      let next = now.next.get(code)
      if (next === undefined) next = this.#step(now, code, steps)
      else steps.steps--
      if (next === null) return true
      if (steps.steps < 0) return undefined
      if (next.reached.length === 0 && !this.#restarts) return false
      now = next
    }
    now.isMatchAtEnd ??= this.#isMatchAtEnd(now, steps)
    return now.isMatchAtEnd
  }

  /** Null is a match. */
  #step(from: Moment, code: number, steps: Steps): Moment | null {
    const isBefore = isWord(code)
    const ahead = this.#ahead(from, isBefore, false)
    steps.steps -= ahead.length
    const next = this.#hasSeen(0) ? null : this.#after(ahead, code, isBefore)
    if (this.#room.left > 0) {
      this.#room.left--
      from.next.set(code, next)
    }
    return next
  }

  #after(ahead: readonly number[], code: number, isWordBefore: boolean): Moment {
    const character = String.fromCodePoint(code)
    const reached: number[] = []
    this.#seenBy++
    for (const at of ahead) {
      const { test, next } = this.#places[at] as Place
      if (test?.(character, code)) for (const after of next) if (this.#sees(after)) reached.push(after)
    }
    return this.#momentOf(reached, this.#hasBoundary && isWordBefore)
  }

  #momentOf(reached: number[], isAfterWord: boolean): Moment {
    if (this.#room.left <= 0) return moment(reached, false, isAfterWord)
    const key = `${isAfterWord} ${reached.sort((one, other) => one - other)}`
    const known = this.#moments.get(key)
    if (known) return known
    const found = moment(reached, false, isAfterWord)
    this.#room.left -= momentSize + reached.length
    this.#moments.set(key, found)
    return found
  }

  #isMatchAtEnd(now: Moment, steps: Steps): boolean {
    steps.steps -= this.#ahead(now, false, true).length
    return this.#hasSeen(0)
  }

  #ahead({ reached, isFirst, isAfterWord }: Moment, isBeforeWord: boolean, isLast: boolean): number[] {
    return this.#follow([...reached, this.#start], (edge) => {
      if (edge === 'start') return isFirst
      if (edge === 'end') return isLast
      return (isAfterWord !== isBeforeWord) === (edge === 'boundary')
    })
  }

  /** The places that are reached without a character. */
  #follow(from: number[], passes: (edge: Edge) => boolean): number[] {
    const found: number[] = []
    this.#seenBy++
    for (let at = from.pop(); at !== undefined; at = from.pop()) {
      if (!this.#sees(at)) continue
      found.push(at)
      const { test, edge, next } = this.#places[at] as Place
      if (test || (edge !== undefined && !passes(edge))) continue
      for (const after of next) from.push(after)
    }
    return found
  }

  /** True at the first time. */
  #sees(at: number): boolean {
    if (this.#hasSeen(at)) return false
    this.#seen[at] = this.#seenBy
    return true
  }

  #hasSeen(at: number): boolean {
    return this.#seen[at] === this.#seenBy
  }
}

const moment = (reached: readonly number[], isFirst: boolean, isAfterWord: boolean): Moment => ({
  reached,
  isFirst,
  isAfterWord,
  next: new Map(),
})
