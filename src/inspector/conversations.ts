// Which turns belong together: those of one key and client whose requests begin with the same words of the user. A request
// without an answer in it begins a new conversation; one that names the answer it goes on with belongs to that one's.

import { BoundedMap } from '../base/bounded-map.ts'
import type { Asked } from './asked.ts'

export class Conversations {
  /** By turn. */
  readonly #ofTurn: BoundedMap<string, string>
  /** The newest conversation that began so. */
  readonly #ofOpening: BoundedMap<string, string>

  constructor(most: number) {
    const limits = { maxEntries: 2 * most, keeps: 'newest' } as const
    this.#ofTurn = new BoundedMap(limits)
    this.#ofOpening = new BoundedMap(limits)
  }

  /** Turns are to be asked for in the order in which they began. */
  of(turn: string, asked: Asked | undefined): string {
    const known = this.#ofTurn.get(turn)
    if (known !== undefined || !asked) return known ?? turn
    const before =
      asked.continues === undefined
        ? asked.isFirst
          ? undefined
          : this.#ofOpening.get(asked.opening)
        : this.#ofTurn.get(asked.continues)
    const conversation = before ?? turn
    this.#ofTurn.set(turn, conversation)
    this.#ofOpening.set(asked.opening, conversation)
    return conversation
  }
}
