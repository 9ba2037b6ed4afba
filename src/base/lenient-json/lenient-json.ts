// The lenient JSON reader, for objects and arrays that a strict parser refuses. It rewrites the text into strict JSON, keeps
// the source of numbers, and parses the result. The jsonrepair package is no substitute: it closes cut strings silently and
// does not report its changes.

import { parseJson } from '../json.ts'
import { isQuote, QuoteRules, skipBlank } from './lenient-quotes.ts'
import { LenientString } from './lenient-string.ts'

interface LenientJson {
  /** Undefined if the text was cut: half a value is never returned. */
  value: unknown
  /** `value` as strict JSON, with the source of numbers; empty if the text was cut. */
  text: string
  /** Where reading stopped: before surplus closing brackets. */
  end: number
  /**
   * closed: all closing brackets are there. unclosed: some are missing, but every value is whole. cut: the text ends inside
   * a string, a number or a literal, or where something must follow.
   */
  complete: 'closed' | 'unclosed' | 'cut'
  /** The repairs, in words. */
  changes: string[]
}

const maxDepth = 128

/** Undefined if the text cannot be read without guessing its content. */
export function readLenientJson(text: string, at = 0): LenientJson | undefined {
  // The first reading takes every quote at face value; the second looks for quotes that should have been escaped.
  return new Rewriter(text, false).read(at) ?? new Rewriter(text, true).read(at)
}

type Stop = 'cut' | 'unreadable' | undefined

