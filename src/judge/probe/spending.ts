// Tokens: an estimate of how many a text has, and how many the budget still allows.

import type { Usage } from '../clients/answer.ts'

const bytesPerToken = 4

/** A rule of thumb; each service has its own tokenizer. */
export const tokensOf = (value: unknown): number =>
  Math.ceil(Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value)) / bytesPerToken)

export class Spending {
  readonly #budget: number
  /** By requests in flight. */
  #reserved = 0
  #spent = 0
  isOver = false

  /** Input and output tokens together. */
  constructor(budget = Number.POSITIVE_INFINITY) {
    this.#budget = budget
  }

  get tokens(): number {
    return this.#spent
  }

  /** Reserves the least that this request costs; undefined if the budget does not cover it, which ends the probe. */
  reserve(body: unknown): number | undefined {
    const tokens = Number.isFinite(this.#budget) ? tokensOf(body) : 0
    if (this.#spent + this.#reserved + tokens > this.#budget) this.isOver = true
    if (this.isOver) return undefined
    this.#reserved += tokens
    return tokens
  }

  /** Replaces the reservation by the real usage. Without usage, as after a failure, the reservation counts as spent. */
  settle(reserved: number, usage: Usage | undefined): void {
    this.#reserved -= reserved
    this.#spent += usage ? usage.input + usage.output : reserved
  }
}
