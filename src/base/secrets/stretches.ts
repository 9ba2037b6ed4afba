// Where the characters of a decoded text come from: stretches in which each stands for as many characters of the source.

export class Stretches {
  /** Where each begins in the decoded text, where in the source, and how wide a character of it is there. */
  readonly #starts = [0]
  readonly #sources = [0]
  readonly #widths = [1]
  #start = 0
  #source = 0
  #width = 1

  /** To be called for each character, in order. */
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

  /** Where the character before this place ends. */
  endOf(at: number): number {
    return at === 0 ? 0 : this.startOf(at - 1) + (this.#widths[this.#stretchOf(at - 1)] as number)
  }

  /** The last one that begins at this place or before it. */
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
