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

/** By digest: which service wrote a reasoning item. Shared by the backends of a gateway: none may get the items of another. */
export type ReasoningSources = BoundedMap<string, string>

export class KeptReasoning {
  readonly #byCall = new BoundedMap<string, CallReasoning>(limits)
  readonly #refused = new BoundedMap<string, true>(refusedLimits)
  readonly #sources: ReasoningSources

  constructor(sources: ReasoningSources = new BoundedMap<string, string>(refusedLimits)) {
    this.#sources = sources
  }

  /** An item that a client of the same dialect gets as it is. */
  see(item: Fields, source: string): void {
    if (isOwn(item)) this.#sources.set(digestOf(item), source)
  }

  keep(caller: Caller, model: string, call: KnownCall, reasoning: CallReasoning): void {
    const bytes = 2 * JSON.stringify(reasoning).length + entryBytes
    this.#byCall.set(callKey(callerId(caller), model, call), reasoning, bytes)
  }

  recall(caller: Caller, model: string, call: KnownCall): CallReasoning | undefined {
    return this.#byCall.size === 0 ? undefined : this.#byCall.get(callKey(callerId(caller), model, call))
  }

  /** False for an item that the service has refused, and for one that is known to be of another. */
  isTaken(item: Fields, source: string): boolean {
    if (this.#refused.size + this.#sources.size === 0 || !isOwn(item)) return true
    const digest = digestOf(item)
    return this.#refused.get(digest) === undefined && (this.#sources.get(digest) ?? source) === source
  }

  /** The service could not read one of these: none of them is sent again. */
  refuse(items: readonly Fields[]): void {
    for (const item of items) if (isOwn(item)) this.#refused.set(digestOf(item), true)
  }
}

/** The item has content. Others are the same for everybody: the service has the content. */
const isOwn = ({ encrypted_content: sealed, content }: Fields) =>
  Boolean(sealed) || (Array.isArray(content) && content.length > 0)

const digestOf = ({ encrypted_content: sealed, content }: Fields) =>
  createHash('sha256')
    .update(JSON.stringify([sealed, content]))
    .digest('base64url')
