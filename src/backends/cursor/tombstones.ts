// Why sessions ended, for results that arrive too late.

import { BoundedMap } from '../../base/bounded-map.ts'
import { type Caller, isSameCaller } from '../../core/caller.ts'

interface Tombstone {
  caller: Caller
  why: string
}

const keptMs = 15 * 60_000
const maxKept = 10_000

export class Tombstones {
  readonly #stones: BoundedMap<string, Tombstone>

  constructor(now = Date.now) {
    this.#stones = new BoundedMap({ maxEntries: maxKept, ttlMs: keptMs, keeps: 'newest', now })
  }

  get size(): number {
    return this.#stones.size
  }

  add(sessionId: string, caller: Caller, why: string): void {
    this.#stones.set(sessionId, { caller, why })
  }

  /** Only for the caller whose session it was. */
  find(sessionId: string, caller: Caller): string | undefined {
    const stone = this.#stones.get(sessionId)
    return stone && isSameCaller(stone.caller, caller) ? stone.why : undefined
  }
}
