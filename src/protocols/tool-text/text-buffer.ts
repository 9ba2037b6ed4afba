// Text that comes in pieces, of one character if need be, and is looked at as a whole once.

/** Longer pieces are kept as they are; shorter ones are joined first, so that a list of them stays short. */
const worthKeeping = 1_024

export class TextBuffer {
  readonly #parts: string[] = []
  #tail = ''
  length = 0

  append(text: string): void {
    if (text === '') return
    this.length += text.length
    this.#tail += text
    if (this.#tail.length < worthKeeping) return
    this.#parts.push(this.#tail)
    this.#tail = ''
  }

  toString(): string {
    return this.#parts.length === 0 ? this.#tail : this.#parts.join('') + this.#tail
  }
}
