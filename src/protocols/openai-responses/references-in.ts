// Items that a request names instead of sending them: they are taken from the answers that gave them.

import { GatewayError } from '../../core/errors.ts'
import { type Fields, string } from '../decode.ts'
import { answerOfItem } from './items-out.ts'
import { responseId } from './response-out.ts'

/** What was kept of earlier answers to the same caller. */
export interface EarlierResponses {
  /** All that the conversation consisted of once that answer was given. */
  conversation(responseId: string): readonly Fields[] | undefined
}

/** Each answer is looked through once, however many of its items are named. */
export class References {
  readonly #earlier: EarlierResponses
  readonly #answers = new Map<string, ReadonlyMap<unknown, Fields>>()

  constructor(earlier: EarlierResponses) {
    this.#earlier = earlier
  }

  item(reference: Fields, path: string): Fields {
    const id = string(reference.id, `${path}.id`)
    const answer = answerOfItem(id)
    const item = answer === undefined ? undefined : this.#itemsOf(responseId(answer)).get(id)
    if (item) return item
    throw new GatewayError(
      'not-found',
      `${path}.id: Item with id '${id.slice(0, 200)}' not found. It was not stored, or is no longer kept; send the item itself.`,
      { param: `${path}.id` },
    )
  }

  #itemsOf(id: string): ReadonlyMap<unknown, Fields> {
    const known = this.#answers.get(id)
    if (known) return known
    const items = new Map((this.#earlier.conversation(id) ?? []).map((item) => [item.id, item]))
    this.#answers.set(id, items)
    return items
  }
}
