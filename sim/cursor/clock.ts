// A fair clock for deadlines: a pause of the whole process, or of its reading, must not count as the client's silence. Time passes in
// ticks, and a late tick counts little.

const TICK_MS = 50

export class FairClock {
  readonly #isHeld: () => boolean
  readonly #watchers = new Set<(now: number) => void>()
  #now = 0
  #last = 0
  #timer: NodeJS.Timeout | undefined

  constructor(isHeld: () => boolean) {
    this.#isHeld = isHeld
  }

  get now(): number {
    return this.#now
  }

  /** Called on every tick, until the returned function is. */
  watch(watcher: (now: number) => void): () => void {
    this.#watchers.add(watcher)
    if (this.#timer === undefined) {
      this.#last = Date.now()
      this.#timer = setInterval(() => this.#tick(), TICK_MS)
      this.#timer.unref()
    }
    return () => {
      this.#watchers.delete(watcher)
      if (this.#watchers.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  #tick(): void {
    const passed = Math.min(Date.now() - this.#last, 2 * TICK_MS)
    this.#last = Date.now()
    if (this.#isHeld()) return
    this.#now += passed
    for (const watcher of this.#watchers) watcher(this.#now)
  }
}
