// TurnBudget: the memory limit of one turn, for everything that is kept of it: a collected answer, tool arguments, held text. Output
// that is streamed to the client costs nothing.

import { GatewayError } from './errors.ts'

const MiB = 1024 * 1024

/** Per turn. No current model writes a tenth of it. */
export const turnBytes = 64 * MiB

/** The approximate memory of a list or map entry, without its text. */
export const entryCost = 128

/** The upper bound for a text: V8 stores two bytes per character if any character needs them. */
export const textCost = (text: string) => 2 * text.length

export class TurnBudget {
  readonly #limit: number
  #spent = 0

  constructor(limit = turnBytes) {
    this.#limit = limit
  }

  get spent(): number {
    return this.#spent
  }

  /** Throws when the budget is exceeded. */
  spend(bytes: number): void {
    this.#spent += bytes
    if (this.#spent > this.#limit) throw tooMuchKept(this.#limit)
  }

  fits(bytes: number): boolean {
    return this.#spent + bytes <= this.#limit
  }

  refund(bytes: number): void {
    this.#spent -= bytes
  }

  /** Refunds everything above `spent`. */
  rewind(spent: number): void {
    this.#spent = Math.min(this.#spent, spent)
  }
}

export function tooMuchKept(limit: number): GatewayError {
  const most = limit < MiB ? `${limit} bytes` : `${Math.round(limit / MiB)} MiB`
  return new GatewayError(
    'upstream-protocol',
    `The answer is too large: more than ${most} of it would have to be kept in memory until its end. ` +
      'Ask for less at once; if the model repeats itself, take another.',
    // A retry would get the same answer.
    { retryable: false },
  )
}

/** The memory cost of a JSON value. Uses a list instead of recursion, because the nesting is not limited. */
export function jsonCost(value: unknown): number {
  let cost = 0
  const waiting: unknown[] = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    cost += 64
    if (typeof next === 'string') cost += textCost(next)
    else if (Array.isArray(next)) for (const element of next) waiting.push(element)
    else if (typeof next === 'object' && next !== null)
      for (const [name, member] of Object.entries(next)) {
        cost += textCost(name)
        waiting.push(member)
      }
  }
  return cost
}
