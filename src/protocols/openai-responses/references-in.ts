// Item references: items that a request names by id instead of sending them. They are taken from stored answers.

import { isObject } from '../../base/json.ts'
import { GatewayError } from '../../core/errors.ts'
import { type Fields, string } from '../requests/decode.ts'
import { answerOfItem } from './items-out.ts'
import { responseId } from './response-out.ts'

/** Stored answers to the same caller. */
export interface EarlierResponses {
  /** The whole conversation up to and including that answer. */
  conversation(responseId: string): readonly Fields[] | undefined
  /** The items of that answer, possibly with others of its conversation. */
  itemsOf(responseId: string): readonly Fields[] | undefined
  /** The stored answer with this item, for items that keep the ids of their service. */
  answerWith?(itemId: string): string | undefined
  /** The text of a compaction of this caller; undefined for anything else. */
  unseal?(content: string): string | undefined
}

/** True if an item of the input is a reference. */
export const isReference = ({ type, role, id }: Readonly<Fields>) =>
  type === 'item_reference' || ((type ?? null) === null && role === undefined && typeof id === 'string')

/** The ids of the stored answers that a request may need. Accepts any body. */
export function referredAnswers(body: unknown): string[] {
  if (!isObject(body)) return []
  const items = Array.isArray(body.input) ? body.input : []
  const named = items.flatMap((item) => (isObject(item) && isReference(item) ? [item.id] : []))
  const answers = named.map((id) => (typeof id === 'string' ? answerOfItem(id) : undefined))
  const ids = answers.map((answer) => (answer === undefined ? undefined : responseId(answer)))
  return [...new Set([body.previous_response_id, ...ids].filter((id) => typeof id === 'string'))]
}

/** In the words of a refusal: what the request refers to is not there. */
export const notKept = 'It was not stored, or is no longer kept'

/** Indexes each stored answer once, however many of its items are referenced. */
export class References {
  readonly #earlier: EarlierResponses
  readonly #answers = new Map<string, ReadonlyMap<unknown, Fields>>()
  /** The request names an item. */
  isUsed = false

  constructor(earlier: EarlierResponses) {
    this.#earlier = earlier
  }

  item(reference: Fields, path: string): Fields {
    const id = string(reference.id, `${path}.id`)
    this.isUsed = true
    const own = answerOfItem(id)
    const answer = own === undefined ? this.#earlier.answerWith?.(id) : responseId(own)
    const item = answer === undefined ? undefined : this.#itemsOf(answer).get(id)
    if (item) return item
    throw new GatewayError(
      'not-found',
      `${path}.id: Item with id '${id.slice(0, 200)}' not found. ${notKept}; send the item itself.`,
      { param: `${path}.id` },
    )
  }

  #itemsOf(id: string): ReadonlyMap<unknown, Fields> {
    const known = this.#answers.get(id)
    if (known) return known
    const items = new Map((this.#earlier.itemsOf(id) ?? []).map((item) => [item.id, item]))
    this.#answers.set(id, items)
    return items
  }
}