const strictBlank = /^[ \t\n\r]*$/
const scalarPattern = /[+\-.\w$]+/y
const wordPattern = /[A-Za-z_$][\w$-]*/y
const strictNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const looseNumber = /^[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
const beginOfNumber = /^[+-]?\d*(?:\.\d*)?(?:[eE][+-]?\d*)?$/
const literals = new Map([
  ['true', 'true'],
  ['false', 'false'],
  ['null', 'null'],
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
])

class Rewriter {
  readonly #text: string
  readonly #doubtQuotes: boolean
  readonly #pieces: string[] = []
  readonly #changes = new Set<string>()
  /** The closing brackets that are due, the next one last. */
  readonly #open: string[] = []
  readonly #quotes: QuoteRules
  readonly #strings: LenientString
  #at = 0
  #closersMissing = false

  constructor(text: string, doubtQuotes: boolean) {
    this.#text = text
    this.#doubtQuotes = doubtQuotes
    this.#quotes = new QuoteRules(text, this.#open)
    this.#strings = new LenientString(text, this.#pieces, this.#changes)
  }

  read(from: number): LenientJson | undefined {
    this.#at = skipBlank(this.#text, from)
    const first = this.#text[this.#at]
    if (first !== '{' && first !== '[') return undefined
    const stop = this.#container(first === '[')
    if (stop === 'unreadable' || (stop === undefined && this.#restOfString())) return undefined
    const changes = [...this.#changes]
    if (stop === 'cut')
      return { value: undefined, text: '', end: this.#text.length, complete: 'cut', changes }
    const text = this.#pieces.join('')
    const value = parseJson(text)
    if (value === undefined) return undefined
    return { value, text, end: this.#at, complete: this.#closersMissing ? 'unclosed' : 'closed', changes }
  }

  /** If a quote was wrongly taken for the end of a string, the rest of that string follows the value. */
  #restOfString(): boolean {
    if (!this.#strings.inner) return false
    const next = this.#text[skipBlank(this.#text, this.#at)]
    return next !== undefined && (next === ',' || next === ':' || isQuote(next))
  }

  #container(array: boolean): Stop {
    if (this.#open.length >= maxDepth) return 'unreadable'
    const closer = array ? ']' : '}'
    this.#open.push(closer)
    this.#pieces.push(array ? '[' : '{')
    this.#at++
    const stop = this.#members(array, closer)
    this.#open.pop()
    this.#pieces.push(closer)
    return stop
  }

  #members(array: boolean, closer: string): Stop {
    for (let count = 0; ; count++) {
      const stop = this.#skip()
      if (stop !== undefined) return stop
      if (this.#text[this.#at] === closer) {
        if (count > 0) this.#changes.add('trailing commas')
        this.#at++
        return undefined
      }
      if (count > 0) this.#pieces.push(',')
      const failed = (array ? undefined : this.#key()) ?? this.#value()
      if (failed !== undefined) return failed
      const next = this.#separator(array, closer)
      if (next !== 'more') return next === 'end' ? undefined : next
    }
  }

  /** After a whole value. */
  #separator(array: boolean, closer: string): 'more' | 'end' | 'cut' | 'unreadable' {
    const from = this.#at
    const stop = this.#skip()
    if (stop === 'unreadable') return stop
    // If quotes are not escaped, one at the very end may be inside its string.
    if (stop === 'cut') return this.#at < this.#text.length || this.#strings.inner ? 'cut' : this.#missing()
    const next = this.#text[this.#at] as string
    if (next === closer || next === ',') {
      this.#at++
      return next === ',' ? 'more' : 'end'
    }
    if (next === '}' || next === ']') return this.#open.includes(next) ? this.#missing() : 'unreadable'
    if (array ? !this.#text.slice(from, this.#at).includes('\n') : !this.#quotes.keyAt(this.#at))
      return 'unreadable'
    this.#changes.add('missing commas')
    return 'more'
  }

  #missing(): 'end' {
    this.#closersMissing = true
    this.#changes.add('missing closing brackets')
    return 'end'
  }

  #key(): Stop {
    if (isQuote(this.#text[this.#at] as string)) {
      const stop = this.#string(true)
      if (stop !== undefined) return stop
    } else {
      const word = this.#match(wordPattern)
      if (word === undefined) return 'unreadable'
      this.#pieces.push(`"${word}"`)
      this.#changes.add('unquoted keys')
      this.#quotes.bareKeys = true
    }
    const stop = this.#skip()
    if (stop !== undefined) return stop
    if (this.#text[this.#at] !== ':') return 'unreadable'
    this.#at++
    this.#pieces.push(':')
    return this.#skip()
  }

  #value(): Stop {
    const first = this.#text[this.#at] as string
    if (first === '{' || first === '[') return this.#container(first === '[')
    return isQuote(first) ? this.#string(false) : this.#scalar()
  }

  #string(key: boolean): Stop {
    const believed = key || !this.#doubtQuotes
    const end = this.#strings.rewrite(this.#at, (at) => believed || this.#quotes.closesValue(at))
    if (end === undefined) return 'cut'
    this.#at = end
    return undefined
  }

  /** A number or a literal. NaN, undefined and bare words have no JSON equivalent. */
  #scalar(): Stop {
    const word = this.#match(scalarPattern) ?? ''
    const literal = literals.get(word)
    if (this.#at >= this.#text.length) {
      const begun = beginOfNumber.test(word) || [...literals.keys()].some((name) => name.startsWith(word))
      return begun ? 'cut' : 'unreadable'
    }
    if (literal !== undefined) {
      if (literal !== word) this.#changes.add('Python literals')
      this.#pieces.push(literal)
      return undefined
    }
    if (!looseNumber.test(word)) return 'unreadable'
    const strict = strictNumber.test(word)
    if (!strict) this.#changes.add('numbers in another notation')
    this.#pieces.push(strict ? word : JSON.stringify(Number(word)))
    return undefined
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    this.#at += found?.length ?? 0
    return found
  }

  /** Skips white space and comments. A text that ends in either is cut; `#at` is at its end only after white space. */
  #skip(): Stop {
    for (;;) {
      const from = this.#at
      this.#at = skipBlank(this.#text, from)
      if (!strictBlank.test(this.#text.slice(from, this.#at))) this.#changes.add('unusual white space')
      if (this.#at >= this.#text.length) return 'cut'
      if (this.#text[this.#at] !== '/') return undefined
      const end = { '/': '\n', '*': '*/' }[this.#text[this.#at + 1] ?? '']
      if (end === undefined) return this.#at + 1 < this.#text.length ? 'unreadable' : 'cut'
      const found = this.#text.indexOf(end, this.#at + 2)
      if (found === -1) return 'cut'
      this.#changes.add('comments')
      this.#at = found + end.length
    }
  }
}
