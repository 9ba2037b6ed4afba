// Answers that clients come back to by their id (`previous_response_id`, `item_reference`), each caller's for itself. Kept
// in memory, bounded in size and time: what has left is told as "not found", and the client sends the whole input.

import { BoundedStore, type BoundedStoreOptions, entryBytes } from '../core/bounded-store.ts'
import type { EarlierResponses } from '../protocols/openai-responses/references-in.ts'
import type { ResponsesRequest } from '../protocols/openai-responses/request-in.ts'
import type { FinishedResponse } from '../protocols/openai-responses/response-out.ts'

const defaultLimits = { maxBytes: 64 * 1024 * 1024, ttlMs: 12 * 60 * 60 * 1000 }

/** A request goes on from one answer, and names items of few. */
const mostGathered = 64

type Item = Readonly<Record<string, unknown>>

/** As JSON: what its objects would take in memory can be ten times that, and nobody could count it. */
export interface KeptResponse {
  response: string
  /** The whole conversation, its last answer included. */
  items: string
}

/** What other instances have kept. An answer's id says which of them. */
export interface ResponsesElsewhere {
  /** Leads back to this instance, as the end of the ids that it gives. */
  readonly mark: string
  find(id: string, caller: string): Promise<KeptResponse | undefined>
  /** False when there was none. */
  delete(id: string, caller: string): Promise<boolean>
}

export interface CallerResponses extends EarlierResponses {
  /** As what an answer will be kept. */
  idOf(turn: string): string
  /** Has at hand what is kept elsewhere, until this request is answered. */
  gather(ids: readonly string[]): Promise<void>
  keep(request: ResponsesRequest, answer: FinishedResponse): void
  response(id: string): Record<string, unknown> | undefined
  /** False when there was none. */
  delete(id: string): Promise<boolean>
}

export class ResponseStore {
  readonly #kept: BoundedStore<KeptResponse>
  readonly #elsewhere: ResponsesElsewhere | undefined

  constructor(limits: BoundedStoreOptions = defaultLimits, elsewhere?: ResponsesElsewhere) {
    this.#kept = new BoundedStore(limits)
    this.#elsewhere = elsewhere
  }

  find(id: string, caller: string): KeptResponse | undefined {
    return this.#kept.get(keyOf(id, caller))
  }

  delete(id: string, caller: string): boolean {
    const found = this.find(id, caller) !== undefined
    this.#kept.delete(keyOf(id, caller))
    return found
  }

  of(caller: string): CallerResponses {
    const store = this.#kept
    const elsewhere = this.#elsewhere
    const gathered = new Map<string, KeptResponse>()
    const get = (id: string) => this.find(id, caller) ?? gathered.get(id)
    return {
      idOf: (turn) => `${turn}${elsewhere?.mark ?? ''}`,
      async gather(ids) {
        const missing = elsewhere ? ids.filter((id) => get(id) === undefined).slice(0, mostGathered) : []
        const found = await Promise.all(missing.map((id) => elsewhere?.find(id, caller)))
        for (const [at, id] of missing.entries()) {
          const kept = found[at]
          if (kept) gathered.set(id, kept)
        }
      },
      response(id) {
        const kept = get(id)
        return kept && (JSON.parse(kept.response) as Record<string, unknown>)
      },
      conversation(id) {
        const kept = get(id)
        return kept && (JSON.parse(kept.items) as Item[])
      },
      keep(request, answer) {
        if (!request.store) return
        const kept = {
          response: JSON.stringify(answer.response),
          items: JSON.stringify([...request.items, ...answer.items]),
        }
        // A character takes two bytes at most.
        const bytes = (kept.response.length + kept.items.length) * 2 + entryBytes
        store.set(keyOf(String(answer.response.id), caller), kept, bytes)
      },
      delete: async (id) => this.delete(id, caller) || ((await elsewhere?.delete(id, caller)) ?? false),
    }
  }
}

const keyOf = (id: string, caller: string) => JSON.stringify([caller, id])
