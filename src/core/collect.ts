// Events → the whole turn, for answers that are not streamed. A call that was cut off is left out.

import type { GatewayError } from './errors.ts'
import type { FinishReason, TurnEvent, Usage } from './events.ts'

export type CollectedPart =
  | { type: 'text'; text: string; refusal: boolean }
  | { type: 'reasoning'; text: string; signature?: string; redacted?: string }
  | { type: 'tool-call'; callId: string; name: string; input: string }

export interface CollectedTurn {
  id: string
  model: string
  parts: CollectedPart[]
  reason: FinishReason
  rawReason?: string | undefined
  stopSequence?: string | undefined
  usage: Usage | undefined
}

export class TurnCollector {
  readonly #turn: CollectedTurn = { id: '', model: '', parts: [], reason: 'other', usage: undefined }
  #pieces: string[] = []
  #refusal = false
  error: GatewayError | undefined

  push(events: readonly TurnEvent[]): void {
    for (const event of events) this.#on(event)
  }

  /** The turn, once its `turn-end` has come. */
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
        this.#pieces = []
        this.#refusal = event.refusal === true
        return
      case 'reasoning-start':
      case 'tool-call-start':
        this.#pieces = []
        return
      case 'text-delta':
      case 'reasoning-delta':
        this.#pieces.push(event.delta)
        return
      case 'text-end':
        parts.push({ type: 'text', text: this.#pieces.join(''), refusal: this.#refusal })
        return
      case 'reasoning-end': {
        const { signature, redacted } = event
        const proof = {
          ...(signature === undefined ? {} : { signature }),
          ...(redacted === undefined ? {} : { redacted }),
        }
        parts.push({ type: 'reasoning', text: this.#pieces.join(''), ...proof })
        return
      }
      case 'tool-call-end':
        parts.push({ type: 'tool-call', callId: event.callId, name: event.name, input: event.input })
        return
      case 'turn-end':
        this.#turn.reason = event.reason
        this.#turn.rawReason = event.rawReason
        this.#turn.stopSequence = event.stopSequence
        this.#turn.usage = event.usage
        return
      case 'turn-error':
        this.error = event.error
    }
  }
}
