// Translates regular expressions for ripgrep (Rust syntax), as models write them, to JavaScript. Patterns that only ripgrep
// would refuse (a lone brace, an escaped quote) are accepted with their intended meaning.

import { Refusal } from '../files/refusal.ts'

interface PatternOptions {
  caseInsensitive: boolean
  /** Matches may span lines; otherwise each line is matched alone. */
  multiline: boolean
}

/** `ascii` is for ASCII texts, where JavaScript's faster classes mean the same. */
export interface CompiledPattern {
  ascii: RegExp
  unicode: RegExp
}

const longestPattern = 5000

export function compilePattern(pattern: string, options: PatternOptions): CompiledPattern {
  if (pattern.length > longestPattern) throw invalid(`it is longer than ${longestPattern} characters`)
  const { flags, rest } = leadingFlags(pattern)
  const caseInsensitive = flags.get('i') ?? options.caseInsensitive
  const compile = (unicode: boolean) => {
    const source = new Translation(rest, { unicode, multiline: options.multiline }).run()
    try {
      return new RegExp(source, `gsv${caseInsensitive ? 'i' : ''}`)
    } catch (error) {
      throw invalid(
        error instanceof Error ? error.message.replace(/^.*\/[a-z]*: /s, '') : 'it does not compile',
      )
    }
  }
  return { ascii: compile(false), unicode: compile(true) }
}

const invalid = (reason: string) =>
  new Refusal(
    `The pattern is not valid: ${reason}. It is a regular expression as ripgrep takes them; put a backslash before characters that are meant as they are.`,
  )

/** `(?i)` at the beginning. The search decides about lines and dots, regardless of `s`, `m` and `u`. */
function leadingFlags(pattern: string): { flags: Map<string, boolean>; rest: string } {
  const flags = new Map<string, boolean>()
  let rest = pattern
  for (let found = leading.exec(rest); found !== null; found = leading.exec(rest)) {
    for (const flag of found[1] ?? '') flags.set(flag, true)
    for (const flag of found[2] ?? '') flags.set(flag, false)
    rest = rest.slice(found[0].length)
  }
  for (const flag of ['x', 'U'])
    if (flags.get(flag)) throw invalid(`the flag (?${flag}) is not known here; write the pattern without it`)
  return { flags, rest }
}

const leading = /^\(\?([imsuUxR]*)(?:-([imsuUxR]+))?\)/

const unicodeWord = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}'

const classesOf = (unicode: boolean): Readonly<Record<string, string>> =>
  unicode
    ? {
        w: `[${unicodeWord}]`,
        W: `[^${unicodeWord}]`,
        d: '\\p{Nd}',
        D: '\\P{Nd}',
        s: '\\p{White_Space}',
        S: '\\P{White_Space}',
      }
    : { w: '\\w', W: '\\W', d: '\\d', D: '\\D', s: '\\s', S: '\\S' }

const word = `[${unicodeWord}]`

const boundariesOf = (unicode: boolean): Readonly<Record<string, string>> =>
  unicode
    ? {
        b: `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`,
        B: `(?:(?<=${word})(?=${word})|(?<!${word})(?!${word}))`,
        '<': `(?:(?<!${word})(?=${word}))`,
        '>': `(?:(?<=${word})(?!${word}))`,
      }
    : { b: '\\b', B: '\\B', '<': '(?:\\b(?=\\w))', '>': '(?:\\b(?<=\\w))' }

const characters: Readonly<Record<string, string>> = {
  a: '\\x07',
  e: '\\x1b',
  f: '\\f',
  n: '\\n',
  r: '\\r',
  t: '\\t',
  v: '\\v',
  0: '\\0',
}

const posixClasses: Readonly<Record<string, string>> = {
  alnum: 'a-zA-Z0-9',
  alpha: 'a-zA-Z',
  ascii: '\\x00-\\x7f',
  blank: ' \\t',
  cntrl: '\\x00-\\x1f\\x7f',
  digit: '0-9',
  graph: '\\x21-\\x7e',
  lower: 'a-z',
  print: '\\x20-\\x7e',
  punct: '\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e',
  space: '\\s',
  upper: 'A-Z',
  word: '\\w',
  xdigit: '0-9A-Fa-f',
}

const codePoint =
  /\\(?:x\{([0-9A-Fa-f]{1,8})\}|x([0-9A-Fa-f]{2})|u\{([0-9A-Fa-f]{1,8})\}|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))/y
