// The reasoning of one answer, in the form that the server wants back with the calls of that answer. Reasoning above the size
// limit is not kept.

import type { Fields } from '../../base/json.ts'
import { TextBuffer } from '../../base/text-buffer.ts'
import { longestRemembered } from '../../core/collect.ts'
import { jsonCost } from '../../core/turn-budget.ts'
import { mergeDetails } from './reasoning-details.ts'
import type { ReasoningField } from './reasoning-out.ts'

/** Bytes in memory of all `reasoning_details` together. */
const longestDetails = 4 * 1024 * 1024
const forgottenNote = 'the reasoning is too long to be kept for the next request'

export class KeptReasoning {
  readonly #note: (text: string) => void
  readonly #text = new TextBuffer(longestRemembered)
  /** Where this server's answers have their reasoning, and therefore where it reads it. */
  #place: ReasoningField | 'parts' | undefined
  #details: unknown[] = []
  #detailsCost = 0

  constructor(note: (text: string) => void) {
    this.#note = note
  }

  /** The field that the answer used; undefined for parts, and for no reasoning. */
  get field(): ReasoningField | undefined {
    return this.#place === 'parts' ? undefined : this.#place
  }

  /** Fields of the assistant message. */
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
      // Sent back complete or not at all.
      this.#details = []
      this.#note(forgottenNote)
    }
  }

  get #isKept(): boolean {
    return this.#text.length > 0 && !this.#text.tooLong
  }
}
