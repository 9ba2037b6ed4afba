// So many at once, the others in line. Whoever gives up leaves the line.

export class Places {
  readonly #atOnce: number
  readonly #line: (() => void)[] = []
  readonly #whenFree: (() => void)[] = []
  #taken = 0

  constructor(atOnce: number) {
    this.#atOnce = atOnce
  }

  get taken(): number {
    return this.#taken
  }

  /** Resolves with how to leave the place again; undefined if the signal came first. */
  async take(signal: AbortSignal): Promise<(() => void) | undefined> {
    if (signal.aborted) return undefined
    if (this.#taken < this.#atOnce) this.#taken++
    else if (!(await this.#wait(signal))) return undefined
    return () => this.#leave()
  }

  /** Resolves when no place is taken. */
  async allFree(): Promise<void> {
    if (this.#taken > 0) await new Promise<void>((resolve) => this.#whenFree.push(resolve))
  }

  #wait(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const onTurn = () => {
        signal.removeEventListener('abort', onAbort)
        resolve(true)
      }
      const onAbort = () => {
        this.#line.splice(this.#line.indexOf(onTurn), 1)
        resolve(false)
      }
      this.#line.push(onTurn)
      signal.addEventListener('abort', onAbort, { once: true })
    })
  }

  /** The place goes to the next in line; it does not become free in between. */
  #leave(): void {
    const next = this.#line.shift()
    if (next) return next()
    this.#taken--
    if (this.#taken === 0) for (const tell of this.#whenFree.splice(0)) tell()
  }
}
