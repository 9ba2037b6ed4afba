// The Markdown context of a position: in a fence, inline code, quotes or a quoted line. A call there is an example. Each
// character is scanned once.

const newline = 0x0a
const space = 0x20
const tab = 0x09
const doubleQuote = 0x22
const singleQuote = 0x27
const backtick = 0x60
const tilde = 0x7e
const greater = 0x3e
const backslash = 0x5c

/** Opening quotation marks and what closes them. */
const quotePairs = new Map([
  [0x2018, 0x2019],
  [0x201a, 0x2018],
  [0x201c, 0x201d],
  [0x201e, 0x201d],
  [0xab, 0xbb],
  [0x300a, 0x300b],
  [0x300c, 0x300d],
  [0x300e, 0x300f],
])

export class TextContext {
  /** Only white space on this line so far. */
  lineStart = true
  #fence: { code: number; length: number; info: string; nested: number } | undefined
  /** The current run of backticks or tildes. */
  #run = { code: 0, length: 0, atLineStart: false, atItemStart: false }
  /** In the rest of a line that opened a fence: its language. */
  #info = false
  /** The beginning of the line, while it can be the mark of a list item. */
  #mark = ''
  #inlineCode = 0
  #inQuotes = false
  #closingQuote = 0
  #quotedLine = false
  #last = 0
  #beforeLast = 0
  /** The last character that is not white space. */
  #lastSeen = 0

  /** In the middle of a sentence. */
  get isAfterWord(): boolean {
    return !this.lineStart && isWord(this.#lastSeen)
  }

  /** Markup at this position is an example; `code` is its first character. */
  isExampleAt(code: number): boolean {
    if (code !== this.#run.code) this.#endRun(code)
    return (
      this.#fence !== undefined ||
      this.#inlineCode > 0 ||
      this.#inQuotes ||
      this.#closingQuote !== 0 ||
      this.#quotedLine ||
      this.#last === backslash ||
      // After a word it is an apostrophe.
      (this.#last === singleQuote && !isWord(this.#beforeLast))
    )
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
    else if (code === backtick || (code === tilde && this.#atItemStart)) {
      this.#run = { code, length: 1, atLineStart: this.lineStart, atItemStart: this.#atItemStart }
      this.lineStart = false
      this.#mark = noMark
    } else if (code !== space && code !== tab) this.#onOther(code)
    this.#beforeLast = this.#last
    this.#last = code
  }

  get #atItemStart(): boolean {
    return this.lineStart || listMark.test(this.#mark)
  }

  #onOther(code: number): void {
    const isItemStart = code === greater && this.#atItemStart
    this.lineStart = false
    this.#lastSeen = code
    if (this.#mark.length < longestMark) this.#mark += String.fromCharCode(code)
    if (this.#info && this.#fence && this.#fence.info.length < longestInfo)
      this.#fence.info += String.fromCharCode(code)
    if (this.#fence === undefined && this.#inlineCode === 0) {
      if (isItemStart) this.#quotedLine = true
      // After a digit it opens nothing: 5" is a size.
      else if (code === doubleQuote) this.#inQuotes = !this.#inQuotes && !isDigit(this.#last)
      else if (code === this.#closingQuote) this.#closingQuote = 0
      else if (code > 0x7f && this.#closingQuote === 0) this.#closingQuote = quotePairs.get(code) ?? 0
    }
  }

  #newLine(): void {
    this.lineStart = true
    this.#mark = ''
    this.#info = false
    this.#inlineCode = 0
    this.#inQuotes = false
    this.#closingQuote = 0
    this.#quotedLine = false
  }

  /** The character after a run decides what the run was. */
  #endRun(next: number): void {
    const { code, length, atLineStart, atItemStart } = this.#run
    if (length === 0) return
    this.#run = { code: 0, length: 0, atLineStart: false, atItemStart: false }
    if (this.#fence && this.#info && code === backtick && this.#fence.code === backtick) {
      // Backticks on the line of an opening fence: it was inline code.
      this.#inlineCode = this.#fence.length
      this.#fence = undefined
      this.#info = false
    } else if (this.#fence) {
      const isFence = !this.#info && atLineStart && code === this.#fence.code && length >= this.#fence.length
      if (isFence) this.#onInnerFence(this.#fence, next)
      return
    }
    // A run at the end of a line is no fence in CommonMark, but models mean it as one and close it with one.
    const isFence = atItemStart || (next === newline && this.#inlineCode !== length)
    if (length >= 3 && isFence) {
      this.#fence = { code, length, info: '', nested: 0 }
      this.#info = next !== newline
    } else if (code === backtick) {
      if (this.#inlineCode === 0) this.#inlineCode = length
      else if (this.#inlineCode === length) this.#inlineCode = 0
    }
  }

  /** Nothing follows a closing fence. A word there is the language of a nested fence, as in Markdown inside a fence. */
  #onInnerFence(fence: { info: string; nested: number }, next: number): void {
    if (isWord(next)) {
      if (markdown.test(fence.info)) fence.nested++
    } else if (fence.nested > 0) fence.nested--
    else this.#fence = undefined
  }
}

const longestMark = 8
const noMark = '`'.repeat(longestMark)
const longestInfo = 16
const listMark = /^(?:[-*+]|\d{1,6}[.)])$/
const markdown = /^(?:md|mdx|markdown)\b/i

const isDigit = (code: number) => code >= 0x30 && code <= 0x39
const isWord = (code: number) =>
  isDigit(code) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
