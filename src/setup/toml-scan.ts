// Finds the statements of a TOML text. It knows just enough syntax to find the end of each one, and refuses anything else:
// https://toml.io/en/v1.0.0

import { CannotEdit } from './plan.ts'

export interface TomlStatement {
  kind: 'table' | 'array-table' | 'pair'
  /** The full name: of the table, or of the table and the key. */
  path: string[]
  /** The table of a pair; empty before the first table. */
  table: string[]
  /** After the end of its last line. */
  end: number
  /** The range of a pair's value. */
  valueStart: number
  valueEnd: number
}

export function scanToml(text: string): TomlStatement[] {
  const scanner = new Scanner(text)
  const found = scanner.statements()
  checkOnce(found)
  return found
}

/** A duplicate name means that the text is not TOML, or that the scan is wrong. */
function checkOnce(found: readonly TomlStatement[]): void {
  const seen = new Set<string>()
  const arrays = found.filter(({ kind }) => kind === 'array-table').map(({ path }) => path)
  for (const { kind, path } of found) {
    if (kind === 'array-table' || arrays.some((array) => array.every((part, at) => part === path[at])))
      continue
    const name = JSON.stringify(path)
    if (seen.has(name)) throw new CannotEdit(`"${path.join('.')}" stands there twice`)
    seen.add(name)
  }
}

class Scanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  statements(): TomlStatement[] {
    const found: TomlStatement[] = []
    let table: string[] = []
    if (this.#text.startsWith('\uFEFF')) this.#at = 1
    for (;;) {
      this.#skipBlank()
      if (this.#at >= this.#text.length) return found
      if (this.#peek() === '[') {
        const { kind, path } = this.#header()
        table = path
        found.push({ kind, path, table, end: this.#endOfLine(), valueStart: 0, valueEnd: 0 })
        continue
      }
      const path = this.#name()
      this.#expect('=')
      this.#skipSpace()
      const valueStart = this.#at
      this.#value()
      const valueEnd = this.#at
      found.push({
        kind: 'pair',
        path: [...table, ...path],
        table,
        end: this.#endOfLine(),
        valueStart,
        valueEnd,
      })
    }
  }

  #peek(length = 1): string {
    return this.#text.slice(this.#at, this.#at + length)
  }

  #fail(): never {
    const line = this.#text.slice(0, this.#at).split('\n').length
    throw new CannotEdit(`line ${line} is not TOML as it is known here`)
  }

  /** Consumes and returns a match at the current position. */
  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }

  #expect(sign: string): void {
    this.#skipSpace()
    if (this.#peek(sign.length) !== sign) this.#fail()
    this.#at += sign.length
  }

  #skipSpace(): void {
    this.#take(/[ \t]*/y)
  }

  /** Skips white space, empty lines and comments. */
  #skipBlank(): void {
    this.#take(/(?:[ \t]|\r?\n|#[^\r\n]*)*/y)
  }

  /** The rest of the line may hold only a comment. */
  #endOfLine(): number {
    if (this.#take(/[ \t]*(?:#[^\r\n]*)?(?:\r?\n|$)/y) === undefined) this.#fail()
    return this.#at
  }

  #header(): { kind: 'table' | 'array-table'; path: string[] } {
    const double = this.#peek(2) === '[['
    this.#at += double ? 2 : 1
    const path = this.#name()
    this.#skipSpace()
    this.#expectNow(double ? ']]' : ']')
    return { kind: double ? 'array-table' : 'table', path }
  }

  #expectNow(sign: string): void {
    if (this.#peek(sign.length) !== sign) this.#fail()
    this.#at += sign.length
  }

  #name(): string[] {
    const path: string[] = []
    do {
      this.#skipSpace()
      path.push(this.#part())
      this.#skipSpace()
    } while (this.#take(/\./y) !== undefined)
    return path
  }

  #part(): string {
    const quoted = this.#take(/"(?:[^"\\\r\n]|\\["\\bfnrt]|\\u[\dA-Fa-f]{4})*"/y)
    if (quoted !== undefined) {
      try {
        return JSON.parse(quoted) as string
      } catch {
        this.#fail()
      }
    }
    const literal = this.#take(/'[^'\r\n]*'/y)
    if (literal !== undefined) return literal.slice(1, -1)
    return this.#take(/[\w-]+/y) ?? this.#fail()
  }

  #value(): void {
    const sign = this.#peek()
    if (sign === '"' || sign === "'") this.#string()
    else if (sign === '[') this.#array()
    else if (sign === '{') this.#inlineTable()
    // Numbers, dates and booleans: only their end matters.
    else if (this.#take(/[\w+-][\w+.:-]*(?: \d\d:\d\d[\w+.:-]*)?/y) === undefined) this.#fail()
  }

  #string(): void {
    const whole =
      this.#take(/"""(?:[^"\\]|\\[\s\S]|"{1,2}(?!"))*"{3,5}/y) ??
      this.#take(/'''(?:[^']|'{1,2}(?!'))*'{3,5}/y) ??
      this.#take(/"(?:[^"\\\r\n]|\\.)*"/y) ??
      this.#take(/'[^'\r\n]*'/y)
    if (whole === undefined) this.#fail()
  }

  #array(): void {
    this.#expectNow('[')
    for (;;) {
      this.#skipBlank()
      if (this.#take(/\]/y) !== undefined) return
      this.#value()
      this.#skipBlank()
      if (this.#take(/,/y) === undefined && this.#peek() !== ']') this.#fail()
    }
  }

  #inlineTable(): void {
    this.#expectNow('{')
    this.#skipSpace()
    if (this.#take(/\}/y) !== undefined) return
    for (;;) {
      this.#name()
      this.#expect('=')
      this.#skipSpace()
      this.#value()
      this.#skipSpace()
      if (this.#take(/\}/y) !== undefined) return
      this.#expectNow(',')
    }
  }
}
