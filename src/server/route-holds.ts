// Which model each call of an alias came from, so that an open tool loop stays with its model.

import { BoundedMap } from '../base/bounded-map.ts'
import { callKey, type KnownCall } from '../core/call-key.ts'
import { type Caller, callerId } from '../core/caller.ts'

/** A loop goes on for as long as its tools take: as long as kept thinking. */
const limits = { maxEntries: 20_000, ttlMs: 12 * 60 * 60 * 1000 }

export class RouteHolds {
  readonly #models = new BoundedMap<string, string>(limits)

  /** `model`: as BACKEND/MODEL. */
  keep(caller: Caller, alias: string, call: KnownCall, model: string): void {
    this.#models.set(callKey(callerId(caller), alias, call), model)
  }

  find(caller: Caller, alias: string, calls: readonly KnownCall[]): string | undefined {
    for (const call of calls) {
      const model = this.#models.get(callKey(callerId(caller), alias, call))
      if (model !== undefined) return model
    }
    return undefined
  }
}
