// The reasoning of one answer, by the call that it goes back with.

import type { Fields } from '../../base/json.ts'
import type { CallReasoning } from './reasoning-items.ts'

export class ReasoningByCall {
  readonly #kept = new Map<string, CallReasoning>()
  #leading: Fields[] = []
  #before: Fields[] = []

  with(callId: string): CallReasoning | undefined {
    return this.#kept.get(callId)
  }

  add(item: Fields): void {
    this.#before.push(item)
  }

  /** A text before all calls has ended. */
  onText(): void {
    for (const item of this.#before.splice(0)) this.#leading.push(item)
  }

  onCall(callId: string): void {
    if (this.#leading.length + this.#before.length === 0) return
    this.#kept.set(callId, { leading: this.#leading, before: this.#before })
    this.#leading = []
    this.#before = []
  }
}
