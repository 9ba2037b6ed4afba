// A semaphore: a fixed number of permits; the others wait in line, and leave it when they are canceled.

export class Semaphore {
  readonly #permits: number
  readonly #line: (() => void)[] = []
  readonly #whenFree: (() => void)[] = []
  #taken = 0

  constructor(permits: number) {
    this.#permits = permits
  }

  get taken(): number {
    return this.#taken
  }

  /** Resolves with a function that gives the permit back; undefined if the signal aborts first. */
  async acquire(signal: AbortSignal): Promise<(() => void) | undefined> {
    if (signal.aborted) return undefined
    if (this.#taken < this.#permits) this.#taken++
    else if (!(await this.#wait(signal))) return undefined
    return () => this.#release()
  }

  /** Resolves when no permit is taken. */
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

  /** The permit goes straight to the next in line: a newcomer cannot take it in between. */
  #release(): void {
    const next = this.#line.shift()
    if (next) return next()
    this.#taken--
    if (this.#taken === 0) for (const resolve of this.#whenFree.splice(0)) resolve()
  }
}
