// The rules by which a quote ends its string, for text with unescaped quotes in strings: it does if what follows can follow a
// value. Each lookahead ends at the next quote or is bounded, which keeps the total linear.

const maxKey = 512
const maxComment = 200
const quotes = new Set('"\'“”„‟‘’‚‛')
const doubles = '“”„‟'
const singles = '‘’‚‛'
const valueStart = /[{[\d-]|(?:true|false|null|True|False|None)\b/y
const bareKey = /[A-Za-z_$][\w$-]*/y

export const isQuote = (char: string) => quotes.has(char)
const isBlank = (char: string) => char <= ' ' || (char > '~' && /\s/.test(char))

/** The characters that can end a string that begins with `opener`. */
export function closersOf(opener: string): string {
  if (doubles.includes(opener)) return doubles
  return singles.includes(opener) ? singles : opener
}

export class QuoteRules {
  /** Keys without quotes have been seen: more may follow. */
  bareKeys = false
  readonly #text: string
  /** The closing brackets that are due, the next one last. */
  readonly #open: readonly string[]

  constructor(text: string, open: readonly string[]) {
    this.#text = text
    this.#open = open
  }

  /** The quote at `at` can end a value. */
  closesValue(at: number): boolean {
    let depth = this.#open.length
    for (let from = at + 1; ; ) {
      const next = this.#skip(from)
      const char = this.#text[next]
      if (depth === 0) return this.#canFollowAll(from, next)
      if (char === undefined) return true
      if (char === ',') return this.#memberAt(this.#skip(next + 1), depth)
      if (char !== '}' && char !== ']') return this.#lineBreaks(from, next) && this.#memberAt(next, depth)
      depth = this.#open.lastIndexOf(char, depth - 1)
      if (depth < 0) return false
      from = next + 1
    }
  }

  /** A key and its colon, or a text that ends before the colon. */
  keyAt(at: number): boolean {
    const opener = this.#text[at]
    if (opener === undefined) return true
    if (isQuote(opener)) return this.#quotedKeyAt(at, closersOf(opener))
    bareKey.lastIndex = at
    const word = this.bareKeys ? bareKey.exec(this.#text)?.[0] : undefined
    return word !== undefined && this.#colonAt(at + word.length)
  }

  #quotedKeyAt(at: number, closers: string): boolean {
    const limit = at + 1 + maxKey
    for (let end = at + 1; end < limit; end++) {
      const char = this.#text[end]
      if (char === undefined) return true
      if (char === '\\') end++
      else if (closers.includes(char)) return this.#colonAt(end + 1)
    }
    return true
  }

  #colonAt(from: number): boolean {
    const char = this.#text[this.#skip(from)]
    return char === undefined || char === ':'
  }

  #memberAt(at: number, depth: number): boolean {
    const char = this.#text[at]
    const closer = this.#open[depth - 1]
    if (char === undefined || char === closer) return true
    if (closer === '}') return this.keyAt(at)
    valueStart.lastIndex = at
    return isQuote(char) || valueStart.test(this.#text)
  }

  /** After the last closing bracket, nothing may look like the rest of a string. */
  #canFollowAll(from: number, next: number): boolean {
    const char = this.#text[next]
    return char === undefined || '<`{[}];'.includes(char) || this.#lineBreaks(from, next)
  }

  #lineBreaks(from: number, to: number): boolean {
    return this.#text.slice(from, to).includes('\n')
  }

  #skip(from: number): number {
    const next = skipBlank(this.#text, from)
    if (this.#text[next] !== '/') return next
    const end = this.#text[next + 1] === '/' ? '\n' : this.#text[next + 1] === '*' ? '*/' : undefined
    if (end === undefined) return next
    const found = this.#text.slice(next, next + maxComment).indexOf(end, 2)
    return found === -1 ? next : skipBlank(this.#text, next + found + end.length)
  }
}

export function skipBlank(text: string, from: number): number {
  let at = from
  while (at < text.length && isBlank(text[at] as string)) at++
  return at
}
