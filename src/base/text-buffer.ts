// Collects text that arrives in pieces, down to one character, and is read once as a whole.

/** Pieces are joined into parts of about this size: long arrays of small strings cost more than the strings. */
const partLength = 256

/**
 * A copy of the string. In V8 a slice keeps the whole string that it was cut from in memory, and the sender decides how long that
 * one is.
 */
export const ownText = (text: string) => ` ${text}`.slice(1)

export class TextBuffer {
  readonly #maxLength: number
  #parts: string[] = []
  /** Joined at once: a string that grows by `+=` is a tree, and trees are expensive for the garbage collector. */
  #pieces: string[] = []
  #piecesLength = 0
  length = 0

  /** Beyond `maxLength` the text is dropped; only the length still grows. */
  constructor(maxLength = Number.POSITIVE_INFINITY) {
    this.#maxLength = maxLength
  }

  get tooLong(): boolean {
    return this.length > this.#maxLength
  }

  append(text: string): void {
    if (text === '') return
    this.length += text.length
    if (this.tooLong) {
      this.#parts = []
      this.#pieces = []
      return
    }
    this.#pieces.push(text)
    this.#piecesLength += text.length
    if (this.#piecesLength >= partLength) this.#join()
  }

  toString(): string {
    this.#join()
    if (this.#parts.length > 1) this.#parts = [this.#parts.join('')]
    return this.#parts[0] ?? ''
  }

  #join(): void {
    if (this.#pieces.length === 0) return
    this.#parts.push(this.#pieces.length === 1 ? ownText(this.#pieces[0] as string) : this.#pieces.join(''))
    this.#pieces = []
    this.#piecesLength = 0
  }
}
