// The clock of the runs in a replay: its time is that of the tape, and it fires where it decided something then, such as which calls
// belong to one answer.

import type { Clock } from '../core/clock.ts'

/** A long wait has many heartbeats. */
const mostTimers = 100_000

interface Timer {
  at: number
  fire(): void
}

export class TapeClock implements Clock {
  readonly #timers = new Set<Timer>()
  /** The time at which the current tape began. */
  #start = 0
  #now = 0
  #firesByTime = false

  now(): number {
    return this.#now
  }

  after(milliseconds: number, fire: () => void): () => void {
    const timer = { at: this.#now + milliseconds, fire }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  /** `firesByTime`: the tape does not say where its clocks decided something. */
  beginTape({ firesByTime }: { firesByTime: boolean }): void {
    this.#start = this.#now
    this.#firesByTime = firesByTime
  }

  /** `at`: on the current tape. */
  advance(at: number): void {
    if (this.#firesByTime) this.#fireDue(at)
    else this.#now = Math.max(this.#now, this.#start + at)
  }

  /** Fires one timer after the other until the gateway has decided what it decided then. */
  decide(at: number, isDecided: () => boolean): void {
    for (let left = mostTimers; left > 0 && !isDecided(); left--) {
      const next = this.#next(Number.POSITIVE_INFINITY)
      if (!next) break
      this.#fire(next)
    }
    this.#now = Math.max(this.#now, this.#start + at)
  }

  #fireDue(at: number): void {
    const until = this.#start + at
    for (let next = this.#next(until); next !== undefined; next = this.#next(until)) this.#fire(next)
    this.#now = Math.max(this.#now, until)
  }

  #fire(timer: Timer): void {
    this.#timers.delete(timer)
    this.#now = Math.max(this.#now, timer.at)
    timer.fire()
  }

  #next(until: number): Timer | undefined {
    let first: Timer | undefined
    for (const timer of this.#timers)
      if (timer.at <= until && (first === undefined || timer.at < first.at)) first = timer
    return first
  }
}
