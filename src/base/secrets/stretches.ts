// Maps positions of a decoded text to its source: stretches in which each character has the same width in the source.

export class Stretches {
  /** For each stretch: its start in the decoded text, its start in the source, and the width of a character there. */
  readonly #starts = [0]
  readonly #sources = [0]
  readonly #widths = [1]
  #start = 0
  #source = 0
  #width = 1

  /** Must be called for each character, in order. */
  add(at: number, source: number, width: number): void {
    if (width === this.#width && source === this.#source + (at - this.#start) * width) return
    this.#starts.push(at)
    this.#sources.push(source)
    this.#widths.push(width)
    this.#start = at
    this.#source = source
    this.#width = width
  }

  startOf(at: number): number {
    const nth = this.#stretchOf(at)
    return (
      (this.#sources[nth] as number) + (at - (this.#starts[nth] as number)) * (this.#widths[nth] as number)
    )
  }

  /** The end of the character before `at`. */
  endOf(at: number): number {
    return at === 0 ? 0 : this.startOf(at - 1) + (this.#widths[this.#stretchOf(at - 1)] as number)
  }

  /** The last stretch that begins at or before `at`. */
  #stretchOf(at: number): number {
    let low = 0
    let high = this.#starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#starts[middle] as number) <= at) low = middle
      else high = middle - 1
    }
    return low
  }
}
