// TurnCollector: events to a whole turn, for answers that are not streamed. Truncated tool calls are left out.

import { TextBuffer } from '../base/text-buffer.ts'
import type { KnownCall } from './call-key.ts'
import type { GatewayError } from './errors.ts'
import {
  type FinishReason,
  isTerminal,
  type SearchEvent,
  type TurnEvent,
  type Usage,
  type WebEvent,
} from './events.ts'
import { costOf } from './held-events.ts'
import { type TurnBudget, textCost } from './turn-budget.ts'

export type CollectedPart =
  | { type: 'text'; text: string; refusal: boolean }
  | { type: 'reasoning'; text: string; signature?: string; redacted?: string }
  | { type: 'tool-call'; callId: string; name: string; input: string; made?: KnownCall }

export interface CollectedTurn {
  id: string
  model: string
  parts: CollectedPart[]
  reason: FinishReason
  rawReason?: string | undefined
  stopSequence?: string | undefined
  usage: Usage | undefined
  spent?: Usage | undefined
  /** Searches of deferred tools, each with the number of parts before it. */
  searches?: { before: number; search: SearchEvent }[]
  /** Web searches and fetches of the gateway, likewise. */
  webUses?: { before: number; event: WebEvent }[]
  /** The answer as the upstream wrote it, for doors of its dialect. */
  original?: { lane: string; text: string }
}

/**
 * Characters of an answer that are remembered while it is streamed to the client. No current model writes more in one turn, and an
 * endless stream must not fill the memory.
 */
export const longestRemembered = 512 * 1024

/** The same limit for tool arguments. */
const longestCalls = 16 * 1024 * 1024

export class TurnCollector {
  readonly #turn: CollectedTurn = { id: '', model: '', parts: [], reason: 'other', usage: undefined }
  readonly #maxLength: number
  readonly #budget: TurnBudget | undefined
  #length = 0
  #callsLength = 0
  #text = new TextBuffer()
  #refusal = false
  error: GatewayError | undefined

  /** `maxLength`: beyond it no turn is collected. `budget`: pays for the collected turn, and throws when it is spent. */
  constructor(limits: { maxLength?: number; budget?: TurnBudget } = {}) {
    this.#maxLength = limits.maxLength ?? Number.POSITIVE_INFINITY
    this.#budget = limits.budget
  }

  /** The turn was longer than allowed and is not collected, apart from its end. */
  get tooLong(): boolean {
    return this.#length > this.#maxLength || this.#callsLength > Math.max(longestCalls, this.#maxLength)
  }

  push(events: readonly TurnEvent[]): void {
    for (const event of events) {
      if (!this.tooLong) this.#count(event)
      if (!this.tooLong || isTerminal(event)) this.#on(event)
      else if (this.#turn.parts.length > 0 || this.#text.length > 0) this.#letGo()
    }
  }

  #count(event: TurnEvent): void {
    // Of a call, only its end is kept.
    if (event.type === 'tool-call-start' || event.type === 'tool-call-delta') return
    if (event.type === 'opaque' && event.form === 'message') return
    const cost = 'delta' in event ? textCost(event.delta) : costOf(event)
    this.#budget?.spend(cost)
    if (event.type === 'tool-call-end') this.#callsLength += cost / 2
    else this.#length += cost / 2
  }

  #letGo(): void {
    this.#turn.parts = []
    this.#text = new TextBuffer()
  }

  /** Complete after `turn-end`. */
  get turn(): CollectedTurn {
    return this.#turn
  }

  #on(event: TurnEvent): void {
    const { parts } = this.#turn
    switch (event.type) {
      case 'turn-start':
        this.#turn.id = event.id
        this.#turn.model = event.model
        return
      case 'text-start':
        this.#text = new TextBuffer()
        this.#refusal = event.refusal === true
        return
      case 'reasoning-start':
      case 'tool-call-start':
        this.#text = new TextBuffer()
        return
      case 'text-delta':
      case 'reasoning-delta':
        this.#text.append(event.delta)
        return
      case 'text-end':
        parts.push({ type: 'text', text: this.#text.toString(), refusal: this.#refusal })
        return
      case 'reasoning-end': {
        const { signature, redacted } = event
        const proof = {
          ...(signature === undefined ? {} : { signature }),
          ...(redacted === undefined ? {} : { redacted }),
        }
        parts.push({ type: 'reasoning', text: this.#text.toString(), ...proof })
        return
      }
      case 'tool-call-end': {
        const { callId, name, input, made } = event
        parts.push({ type: 'tool-call', callId, name, input, ...(made ? { made } : {}) })
        return
      }
      case 'tool-search':
        this.#turn.searches ??= []
        this.#turn.searches.push({ before: parts.length, search: event })
        return
      case 'web-use':
        this.#turn.webUses ??= []
        this.#turn.webUses.push({ before: parts.length, event })
        return
      case 'opaque':
        if (event.form === 'answer') this.#turn.original = { lane: event.lane, text: event.data }
        return
      case 'turn-end':
        this.#turn.reason = event.reason
        this.#turn.rawReason = event.rawReason
        this.#turn.stopSequence = event.stopSequence
        this.#turn.usage = event.usage
        if (event.spent) this.#turn.spent = event.spent
        return
      case 'turn-error':
        this.error = event.error
    }
  }
}
