// A regular expression of a model, as an automaton that follows all alternatives at once: no text makes it slow. It finds a match
// anywhere, as Python's `re.search` does. Supported are literals, `.`, classes, `\d \w \s` and their opposites, groups, `|`, `* + ?`,
// `{m,n}` up to a limit, `^ $ \b`, and a leading `(?i)`. Look-around and back-references are not: `toolPattern` is then undefined.

type Test = (character: string) => boolean
type Edge = 'start' | 'end' | 'boundary'

interface State {
  /** Consumes a character. */
  test?: Test
  /** Is passed only at such a place. */
  edge?: Edge
  next: number[]
}

/** Characters of a pattern: the limit of Anthropic's search. */
const longest = 200
/** Counted repetitions copy their part. */
const mostStates = 2_000
const mostCopies = 64

/** Steps of the automaton over all texts that one pattern is tried on: less than a second. */
const mostSteps = 4_000_000

/** The function throws `PatternTooSlow` once the pattern has taken too many steps. */
export function toolPattern(source: string): ((text: string) => boolean) | undefined {
  if (source.length > longest) return undefined
  try {
    return new PatternReader(source).read()
  } catch (error) {
    if (error instanceof Unsupported) return undefined
    throw error
  }
}

class Unsupported extends Error {}

export class PatternTooSlow extends Error {}

/** A part of the pattern that was read, to be added to the automaton any number of times. Returns its first state. */
type Part = (next: number) => number

class PatternReader {
  readonly #source: string
  #at = 0
  #depth = 0
  readonly #ignoresCase: boolean
  readonly #states: State[] = [{ next: [] }]

  constructor(source: string) {
    this.#ignoresCase = source.startsWith('(?i)')
    this.#source = this.#ignoresCase ? source.slice(4) : source
  }

  read(): (text: string) => boolean {
    const part = this.#alternatives()
    if (this.#at < this.#source.length) throw new Unsupported()
    const start = part(0)
    const states = this.#states
    const ignoresCase = this.#ignoresCase
    const steps = { left: mostSteps }
    return (text) => matches(states, start, ignoresCase ? text.toLowerCase() : text, steps)
  }

  #add(state: State): number {
    if (this.#states.length >= mostStates) throw new Unsupported()
    return this.#states.push(state) - 1
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
    return (next) => parts.reduceRight((after, part) => part(after), next)
  }

  #repeated(part: Part): Part {
    const counted = /^\{(\d{1,3})(,?)(\d{0,3})\}/.exec(this.#source.slice(this.#at, this.#at + 9))
    let repeated = part
    if (this.#takes('*')) repeated = this.#loop(part)
    else if (this.#takes('+')) repeated = (next) => this.#once(part, next)
    else if (this.#takes('?')) repeated = this.#maybe(part)
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
      const state: State = { next: [] }
      const loop = this.#add(state)
      state.next = [part(loop), next]
      return loop
    }

  #once(part: Part, next: number): number {
    return part(this.#loop(part)(next))
  }

  #maybe =
    (part: Part): Part =>
    (next) =>
      this.#add({ next: [part(next), next] })

  #copies(part: Part, least: number, most: number | undefined): Part {
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
    const character = this.#source[this.#at++] as string
    switch (character) {
      case '(':
        return this.#group()
      case '[':
        return this.#one(this.#class())
      case '.':
        return this.#one((other) => other !== '\n')
      case '^':
        return (next) => this.#add({ edge: 'start', next: [next] })
      case '$':
        return (next) => this.#add({ edge: 'end', next: [next] })
      case '\\':
        return this.#escape()
      case '*':
      case '+':
      case '?':
        throw new Unsupported()
      default:
        return this.#one(this.#literal(character))
    }
  }

  #one(test: Test): Part {
    return (next) => this.#add({ test, next: [next] })
  }

  #literal(character: string): Test {
    const wanted = this.#ignoresCase ? character.toLowerCase() : character
    return (other) => other === wanted
  }

  #group(): Part {
    if (this.#takes('?') && !this.#takes(':')) throw new Unsupported()
    if (++this.#depth > mostCopies) throw new Unsupported()
    const part = this.#alternatives()
    this.#depth--
    if (!this.#takes(')')) throw new Unsupported()
    return part
  }

  #escape(): Part {
    const letter = this.#source[this.#at++] ?? ''
    if (letter === 'b') return (next) => this.#add({ edge: 'boundary', next: [next] })
    return this.#one(this.#escaped(letter))
  }

  #escaped(letter: string): Test {
    const kind = kinds.get(letter)
    if (kind) return kind
    // A letter or digit has a meaning that is not supported, such as a back-reference.
    if (letter === '' || /[A-Za-z0-9]/.test(letter)) throw new Unsupported()
    return this.#literal(letter)
  }

  #class(): Test {
    const isNegated = this.#takes('^')
    const tests: Test[] = []
    for (let first = true; first || this.#source[this.#at] !== ']'; first = false) tests.push(this.#member())
    this.#at++
    return (other) => tests.some((test) => test(other)) !== isNegated
  }

  #member(): Test {
    const character = this.#source[this.#at++]
    if (character === undefined) throw new Unsupported()
    if (character === '\\') return this.#escaped(this.#source[this.#at++] ?? '')
    const last = this.#source[this.#at + 1]
    if (this.#source[this.#at] !== '-' || last === undefined || last === ']') return this.#literal(character)
    if (last === '\\' || last < character) throw new Unsupported()
    this.#at += 2
    const isWithin: Test = (other) => other >= character && other <= last
    return this.#ignoresCase ? (other) => isWithin(other) || isWithin(other.toUpperCase()) : isWithin
  }

  #takes(character: string): boolean {
    if (this.#source[this.#at] !== character) return false
    this.#at++
    return true
  }
}

const isWord: Test = (character) => /\w/.test(character)
const kinds = new Map<string, Test>([
  ['d', (character) => /\d/.test(character)],
  ['D', (character) => /\D/.test(character)],
  ['w', isWord],
  ['W', (character) => /\W/.test(character)],
  ['s', (character) => /\s/.test(character)],
  ['S', (character) => /\S/.test(character)],
  ['n', (character) => character === '\n'],
  ['t', (character) => character === '\t'],
])

/** One pass over the text: `reached` holds every state that some beginning of a match has come to. */
function matches(states: readonly State[], start: number, text: string, steps: { left: number }): boolean {
  let reached = new Set<number>()
  for (let at = 0; ; at++) {
    const ahead = follow(states, [...reached, start], text, at)
    if (ahead.has(0)) return true
    steps.left -= ahead.size
    if (steps.left < 0) throw new PatternTooSlow()
    if (at >= text.length) return false
    reached = new Set()
    for (const place of ahead) {
      const { test, next } = states[place] as State
      if (test?.(text[at] as string)) for (const after of next) reached.add(after)
    }
  }
}

/** The states that are reached without a character. */
function follow(states: readonly State[], from: number[], text: string, at: number): Set<number> {
  const seen = new Set<number>()
  while (from.length > 0) {
    const place = from.pop() as number
    if (seen.has(place)) continue
    seen.add(place)
    const { test, edge, next } = states[place] as State
    if (test || (edge !== undefined && !isAt(edge, text, at))) continue
    for (const after of next) from.push(after)
  }
  return seen
}

function isAt(edge: Edge, text: string, at: number): boolean {
  if (edge === 'start') return at === 0
  if (edge === 'end') return at === text.length
  return isWord(text[at - 1] ?? ' ') !== isWord(text[at] ?? ' ')
}
