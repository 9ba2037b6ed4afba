// Assigns turns to conversations: turns of one key and client whose requests begin with the same user text. A request without an
// answer in it begins a new conversation; one that names an earlier answer belongs to the conversation of that answer.

import { BoundedMap } from '../base/bounded-map.ts'
import type { Asked } from './asked.ts'

/** `question` may be missing: another process has assigned the title already. */
type Opening = Pick<Asked, 'opening' | 'isFirst' | 'continues'> & Partial<Pick<Asked, 'question'>>

export class Conversations {
  /** By turn. */
  readonly #ofTurn: BoundedMap<string, string>
  /** The newest conversation with this beginning. */
  readonly #ofOpening: BoundedMap<string, string>
  /** The last words of the user in a conversation. */
  readonly #questions: BoundedMap<string, string>

  constructor(most: number) {
    const limits = { maxEntries: 2 * most, keeps: 'newest' } as const
    this.#ofTurn = new BoundedMap(limits)
    this.#ofOpening = new BoundedMap(limits)
    this.#questions = new BoundedMap(limits)
  }

  question(conversation: string): string | undefined {
    return this.#questions.get(conversation)
  }

  /** Must be called in the order in which turns began. */
  of(turn: string, asked: Opening | undefined): string {
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
    if (asked.question) this.#questions.set(conversation, asked.question)
    return conversation
  }
}
