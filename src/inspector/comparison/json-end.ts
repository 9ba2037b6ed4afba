// Tells when a JSON value that comes in pieces is complete, without parsing it again at each piece.

export class JsonEnd {
  #depth = 0
  #isText = false
  #isEscaped = false
  #began = false

  /** An object or a list that was opened and closed. */
  get isComplete(): boolean {
    return this.#began && this.#depth === 0
  }

  add(piece: string): void {
    for (const char of piece) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (this.#isText) {
        if (char === '\\') this.#isEscaped = true
        else if (char === '"') this.#isText = false
      } else if (char === '"') this.#isText = true
      else if (char === '{' || char === '[') {
        this.#depth++
        this.#began = true
      } else if (char === '}' || char === ']') this.#depth--
    }
  }
}
