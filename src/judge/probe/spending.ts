// Tokens: how many a text has, about, and how many may still be spent.

import type { Usage } from './doors/door.ts'

const bytesPerToken = 4

/** A rule of thumb; services count with their own tables. */
export const tokensOf = (value: unknown): number =>
  Math.ceil(Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value)) / bytesPerToken)

export class Spending {
  readonly #budget: number
  /** By requests that are under way. */
  #reserved = 0
  #spent = 0
  isOver = false

  /** In tokens of input and output together. */
  constructor(budget = Number.POSITIVE_INFINITY) {
    this.#budget = budget
  }

  get tokens(): number {
    return this.#spent
  }

  /** What this request takes at least, kept for it; undefined where the budget does not cover it. Then it is over. */
  reserve(body: unknown): number | undefined {
    const tokens = Number.isFinite(this.#budget) ? tokensOf(body) : 0
    if (this.#spent + this.#reserved + tokens > this.#budget) this.isOver = true
    if (this.isOver) return undefined
    this.#reserved += tokens
    return tokens
  }

  /** The request is over. What failed was read all the same, as far as is known. */
  settle(reserved: number, usage: Usage | undefined): void {
    this.#reserved -= reserved
    this.#spent += usage ? usage.inputTokens + usage.outputTokens : reserved
  }
}
