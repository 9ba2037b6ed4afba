// Answers that clients come back to by their id (`previous_response_id`, `item_reference`), each caller's for itself. Kept
// in memory, bounded in size and time: what has left is told as "not found", and the client sends the whole input.

import { BoundedStore, type BoundedStoreOptions, entryBytes } from '../core/bounded-store.ts'
import type { EarlierResponses } from '../protocols/openai-responses/references-in.ts'
import type { ResponsesRequest } from '../protocols/openai-responses/request-in.ts'
import type { FinishedResponse } from '../protocols/openai-responses/response-out.ts'

const defaultLimits = { maxBytes: 64 * 1024 * 1024, ttlMs: 12 * 60 * 60 * 1000 }

type Item = Readonly<Record<string, unknown>>

/** As JSON: what its objects would take in memory can be ten times that, and nobody could count it. */
interface Kept {
  response: string
  /** The whole conversation, its last answer included. */
  items: string
}

export interface CallerResponses extends EarlierResponses {
  keep(request: ResponsesRequest, answer: FinishedResponse): void
  response(id: string): Record<string, unknown> | undefined
  /** False when there was none. */
  delete(id: string): boolean
}

export class ResponseStore {
  readonly #kept: BoundedStore<Kept>

  constructor(limits: BoundedStoreOptions = defaultLimits) {
    this.#kept = new BoundedStore(limits)
  }

  of(caller: string): CallerResponses {
    const store = this.#kept
    const keyOf = (id: string) => JSON.stringify([caller, id])
    const get = (id: string) => store.get(keyOf(id))
    return {
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
        store.set(keyOf(String(answer.response.id)), kept, bytes)
      },
      delete(id) {
        const found = get(id) !== undefined
        store.delete(keyOf(id))
        return found
      },
    }
  }
}