const property = /\\([pP])(?:\{(\^?)([\w =:.-]+)\}|([A-Za-z]))/y
const group = /\(\?(?:P?<([A-Za-z_]\w*)>|(<?[=!]|:)|P=([A-Za-z_]\w*)\))/y
const reference = /\\(?:k[<{']([A-Za-z_]\w*)[>}']|([1-9]\d?))/y
const quantifier = /\{(\d+(?:,\d*)?|,\d+)\}/y
const posix = /\[:(\^?)(\w+):\]/y

const isSyntax = (char: string) => '^$\\.*+?()[]{}|/'.includes(char)
const literal = (char: string) => (isSyntax(char) ? `\\${char}` : char)
const classLiteral = (char: string) => (/^[!-~]$/.test(char) && !/^[\w"']$/.test(char) ? `\\${char}` : char)

class Translation {
  readonly #source: string
  readonly #multiline: boolean
  readonly #classes: Readonly<Record<string, string>>
  readonly #boundaries: Readonly<Record<string, string>>
  #at = 0

  constructor(source: string, { unicode, multiline }: { unicode: boolean; multiline: boolean }) {
    this.#source = source
    this.#multiline = multiline
    this.#classes = classesOf(unicode)
    this.#boundaries = boundariesOf(unicode)
  }

  run(): string {
    let out = ''
    while (this.#at < this.#source.length) out += this.#next()
    return out
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#source)
    if (found === null) return undefined
    this.#at += found[0].length
    return found
  }

  #char(): string {
    const char = String.fromCodePoint(this.#source.codePointAt(this.#at) as number)
    this.#at += char.length
    return char
  }

  #next(): string {
    const repeated = this.#take(quantifier)
    if (repeated) return `{${(repeated[1] as string).replace(/^,/, '0,')}}`
    const opened = this.#take(group)
    if (opened) {
      const [, name, kind, named] = opened
      return name ? `(?<${name}>` : kind ? `(?${kind}` : `\\k<${named}>`
    }
    if (this.#source.startsWith('(?', this.#at))
      throw invalid(
        `"${this.#source.slice(this.#at, this.#at + 4)}" is not known here; flags stand at the front, as (?i)`,
      )
    const char = this.#char()
    if (char === '\\') return this.#escape()
    if (char === '[') return this.#class(0)
    if (char === '^') return this.#multiline ? '(?<![^\\n])' : '^'
    if (char === '$') return this.#multiline ? '(?=\\r?(?:\\n|$))' : '$'
    return '{}]/'.includes(char) ? literal(char) : char
  }

  /** After the backslash. */
  #escape(): string {
    this.#at--
    const referred = this.#take(reference)
    if (referred) return referred[1] === undefined ? `\\${referred[2]}` : `\\k<${referred[1]}>`
    const shared = this.#sharedEscape()
    if (shared !== undefined) return shared
    this.#at++
    if (this.#at >= this.#source.length) throw invalid('it ends with a lone backslash')
    const char = this.#char()
    if (char === 'A') return '^'
    if (char === 'z') return '$'
    if (char === 'Z') return '(?=\\n?$)'
    return this.#boundaries[char] ?? this.#plainEscape(char, literal)
  }

  /** At the backslash: escapes with the same meaning inside and outside a class. */
  #sharedEscape(): string | undefined {
    const point = this.#take(codePoint)
    if (point) return `\\u{${point.slice(1).find((digits) => digits !== undefined)}}`
    const named = this.#take(property)
    if (named) return toProperty(named)
    const char = this.#source[this.#at + 1] ?? ''
    const known = this.#classes[char] ?? characters[char]
    if (known !== undefined) this.#at += 2
    return known
  }

  #plainEscape(char: string, write: (char: string) => string): string {
    if (/[A-Za-z0-9]/.test(char)) throw invalid(`the escape \\${char} is not known`)
    return write(char)
  }

  /** After the bracket. */
  #class(depth: number): string {
    let out = '['
    if (this.#source[this.#at] === '^') {
      out += '^'
      this.#at++
    }
    for (let first = true; ; first = false) {
      const char = this.#source[this.#at]
      if (char === undefined) throw invalid('a [ has no ] behind it')
      if (char === ']' && !first) break
      if (/^(?:&&|--|~~)./s.test(this.#source.slice(this.#at, this.#at + 3)) && !first)
        throw invalid(`"${char}${char}" in a class is not known here`)
      out += this.#range(depth)
    }
    this.#at++
    return `${out}]`
  }

  #range(depth: number): string {
    const from = this.#classItem(depth)
    const goesOn =
      this.#source[this.#at] === '-' && !['-', ']', undefined].includes(this.#source[this.#at + 1])
    if (!goesOn || !from.single) return from.text
    this.#at++
    const to = this.#classItem(depth)
    return to.single ? `${from.text}-${to.text}` : `${from.text}\\-${to.text}`
  }

  #classItem(depth: number): { text: string; single: boolean } {
    const named = this.#take(posix)
    if (named) {
      const chars = posixClasses[named[2] as string]
      if (chars === undefined) throw invalid(`the class ${named[0]} is not known`)
      return { text: `[${named[1]}${chars}]`, single: false }
    }
    const char = this.#char()
    if (char === '[') return { text: this.#nested(depth) ?? '\\[', single: false }
    if (char !== '\\') return { text: classLiteral(char), single: true }
    this.#at--
    const escaped = this.#source[this.#at + 1] ?? ''
    const shared = this.#sharedEscape()
    if (shared !== undefined) return { text: shared, single: !/[pPwWdDsS]/.test(escaped) }
    this.#at++
    if (this.#at >= this.#source.length) throw invalid('it ends with a lone backslash')
    const plain = this.#char()
    return { text: plain === 'b' ? '\\x08' : this.#plainEscape(plain, classLiteral), single: true }
  }

  /** Rust has nested classes; elsewhere the bracket is literal. */
  #nested(depth: number): string | undefined {
    if (depth > 0) return undefined
    const before = this.#at
    try {
      const inner = this.#class(depth + 1)
      if (this.#source.includes(']', this.#at)) return inner
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
    this.#at = before
    return undefined
  }
}

function toProperty(found: RegExpExecArray): string {
  const [, letter = 'p', caret, name = '', short] = found
  const kind = caret === '^' ? (letter === 'p' ? 'P' : 'p') : letter
  const wanted = (short ?? name).replace(':', '=')
  for (const candidate of [wanted, `Script=${wanted}`]) {
    const source = `\\${kind}{${candidate}}`
    try {
      new RegExp(source, 'v')
      return source
    } catch {
      // Try the next name.
    }
  }
  throw invalid(`the property ${found[0]} is not known`)
}
