// What the service remembers: answers that were stored, and which call was made after which reasoning.

import type { Item } from './request.ts'

const MOST = 1_000

/** Forgets the oldest entry. */
class Recent<Value> {
  readonly #entries = new Map<string, Value>()

  get(key: string): Value | undefined {
    return this.#entries.get(key)
  }

  set(key: string, value: Value): void {
    this.#entries.set(key, value)
    const [oldest] = this.#entries.keys()
    if (this.#entries.size > MOST && oldest !== undefined) this.#entries.delete(oldest)
  }
}

export class Stored {
  /** By response id: the conversation up to and including the answer. */
  readonly conversations = new Recent<readonly Item[]>()
  /** By item id, of stored answers only. */
  readonly items = new Recent<Item>()
  /** By the id of a call or message: the id of the reasoning item right before it. */
  readonly reasonedBy = new Recent<string>()

  /** `output` follows `input`. */
  keep(responseId: string, input: readonly Item[], output: readonly Item[], isStored: boolean): void {
    let reasoning: string | undefined
    for (const item of output) {
      if (item.type === 'reasoning') reasoning = item.id ?? undefined
      else if (reasoning !== undefined && typeof item.id === 'string') this.reasonedBy.set(item.id, reasoning)
    }
    if (!isStored) return
    this.conversations.set(responseId, [...input, ...output])
    for (const item of output) if (typeof item.id === 'string') this.items.set(item.id, item)
  }
}
