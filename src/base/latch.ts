// A latch: it trips once, for good, and calls its listeners with the reason. Not an AbortSignal: each turn joins two of them
// (the client leaves, the gateway stops), and `AbortSignal.any` costs more than the rest of a small request.

export class Latch {
  readonly #listeners = new Set<(reason: unknown) => void>()
  #tripped = false
  #reason: unknown

  get tripped(): boolean {
    return this.#tripped
  }

  get reason(): unknown {
    return this.#reason
  }

  /** Only the first call counts. */
  trip(reason?: unknown): void {
    if (this.#tripped) return
    this.#tripped = true
    this.#reason = reason
    for (const listener of this.#listeners) listener(reason)
    this.#listeners.clear()
  }

  /** Calls the listener at once if the latch has tripped. Returns a function that removes it. */
  on(listener: (reason: unknown) => void): () => void {
    if (this.#tripped) listener(this.#reason)
    else this.#listeners.add(listener)
    return () => this.off(listener)
  }

  off(listener: (reason: unknown) => void): void {
    this.#listeners.delete(listener)
  }
}
