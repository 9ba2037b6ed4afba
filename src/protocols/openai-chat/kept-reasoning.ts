// The reasoning of one answer, as the server wants it back with the calls of that answer. Of an endless one, nothing.

import type { Fields } from '../../base/json.ts'
import { TextBuffer } from '../../base/text-buffer.ts'
import { longestRemembered } from '../../core/collect.ts'
import { jsonCost } from '../../core/turn-budget.ts'
import { mergeDetails } from './reasoning-details.ts'
import type { ReasoningField } from './reasoning-out.ts'

/** In memory, of all `reasoning_details` together. */
const longestDetails = 4 * 1024 * 1024
const forgottenNote = 'the reasoning is too long to be kept for the next request'

export class KeptReasoning {
  readonly #note: (text: string) => void
  readonly #text = new TextBuffer(longestRemembered)
  /** Where this server shows its reasoning, and so where it reads it. */
  #place: ReasoningField | 'parts' | undefined
  #details: unknown[] = []
  #detailsCost = 0

  constructor(note: (text: string) => void) {
    this.#note = note
  }

  /** The field that the answer had, if it had one. */
  get field(): ReasoningField | undefined {
    return this.#place === 'parts' ? undefined : this.#place
  }

  /** Of the assistant message. */
  get message(): Fields {
    const message: Fields = {}
    if (this.field !== undefined && this.#isKept) message[this.field] = this.#text.toString()
    const details = mergeDetails(this.#details)
    if (details.length > 0) message.reasoning_details = details
    return message
  }

  get thinking(): string | undefined {
    return this.#place === 'parts' && this.#isKept ? this.#text.toString() : undefined
  }

  add(place: ReasoningField | 'parts', text: string): void {
    this.#place = place
    const wasTooLong = this.#text.tooLong
    this.#text.append(text)
    if (this.#text.tooLong && !wasTooLong) this.#note(forgottenNote)
  }

  addDetails(details: readonly unknown[]): void {
    if (this.#detailsCost > longestDetails) return
    this.#detailsCost += jsonCost(details)
    if (this.#detailsCost <= longestDetails) for (const detail of details) this.#details.push(detail)
    else {
      // They are given back whole, or not at all.
      this.#details = []
      this.#note(forgottenNote)
    }
  }

  get #isKept(): boolean {
    return this.#text.length > 0 && !this.#text.tooLong
  }
}
