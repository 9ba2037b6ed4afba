// Answers that clients come back to by their id (`previous_response_id`, `item_reference`), each caller's for itself. Kept
// in memory, bounded in size and time: what has left is told as "not found", and the client sends the whole input.

import { BoundedStore, type BoundedStoreOptions, entryBytes } from '../core/bounded-store.ts'
import { answerOfItem } from '../protocols/openai-responses/items-out.ts'
import type { EarlierResponses, ResponsesRequest } from '../protocols/openai-responses/request-in.ts'
import { type FinishedResponse, responseId } from '../protocols/openai-responses/response-out.ts'

const defaultLimits = { maxBytes: 64 * 1024 * 1024, ttlMs: 12 * 60 * 60 * 1000 }

type Item = Readonly<Record<string, unknown>>

interface Kept {
  response: Record<string, unknown>
  /** The whole conversation, its last answer included. */
  items: readonly Item[]
  bytes: number
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
    const kept = this.#kept
    const keyOf = (id: string) => JSON.stringify([caller, id])
    const get = (id: string) => kept.get(keyOf(id))
    return {
      response: (id) => get(id)?.response,
      conversation: (id) => get(id)?.items,
      item(id) {
        const answer = answerOfItem(id)
        return answer === undefined
          ? undefined
          : get(responseId(answer))?.items.find((item) => item.id === id)
      },
      keep(request, { response, items }) {
        if (!request.store) return
        const fresh = [...request.items.slice(request.earlierItems), ...items]
        const before = request.previousId === undefined ? 0 : (get(request.previousId)?.bytes ?? 0)
        const bytes = before + JSON.stringify([fresh, response]).length * 2 + entryBytes
        kept.set(keyOf(String(response.id)), { response, items: [...request.items, ...items], bytes }, bytes)
      },
      delete(id) {
        const found = get(id) !== undefined
        kept.delete(keyOf(id))
        return found
      },
    }
  }
}
