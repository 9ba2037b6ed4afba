// The events of a service's own stream on their way to a Responses client.

import { isObject, parseJson } from '../../base/json.ts'
import { replaceMember } from '../../base/json-text.ts'
import type { TurnEvent } from '../../core/events.ts'
import { repairNotes } from '../../core/repairs.ts'
import { type TurnBudget, textCost } from '../../core/turn-budget.ts'
import { notesComment } from '../streams/notes-comment.ts'
import { sseText } from '../streams/sse-out.ts'
import { forwardedResponse, forwardedText } from './forwarded.ts'
import type { Item } from './items-out.ts'
import type { FinishedResponse, ResponseOptions } from './response-out.ts'

/** The end of a block repeats its text four times: as text, part, item, and in the whole answer. */
export const timesWritten = 4

/** The `sequence_number` of each event. Events of the service keep theirs until the gateway writes one of its own. */
export class EventNumbers {
  #next = 0
  /** The last event that kept its number. */
  #last: string | undefined

  next(): number {
    if (this.#last !== undefined) {
      const event = parseJson(this.#last)
      const number = isObject(event) ? event.sequence_number : undefined
      this.#next = typeof number === 'number' ? number + 1 : 1
      this.#last = undefined
    }
    return this.#next++
  }

  /** The JSON text of an event with its number. */
  in(data: string): string {
    if (this.#next > 0) return replaceMember(data, ['sequence_number'], String(this.next()))
    this.#last = data
    return data
  }
}

interface StreamOptions extends ResponseOptions {
  lateNotes(): string[]
}

type OpaqueEvent = Extract<TurnEvent, { type: 'opaque' }>

export class ForwardedStream {
  readonly #options: StreamOptions
  readonly #numbers: EventNumbers
  /** The items that the client has seen. */
  readonly #items: Item[]
  readonly #budget: TurnBudget
  /** Some of them are not the service's. */
  hasOwnItems = false
  /** The whole answer, after a successful end. */
  finished: FinishedResponse | undefined

  constructor(options: StreamOptions, numbers: EventNumbers, items: Item[], budget: TurnBudget) {
    this.#options = options
    this.#numbers = numbers
    this.#items = items
    this.#budget = budget
  }

  /** `isBegun`: the client has seen the beginning of the answer. A keep-alive may be it. */
  push({ data, name: given }: OpaqueEvent, isBegun: boolean): string {
    // Some servers leave the name out, and some clients need it.
    const name = given || typeOf(data)
    switch (name) {
      case 'response.created':
        return isBegun ? '' : this.#write(forwardedText(data, ['response'], this.#options), name)
      case 'response.queued':
      case 'response.in_progress':
        return this.#write(forwardedText(data, ['response'], this.#options), name)
      case 'response.output_item.done':
        this.#keepItem(data)
        return this.#write(data, name)
      case 'response.completed':
      case 'response.incomplete':
        return this.#end(data, name)
      default:
        return this.#write(data, name)
    }
  }

  #keepItem(data: string): void {
    const event = parseJson(data)
    if (!isObject(event) || !isObject(event.item)) return
    this.#budget.spend(timesWritten * textCost(data))
    this.#items.push(event.item as Item)
  }

  #end(data: string, name: string): string {
    const event = parseJson(data)
    const response = isObject(event) && isObject(event.response) ? event.response : {}
    const isRepeated = Array.isArray(response.output) && response.output.length >= this.#items.length
    if (!isRepeated) this.#options.note?.(repairNotes['no-output'])
    const items = this.hasOwnItems || !isRepeated ? this.#items : undefined
    const { text, finished } = forwardedResponse(data, ['response'], this.#options, items)
    this.finished = finished
    return notesComment(this.#options.lateNotes()) + this.#write(text, name)
  }

  #write(data: string, name: string | undefined): string {
    return sseText(this.#numbers.in(data), name)
  }
}

function typeOf(data: string): string | undefined {
  const event = parseJson(data)
  return isObject(event) && typeof event.type === 'string' ? event.type : undefined
}
