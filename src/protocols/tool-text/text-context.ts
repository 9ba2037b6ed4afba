// Where in a text we are: in a fence, in inline code, in quotes, in a quoted line. A call that stands there is an example,
// not a call. Looks at each character once.

const newline = 0x0a
const space = 0x20
const tab = 0x09
const doubleQuote = 0x22
const singleQuote = 0x27
const backtick = 0x60
const tilde = 0x7e
const greater = 0x3e

/** Opening quotation marks and what closes them. */
const quotePairs = new Map([
  [0x201c, 0x201d],
  [0x201e, 0x201d],
  [0xab, 0xbb],
  [0x300c, 0x300d],
  [0x300e, 0x300f],
])

export class TextContext {
  /** Nothing but white space stands on this line so far. */
  lineStart = true
  #fence: { code: number; length: number } | undefined
  /** A run of backticks or tildes that has not ended. */
  #run = { code: 0, length: 0, atLineStart: false }
  /** The rest of a line that opened a fence: its language. */
  #info = false
  #inlineCode = 0
  #inQuotes = false
  #closingQuote = 0
  #quotedLine = false
  #last = 0

  /** What stands here is shown, not meant. */
  get isExample(): boolean {
    return (
      this.inFence ||
      this.#inlineCode > 0 ||
      this.#inQuotes ||
      this.#closingQuote !== 0 ||
      this.#quotedLine ||
      this.#last === singleQuote
    )
  }

  get inFence(): boolean {
    this.#endRun(0)
    return this.#fence !== undefined
  }

  skip(text: string, from: number, to: number): void {
    for (let at = from; at < to; at++) this.on(text.charCodeAt(at))
  }

  on(code: number): void {
    if (this.#run.length > 0) {
      if (code === this.#run.code) {
        this.#run.length++
        return
      }
      this.#endRun(code)
    }
    if (code === newline) this.#newLine()
    else if (code === backtick || (code === tilde && this.lineStart)) {
      this.#run = { code, length: 1, atLineStart: this.lineStart }
      this.lineStart = false
    } else if (code !== space && code !== tab) this.#onOther(code)
    this.#last = code
  }

  #onOther(code: number): void {
    if (this.#fence === undefined && this.#inlineCode === 0) {
      if (code === greater && this.lineStart) this.#quotedLine = true
      else if (code === doubleQuote) this.#inQuotes = !this.#inQuotes
      else if (code === this.#closingQuote) this.#closingQuote = 0
      else if (code > 0x7f && this.#closingQuote === 0) this.#closingQuote = quotePairs.get(code) ?? 0
    }
    this.lineStart = false
  }

  #newLine(): void {
    this.lineStart = true
    this.#info = false
    this.#inlineCode = 0
    this.#inQuotes = false
    this.#closingQuote = 0
    this.#quotedLine = false
  }

  /** Decides what the run was, by what follows it. */
  #endRun(next: number): void {
    const { code, length, atLineStart } = this.#run
    if (length === 0) return
    this.#run = { code: 0, length: 0, atLineStart: false }
    if (this.#info) return
    if (this.#fence) {
      // A closing fence has nothing behind it; a word there would be the language of another one.
      if (atLineStart && code === this.#fence.code && length >= this.#fence.length && !isWord(next))
        this.#fence = undefined
    } else if (length >= 3 && (atLineStart || (next === newline && this.#inlineCode !== length))) {
      // At the end of a line, too: it is no fence by the book, but meant as one, and closed by one.
      this.#fence = { code, length }
      this.#info = next !== newline
    } else if (code === backtick) {
      if (this.#inlineCode === 0) this.#inlineCode = length
      else if (this.#inlineCode === length) this.#inlineCode = 0
    }
  }
}

const isWord = (code: number) =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
