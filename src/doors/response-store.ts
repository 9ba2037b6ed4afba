// Stored responses, which clients refer to by id (`previous_response_id`, `item_reference`); each caller sees only its own. Kept
// in memory, bounded in size and time: a dropped one is "not found", and the client sends the whole input. A conversation that
// continues a stored one refers to it, so each item is stored once.

import { BoundedMap, type BoundedMapOptions, entryBytes } from '../base/bounded-map.ts'
import { Seal } from '../base/seal.ts'
import { type Caller, callerId } from '../core/caller.ts'
import { answerOfItem } from '../protocols/openai-responses/items-out.ts'
import type { EarlierResponses } from '../protocols/openai-responses/references-in.ts'
import type { ResponsesRequest } from '../protocols/openai-responses/request-in.ts'
import { type FinishedResponse, responseId } from '../protocols/openai-responses/response-out.ts'

/** Items with ids of their service: in which response they are. */
const placeLimits = { maxBytes: 8 * 1024 * 1024, ttlMs: 12 * 60 * 60 * 1000 }

const defaultLimits = { maxBytes: 64 * 1024 * 1024, ttlMs: 12 * 60 * 60 * 1000 }

/** A request continues one response and refers to items of few others. */
const mostGathered = 64

/** Of an item. */
const longestId = 256

type Item = Readonly<Record<string, unknown>>

/** Stored as JSON: as objects it can take ten times the memory, and that cannot be counted. */
interface Kept {
  /** Undefined if the client has deleted it while others still begin with its items. */
  response: string | undefined
  /** The items after those of `begins`, this response's own included. */
  items: string
  count: number
  /** The id of the response that this conversation continues. */
  begins: string | undefined
  /** How many stored responses continue this one. */
  followers: number
}

/** A response with its whole conversation, as instances exchange them. */
interface KeptResponse {
  response: string
  /** The whole conversation, this response included. */
  items: string
}

/** Responses stored by other instances. A response's id names its instance. */
interface ResponsesElsewhere {
  /** Names this instance: ids that it gives end with it. */
  readonly mark: string
  find(id: string, caller: Caller): Promise<KeptResponse | undefined>
  /** False when there was none. */
  delete(id: string, caller: Caller): Promise<boolean>
}

export interface CallerResponses extends EarlierResponses {
  /** The id under which the response of this turn is stored. */
  idOf(turn: string): string
  /** Loads responses from other instances, for the time of this request. */
  gather(ids: readonly string[]): Promise<void>
  keep(request: ResponsesRequest, answer: FinishedResponse): void
  response(id: string): Record<string, unknown> | undefined
  /** For text that the client keeps and sends back. */
  seal(text: string): string
  /** False when there was none. */
  delete(id: string): Promise<boolean>
}

export class ResponseStore {
  readonly #kept: BoundedMap<string, Kept>
  readonly #places = new BoundedMap<string, string>(placeLimits)
  readonly #elsewhere: ResponsesElsewhere | undefined
  readonly #seal: Seal

  constructor(
    limits: BoundedMapOptions = defaultLimits,
    elsewhere?: ResponsesElsewhere | undefined,
    seal = new Seal(),
  ) {
    this.#kept = new BoundedMap<string, Kept>(limits)
    this.#elsewhere = elsewhere
    this.#seal = seal
  }

