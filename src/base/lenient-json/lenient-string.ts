// Rewrites one string of lenient JSON into strict JSON with the same meaning.

import { closersOf } from './lenient-quotes.ts'

const backslash = 0x5c
const quote = 0x22

/** Escapes that mean the same in JSON. */
const strictEscapes = new Set('"\\/bfnrt')
const controls = new Map([
  [0x08, '\\b'],
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0c, '\\f'],
  [0x0d, '\\r'],
])

export class LenientString {
  /** A string contained unescaped quotes. */
  inner = false
  readonly #text: string
  readonly #pieces: string[]
  readonly #changes: Set<string>

  constructor(text: string, pieces: string[], changes: Set<string>) {
    this.#text = text
    this.#pieces = pieces
    this.#changes = changes
  }

  /** The position after the string that begins at `at`; undefined if the text ends inside it. */
  rewrite(at: number, closes: (at: number) => boolean): number | undefined {
    const opener = this.#text[at] as string
    const triple = opener.repeat(3)
    const tripled = (opener === '"' || opener === "'") && this.#text.startsWith(triple, at)
    if (tripled) this.#changes.add('triple-quoted strings')
    else if (opener === "'") this.#changes.add('single-quoted strings')
    else if (opener !== '"') this.#changes.add('typographic quotes')
    const width = tripled ? 3 : 1
    this.#pieces.push('"')
    const end = tripled
      ? this.#body(at + width, opener, (from) => this.#text.startsWith(triple, from))
      : this.#body(at + width, closersOf(opener), (from) => closes(from) || this.#isInner())
    if (end === undefined) return undefined
    this.#pieces.push('"')
    return end + width
  }

  /** One pass; valid text is copied in long runs. */
  #body(from: number, closers: string, closes: (at: number) => boolean): number | undefined {
    const text = this.#text
    const first = closers.charCodeAt(0)
    let run = from
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at)
      const closer = code === first || (closers.length > 1 && closers.includes(text[at] as string))
      if (code >= 0x20 && code !== backslash && code !== quote && !closer) continue
      if (closer && closes(at)) {
        this.#take(run, at)
        return at
      }
      if (code === backslash) {
        const rest = this.#escape(run, at, closers)
        if (rest === undefined) return undefined
        run = rest.run
        at = rest.at
        continue
      }
      this.#take(run, at)
      run = at
      if (code === quote) this.#pieces.push('\\')
      else if (code < 0x20) {
        this.#control(code)
        run = at + 1
      }
    }
    return undefined
  }

  /** After the escape at `at`: where reading goes on, and from where text is still to be copied. */
  #escape(run: number, at: number, closers: string): { run: number; at: number } | undefined {
    const text = this.#text
    const char = text[at + 1]
    if (char === undefined) return undefined
    if (strictEscapes.has(char)) return { run, at: at + 1 }
    const hex = char === 'u' ? 4 : char === 'x' ? 2 : 0
    const digits = text.slice(at + 2, at + 2 + hex)
    const coded = hex > 0 && /^[0-9a-fA-F]+$/.test(digits)
    if (coded && char === 'u') return { run, at: at + 5 }
    this.#changes.add('bad escapes')
    this.#take(run, at)
    if (coded) {
      this.#pieces.push(`\\u00${digits}`)
      return { run: at + 4, at: at + 3 }
    }
    // Models escape single quotes out of habit; in '\'' the backslash belongs to the shell.
    const shell = closers !== "'" && text[at - 1] === "'" && text[at + 2] === "'"
    if (char === "'" && !shell) return { run: at + 1, at: at + 1 }
    // Any other backslash should have been doubled: \d, \$, C:\Users, or one at the end of a line.
    this.#pieces.push('\\\\')
    return { run: at + 1, at: char === "'" ? at + 1 : at }
  }

  #control(code: number): void {
    const lineBreak = code === 0x0a || code === 0x0d
    this.#changes.add(lineBreak ? 'raw line breaks in strings' : 'raw control characters in strings')
    this.#pieces.push(controls.get(code) ?? `\\u${code.toString(16).padStart(4, '0')}`)
  }

  #isInner(): false {
    this.inner = true
    this.#changes.add('unescaped quotes in strings')
    return false
  }

  #take(from: number, to: number): void {
    if (to > from) this.#pieces.push(this.#text.slice(from, to))
  }
}
