// How an answer of Messages ends: its stop reason, what is wrong with it, and the one that fits.

import { type Fields, isObject } from '../../base/json.ts'
import type { FinishReason } from '../../core/events.ts'
import type { RepairKind } from '../../core/repairs.ts'

const reasons = new Map<string, FinishReason>(
  Object.entries({
    end_turn: 'stop',
    stop_sequence: 'stop',
    pause_turn: 'stop',
    max_tokens: 'length',
    model_context_window_exceeded: 'length',
    compaction: 'length',
    tool_use: 'tool-calls',
    refusal: 'content-filter',
  } as const),
)

export class AnswerStop {
  #raw: string | undefined
  #sequence: string | undefined
  /** One of the calls is the model's own, not of a program that the service runs. Those may have their results already. */
  #hasOwnCalls = false

  onCall({ caller }: Fields): void {
    this.#hasOwnCalls ||= !isObject(caller) || caller.type === 'direct'
  }

  read({ stop_reason: reason, stop_sequence: sequence }: Fields): void {
    if (typeof reason === 'string') this.#raw = reason
    if (typeof sequence === 'string') this.#sequence = sequence
  }

  get stated(): FinishReason {
    return this.#raw === undefined ? 'stop' : (reasons.get(this.#raw) ?? 'other')
  }

  /** In the service's words, for the end of the turn. */
  get words(): { rawReason?: string; stopSequence?: string } {
    return {
      ...(this.#raw === undefined ? {} : { rawReason: this.#raw }),
      ...(this.#sequence === undefined ? {} : { stopSequence: this.#sequence }),
    }
  }

  /** `reason`: the one that clients see. */
  fault(reason: FinishReason): RepairKind | undefined {
    if (this.#raw === undefined) return 'no-stop-reason'
    if (reason === 'tool-calls' && this.stated !== reason) return 'finish-of-calls'
    return this.stated === 'other' ? 'odd-finish' : undefined
  }

  /** The stop reason that fits the answer; undefined if the stated one does, or if the answer is an error anyway. */
  correction({ hasCalls, hasText }: { hasCalls: boolean; hasText: boolean }): string | undefined {
    if (this.#raw === 'end_turn' && this.#hasOwnCalls) return 'tool_use'
    return this.#raw === 'tool_use' && !hasCalls && hasText ? 'end_turn' : undefined
  }
}
