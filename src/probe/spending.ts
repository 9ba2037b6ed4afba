// Tokens: how many a text has, about, and how many may still be spent.

import type { Usage } from './doors/door.ts'

const bytesPerToken = 4

/** A rule of thumb; services count with their own tables. */
export const tokensOf = (value: unknown): number =>
  Math.ceil(Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value)) / bytesPerToken)

export class Spending {
  readonly #budget: number
  #spent = 0
  isOver = false

  /** In tokens of input and output together. */
  constructor(budget = Number.POSITIVE_INFINITY) {
    this.#budget = budget
  }

  get tokens(): number {
    return this.#spent
  }

  /** Whether the budget still covers this request. Once it does not, it is over. */
  mayAsk(body: unknown): boolean {
    if (this.isOver || (Number.isFinite(this.#budget) && this.#spent + tokensOf(body) > this.#budget))
      this.isOver = true
    return !this.isOver
  }

  spent({ inputTokens, outputTokens }: Usage): void {
    this.#spent += inputTokens + outputTokens
  }
}
