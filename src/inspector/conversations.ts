// Which turns belong together: those of one key and client whose requests begin with the same words of the user. A request
// without an answer in it begins a new conversation; one that names the answer it goes on with belongs to that one's.

import type { Asked } from './asked.ts'

export class Conversations {
  /** By turn. */
  readonly #ofTurn = new Map<string, string>()
  /** The newest conversation that began so. */
  readonly #ofOpening = new Map<string, string>()
  readonly #most: number

  constructor(most: number) {
    this.#most = 2 * most
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
    remember(this.#ofTurn, turn, conversation, this.#most)
    remember(this.#ofOpening, asked.opening, conversation, this.#most)
    return conversation
  }
}

function remember(map: Map<string, string>, key: string, value: string, most: number): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}
