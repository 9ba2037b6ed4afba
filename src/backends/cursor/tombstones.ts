// Why sessions ended, for results that arrive too late.

import { type Caller, isSameCaller } from '../../core/caller.ts'

interface Tombstone {
  caller: Caller
  why: string
  until: number
}

const keptMs = 15 * 60_000
const maxKept = 10_000

export class Tombstones {
  readonly #stones = new Map<string, Tombstone>()

  get size(): number {
    return this.#stones.size
  }

  add(sessionId: string, caller: Caller, why: string, now = Date.now()): void {
    this.#stones.delete(sessionId)
    this.#stones.set(sessionId, { caller, why, until: now + keptMs })
    // Oldest first: tombstones expire in the order in which they were added.
    for (const [oldest, { until }] of this.#stones) {
      if (until > now && this.#stones.size <= maxKept) break
      this.#stones.delete(oldest)
    }
  }

  /** Only for the caller whose session it was. */
  find(sessionId: string, caller: Caller, now = Date.now()): string | undefined {
    const stone = this.#stones.get(sessionId)
    return stone && isSameCaller(stone.caller, caller) && stone.until > now ? stone.why : undefined
  }
}
