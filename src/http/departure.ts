// That a client has gone before its answer was complete: happens once, or never.

export class Departure {
  readonly #listeners = new Set<() => void>()
  happened = false

  happen(): void {
    if (this.happened) return
    this.happened = true
    for (const listener of this.#listeners) listener()
    this.#listeners.clear()
  }

  /** Called at once where it has happened. Gives the way to stop listening. */
  on(listener: () => void): () => void {
    if (this.happened) listener()
    else this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
