// Text that comes in pieces, of one character if need be, and is looked at as a whole once.

/** Pieces are joined to parts of about this size: long lists of small strings cost more than the strings. */
const partLength = 256

/**
 * A string of its own. One that was cut out of a longer string holds on to all of that, and who sends the longer one decides how
 * much that is.
 */
export const ownText = (text: string) => ` ${text}`.slice(1)

export class TextBuffer {
  readonly #maxLength: number
  #parts: string[] = []
  /** Joined together, not one by one: a string that grows by `+=` is a tree, and trees keep the garbage collector busy. */
  #pieces: string[] = []
  #piecesLength = 0
  length = 0

  /** Beyond `maxLength` nothing is kept: only the length grows on. */
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
