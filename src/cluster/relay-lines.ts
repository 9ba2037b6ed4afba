// Splits the bytes of a relayed answer into lines. Chunks may end anywhere, even inside a character. An empty line is a keep-alive.

const newline = 0x0a

export class RelayLines {
  readonly #maxBytes: number
  #parts: Buffer[] = []
  #size = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The lines that these bytes complete, without empty ones. Throws if a line is too long. */
  push(bytes: Buffer): string[] {
    const lines: string[] = []
    let from = 0
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, from)) {
      this.#keep(bytes.subarray(from, at))
      if (this.#size > 0) lines.push(Buffer.concat(this.#parts).toString('utf8'))
      this.#parts = []
      this.#size = 0
      from = at + 1
    }
    this.#keep(bytes.subarray(from))
    return lines
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return
    this.#size += part.length
    if (this.#size > this.#maxBytes) throw new Error('a line of the relayed answer is too long')
    this.#parts.push(part)
  }
}
