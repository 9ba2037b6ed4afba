// The gateway stops: whoever listens is told, once. Not an AbortSignal, because each turn has to join this with the leaving of
// its client, and `AbortSignal.any` costs more than the rest of a small request.

export class StopSwitch {
  readonly #listeners = new Set<(reason: unknown) => void>()
  #stopped: { reason: unknown } | undefined

  get stopped(): boolean {
    return this.#stopped !== undefined
  }

  stop(reason: unknown): void {
    if (this.#stopped) return
    this.#stopped = { reason }
    for (const listener of this.#listeners) listener(reason)
    this.#listeners.clear()
  }

  /** Called at once where it has stopped already. Gives the way to stop listening. */
  on(listener: (reason: unknown) => void): () => void {
    if (this.#stopped) listener(this.#stopped.reason)
    else this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
