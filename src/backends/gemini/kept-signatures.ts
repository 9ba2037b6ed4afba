// The thought signatures of calls, for clients that do not carry them. Bounded in size and time.

import { BoundedMap, entryBytes } from '../../base/bounded-map.ts'
import { callKey, type KnownCall } from '../../core/call-key.ts'
import { type Caller, callerId } from '../../core/caller.ts'

/** Signatures have some kilobytes: enough for ten thousand calls. */
const limits = { maxBytes: 64 * 1024 * 1024, ttlMs: 12 * 60 * 60 * 1000 }

export class KeptSignatures {
  readonly #signatures = new BoundedMap<string, string>(limits)

  keep(caller: Caller, model: string, call: KnownCall, signature: string): void {
    this.#signatures.set(callKey(callerId(caller), model, call), signature, 2 * signature.length + entryBytes)
  }

  recall(caller: Caller, model: string, call: KnownCall): string | undefined {
    return this.#signatures.size === 0
      ? undefined
      : this.#signatures.get(callKey(callerId(caller), model, call))
  }
}