  find(id: string, caller: Caller): KeptResponse | undefined {
    return new OwnResponses(this.#kept, caller).whole(id)
  }

  delete(id: string, caller: Caller): boolean {
    const own = new OwnResponses(this.#kept, caller)
    const found = own.find(id) !== undefined
    own.delete(id)
    return found
  }

  #place(caller: Caller, { response, items }: FinishedResponse): void {
    const answer = String(response.id)
    for (const { id } of items) {
      if (typeof id !== 'string' || id.length > longestId || answerOfItem(id) !== undefined) continue
      const key = JSON.stringify([callerId(caller), id])
      this.#places.set(key, answer, 2 * (key.length + answer.length) + entryBytes)
    }
  }

  /** The approximate size of everything stored. */
  get bytes(): number {
    return this.#kept.bytes
  }

  of(caller: Caller): CallerResponses {
    const placeOf = (itemId: string) => this.#places.get(JSON.stringify([callerId(caller), itemId]))
    const own = new OwnResponses(this.#kept, caller, placeOf)
    const elsewhere = this.#elsewhere
    const gathered = new Map<string, KeptResponse>()
    const gatheredItems = (id: string) => {
      const kept = gathered.get(id)
      return kept && (JSON.parse(kept.items) as Item[])
    }
    return {
      idOf: (turn) => `${turn}${elsewhere?.mark ?? ''}`,
      async gather(ids) {
        const missing = elsewhere
          ? ids.filter((id) => own.find(id) === undefined && !gathered.has(id)).slice(0, mostGathered)
          : []
        const found = await Promise.all(missing.map((id) => elsewhere?.find(id, caller)))
        for (const [at, id] of missing.entries()) {
          const kept = found[at]
          if (kept) gathered.set(id, kept)
        }
      },
      response(id) {
        const [last] = own.chain(id) ?? [own.find(id)]
        const text = last?.response ?? gathered.get(id)?.response
        return text === undefined ? undefined : (JSON.parse(text) as Record<string, unknown>)
      },
      conversation: (id) => own.conversation(id) ?? gatheredItems(id),
      itemsOf(id) {
        const kept = own.find(id)
        return kept ? (JSON.parse(kept.items) as Item[]) : gatheredItems(id)
      },
      answerWith: placeOf,
      seal: (text) => this.#seal.seal(text, caller.key),
      unseal: (content) => this.#seal.unseal(content, caller.key),
      keep: (request, answer) => {
        if (!request.store) return
        own.keep(request.items, answer)
        this.#place(caller, answer)
      },
      delete: async (id) => this.delete(id, caller) || ((await elsewhere?.delete(id, caller)) ?? false),
    }
  }
}

/** The responses of one caller, for one request. */
class OwnResponses {
  readonly #store: BoundedMap<string, Kept>
  readonly #caller: Caller
  readonly #placeOf: PlaceOf
  /** The conversation that the request continues. */
  #continued: { id: string; items: readonly Item[] } | undefined

  constructor(store: BoundedMap<string, Kept>, caller: Caller, placeOf: PlaceOf = () => undefined) {
    this.#store = store
    this.#caller = caller
    this.#placeOf = placeOf
  }

  find(id: string): Kept | undefined {
    const kept = this.#store.get(this.#keyOf(id))
    return kept?.response === undefined ? undefined : kept
  }

  whole(id: string): KeptResponse | undefined {
    const response = this.find(id)?.response
    const items = this.conversation(id)
    return response === undefined || !items ? undefined : { response, items: JSON.stringify(items) }
  }

  conversation(id: string): readonly Item[] | undefined {
    const chain = this.find(id) && this.chain(id)
    if (!chain) return undefined
    const items = chain.toReversed().flatMap((kept) => JSON.parse(kept.items) as Item[])
    this.#continued = { id, items }
    return items
  }

  /** The responses that make up the conversation, the last first; undefined if one was dropped. */
  chain(id: string): Kept[] | undefined {
    const found: Kept[] = []
    for (let at: string | undefined = id; at !== undefined; at = found.at(-1)?.begins) {
      const kept = this.#store.get(this.#keyOf(at))
      if (!kept) return undefined
      found.push(kept)
    }
    return found
  }

  keep(asked: readonly Item[], { response, items }: FinishedResponse): void {
    const begins = this.#beginningOf(asked)
    const fresh = [...asked.slice(begins?.count ?? 0), ...items]
    const kept = {
      response: JSON.stringify(response),
      items: JSON.stringify(fresh),
      count: fresh.length,
      begins: begins?.id,
      followers: 0,
    }
    this.#store.set(this.#keyOf(String(response.id)), kept, bytesOf(kept))
    if (begins) begins.kept.followers++
  }

  /** A response that others continue stays, hidden, until the last of them is deleted. */
  delete(id: string): void {
    for (let at: string | undefined = id; at !== undefined; ) {
      const key = this.#keyOf(at)
      const kept = this.#store.get(key)
      if (!kept) return
      kept.response = undefined
      if (kept.followers > 0) return this.#store.set(key, kept, bytesOf(kept))
      this.#store.delete(key)
      const before = kept.begins === undefined ? undefined : this.#store.get(this.#keyOf(kept.begins))
      if (!before) return
      before.followers--
      at = before.response === undefined ? kept.begins : undefined
    }
  }

  /** The stored conversation that these items begin with: the one read in this request, or that of the last response among them. */
  #beginningOf(items: readonly Item[]): { id: string; kept: Kept; count: number } | undefined {
    const told = this.#continued?.items.every((item, at) => items[at] === item)
      ? this.#continued.id
      : undefined
    const id = told ?? lastAnswerIn(items, this.#placeOf)
    const chain = (id !== undefined && this.chain(id)) || []
    let count = 0
    for (const kept of chain.toReversed()) {
      const isSame = () => JSON.stringify(items.slice(count, count + kept.count)) === kept.items
      if (told === undefined && !isSame()) return undefined
      count += kept.count
    }
    const [kept] = chain
    return id !== undefined && kept ? { id, kept, count } : undefined
  }

  #keyOf(id: string): string {
    return JSON.stringify([callerId(this.#caller), id])
  }
}

// At most two bytes per character.
const bytesOf = ({ response = '', items }: Kept) => (response.length + items.length) * 2 + entryBytes

/** The response with an item that keeps the id of its service. */
type PlaceOf = (itemId: string) => string | undefined

function lastAnswerIn(items: readonly Item[], placeOf: PlaceOf): string | undefined {
  for (const { id } of items.toReversed()) {
    if (typeof id !== 'string') continue
    const answer = answerOfItem(id)
    const place = answer === undefined ? placeOf(id) : responseId(answer)
    if (place !== undefined) return place
  }
  return undefined
}
