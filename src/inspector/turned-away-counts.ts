// Requests without a right key, host or origin, and turns that are too many to be kept: how many, for each reason and minute. Nothing
// of the requests themselves is kept.

import type { TurnedAwayCount } from './api.ts'

type Reason = TurnedAwayCount['reason']

const minuteMs = 60_000
const mostMinutes = 60

export class TurnedAwayCounts {
  readonly #now: () => number
  /** By minute, oldest first. */
  readonly #minutes = new Map<number, Map<Reason, number>>()

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  add(reason: Reason): void {
    const minute = this.#minute()
    const counts = this.#minutes.get(minute) ?? new Map<Reason, number>()
    this.#minutes.set(minute, counts)
    counts.set(reason, (counts.get(reason) ?? 0) + 1)
    this.#forget(minute)
  }

  /** Of the last hour, newest minute first. */
  all(): TurnedAwayCount[] {
    this.#forget(this.#minute())
    return [...this.#minutes]
      .flatMap(([minute, counts]) => [...counts].map(([reason, count]) => ({ minute, reason, count })))
      .reverse()
  }

  #minute(): number {
    return Math.floor(this.#now() / minuteMs) * minuteMs
  }

  /** A clock that was set back leaves minutes of the future: they go too. */
  #forget(minute: number): void {
    for (const one of this.#minutes.keys())
      if (one > minute || one <= minute - mostMinutes * minuteMs) this.#minutes.delete(one)
  }
}
