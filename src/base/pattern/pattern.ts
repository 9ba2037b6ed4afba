// Regular expressions from outside, run without backtracking. They find a match anywhere in the text.

import { Automaton, type Room, type Steps } from './automaton.ts'
import { type Dialect, readPattern } from './read-pattern.ts'

/** A model's pattern. Its length is the limit of Anthropic's tool search. */
const search: Dialect = { isEcma: false, longest: 200, mostPlaces: 2_000, mostCopies: 64 }

const ecma: Dialect = { isEcma: true, longest: 2_000, mostPlaces: 5_000, mostCopies: 2_048 }

/** Steps over all texts that one search pattern is tried on: less than a second. */
const mostSteps = 4_000_000
const searchRoom = 50_000

export class PatternTooSlow extends Error {}

/** As Python's `re.search`. Undefined for a pattern that is not supported; the function throws `PatternTooSlow` once the pattern has
 * taken too many steps. */
export function searchPattern(source: string): ((text: string) => boolean) | undefined {
  const read = readPattern(source, search, { left: search.mostPlaces })
  if (!read) return undefined
  const automaton = new Automaton(read, { left: searchRoom })
  const steps = { steps: mostSteps }
  return (text) => {
    const found = automaton.matches(read.ignoresCase ? text.toLowerCase() : text, steps)
    if (found === undefined) throw new PatternTooSlow()
    return found
  }
}

export class EcmaPattern {
  readonly #automaton: Automaton
  readonly #hasKinds: boolean

  private constructor(automaton: Automaton, hasKinds: boolean) {
    this.#automaton = automaton
    this.#hasKinds = hasKinds
  }

  /** Undefined for a pattern that is not supported, not valid or too large. `places` and `memory` may be shared by several. */
  static read(source: string, places: Room, memory: Room): EcmaPattern | undefined {
    const read = readPattern(source, ecma, places)
    return read && new EcmaPattern(new Automaton(read, memory), read.hasKinds)
  }

  /** Undefined where the steps ended before that was known. */
  matches(text: string, steps: Steps): boolean | undefined {
    return this.#automaton.matches(text, steps)
  }

  /** Whether other languages see another kind of character somewhere: `\w` is a letter of ASCII here, of any script in Python. */
  isDoubtful(text: string): boolean {
    return this.#hasKinds && /[^\0-\x7f]/.test(text)
  }
}
