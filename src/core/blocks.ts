// BlockWriter: opens, numbers and closes blocks. The only maker of block events, so that readers cannot get the
// order wrong: opening one block closes the one before it.

import type { TurnEvent } from './events.ts'
import { entryCost, TurnBudget, textCost } from './turn-budget.ts'

type OpenBlock =
  | { kind: 'text'; block: number; refusal: boolean }
  | { kind: 'reasoning'; block: number }
  | { kind: 'tool-call'; block: number; callId: string; name: string; given: boolean }

export class BlockWriter {
  #open: OpenBlock | undefined
  #next = 0
  readonly #ids = new Set<string>()
  readonly #stem: string
  #events: TurnEvent[] = []
  readonly #budget: TurnBudget
  /** Tool calls that were ended. */
  calls = 0
  hasText = false

  /** `stem`: what ids begin with that are made here. The ids of calls are kept, for as long as the turn lasts. */
  constructor({ budget = new TurnBudget(), stem = 'call' }: { budget?: TurnBudget; stem?: string } = {}) {
    this.#budget = budget
    this.#stem = stem
  }

  get begun(): boolean {
    return this.#next > 0
  }

  /** More text would be one more piece of the open block. */
  get isTextOpen(): boolean {
    return this.#open?.kind === 'text' && !this.#open.refusal
  }

  push(event: TurnEvent): void {
    this.#events.push(event)
  }

  take(): TurnEvent[] {
    const events = this.#events
    if (events.length > 0) this.#events = []
    return events
  }

  text(delta: string, options: { refusal?: true } = {}): void {
    if (delta === '') return
    this.hasText = true
    const refusal = options.refusal === true
    if (this.#open?.kind !== 'text' || this.#open.refusal !== refusal) {
      this.close()
      this.#open = { kind: 'text', block: this.#next++, refusal }
      this.push({ type: 'text-start', block: this.#open.block, ...options })
    }
    this.push({ type: 'text-delta', block: this.#open.block, delta })
  }

  /** Opens a reasoning block; `reasoning('')` opens an empty one, which can still carry a signature. */
  reasoning(delta: string): void {
    if (this.#open?.kind !== 'reasoning') {
      this.close()
      this.#open = { kind: 'reasoning', block: this.#next++ }
      this.push({ type: 'reasoning-start', block: this.#open.block })
    }
    if (delta !== '') this.push({ type: 'reasoning-delta', block: this.#open.block, delta })
  }

  endReasoning(proof: { signature?: string; redacted?: string }): void {
    if (this.#open?.kind !== 'reasoning') this.reasoning('')
    const block = this.#open?.block ?? 0
    this.#open = undefined
    this.push({ type: 'reasoning-end', block, ...proof })
  }

  /** Opens a call and returns its id: a new one where none came, or where this turn has had it. Clients key calls by it. */
  startCall(id: string, name: string): string {
    this.#budget.spend(2 * (entryCost + textCost(id)))
    this.close()
    const callId = id === '' || this.#ids.has(id) ? this.#freshId() : id
    this.#ids.add(callId)
    this.#open = { kind: 'tool-call', block: this.#next++, callId, name, given: false }
    this.push({ type: 'tool-call-start', block: this.#open.block, callId, name })
    return callId
  }

  #freshId(): string {
    let number = this.#ids.size
    while (this.#ids.has(`${this.#stem}_${number}`)) number++
    return `${this.#stem}_${number}`
  }

  callDelta(delta: string): void {
    if (this.#open?.kind !== 'tool-call' || delta === '') return
    this.#open.given = true
    this.push({ type: 'tool-call-delta', block: this.#open.block, delta })
  }

  /** Ends the open call. When no delta was given, the whole input becomes the one that every call has. */
  endCall(input: string): void {
    if (this.#open?.kind !== 'tool-call') return
    const { block, callId, name, given } = this.#open
    if (!given) this.push({ type: 'tool-call-delta', block, delta: input })
    this.#open = undefined
    this.calls++
    this.push({ type: 'tool-call-end', block, callId, name, input })
  }

  /** Closes text and reasoning. An open call is left: only its reader knows whether it is whole. */
  close(): void {
    if (this.#open === undefined || this.#open.kind === 'tool-call') return
    const { kind, block } = this.#open
    this.#open = undefined
    this.push(kind === 'text' ? { type: 'text-end', block } : { type: 'reasoning-end', block })
  }
}
