// How much memory one turn may take for what is kept of it, whatever that is: an answer that is collected, arguments of a call, text
// that waits. What goes straight on to the client costs nothing here.

import { GatewayError } from './errors.ts'

const MiB = 1024 * 1024

/** Of one turn. No model of today writes a tenth of it. */
export const turnBytes = 64 * MiB

/** About what one more entry of a list or a map takes, beside the text in it. */
export const entryCost = 128

/** What a text may take: V8 keeps two bytes a character where one of them needs it. */
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

  /** So much more is kept. Throws once that is more than a turn may keep. */
  spend(bytes: number): void {
    this.#spent += bytes
    if (this.#spent > this.#limit) throw tooMuchKept(this.#limit)
  }

  fits(bytes: number): boolean {
    return this.#spent + bytes <= this.#limit
  }

  /** So much of it has been let go. */
  refund(bytes: number): void {
    this.#spent -= bytes
  }

  /** All that was kept since has been let go. */
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
    // The same would come again.
    { retryable: false },
  )
}

/** What a value that was read from JSON takes. By a list, not by recursion: it may be nested as deeply as it is long. */
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
