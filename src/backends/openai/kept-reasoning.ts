// The reasoning items of a Responses service that belong to calls, for clients that do not carry them; and which ones the service has
// refused since.

import { createHash } from 'node:crypto'
import { BoundedMap, entryBytes } from '../../base/bounded-map.ts'
import type { Fields } from '../../base/json.ts'
import { callKey, type KnownCall } from '../../core/call-key.ts'
import { type Caller, callerId } from '../../core/caller.ts'
import type { CallReasoning } from '../../protocols/openai-responses/reasoning-items.ts'

const ttlMs = 12 * 60 * 60 * 1000
const limits = { maxBytes: 64 * 1024 * 1024, ttlMs }
const refusedLimits = { maxEntries: 10_000, ttlMs }

export class KeptReasoning {
  readonly #byCall = new BoundedMap<string, CallReasoning>(limits)
  readonly #refused = new BoundedMap<string, true>(refusedLimits)

  keep(caller: Caller, model: string, call: KnownCall, reasoning: CallReasoning): void {
    const bytes = 2 * JSON.stringify(reasoning).length + entryBytes
    this.#byCall.set(callKey(callerId(caller), model, call), reasoning, bytes)
  }

  recall(caller: Caller, model: string, call: KnownCall): CallReasoning | undefined {
    return this.#byCall.size === 0 ? undefined : this.#byCall.get(callKey(callerId(caller), model, call))
  }

  isTaken(item: Fields): boolean {
    return this.#refused.size === 0 || this.#refused.get(digestOf(item)) === undefined
  }

  /** The service could not read one of these: none of them is sent again. */
  refuse(items: readonly Fields[]): void {
    for (const item of items) this.#refused.set(digestOf(item), true)
  }
}

const digestOf = ({ encrypted_content: sealed, content }: Fields) =>
  createHash('sha256')
    .update(JSON.stringify([sealed, content]))
    .digest('base64url')
