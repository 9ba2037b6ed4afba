// The stop reasons of Messages, and what is wrong with those of an answer.

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

export const statedReason = (raw: string | undefined): FinishReason =>
  raw === undefined ? 'stop' : (reasons.get(raw) ?? 'other')

/** `reason`: the one that clients see. */
export function stopFault(raw: string | undefined, reason: FinishReason): RepairKind | undefined {
  const stated = statedReason(raw)
  if (raw === undefined) return 'no-stop-reason'
  if (reason === 'tool-calls' && stated !== reason) return 'finish-of-calls'
  return stated === 'other' ? 'odd-finish' : undefined
}

interface AnswerFacts {
  hasCalls: boolean
  /** One of the calls is the model's own, not of a program that the service runs. Those may have their results already. */
  hasOwnCalls: boolean
  hasText: boolean
}

/** The stop reason that fits the answer; undefined if the stated one does, or if the answer is an error anyway. */
export function correctStop(
  stated: string | undefined,
  { hasCalls, hasOwnCalls, hasText }: AnswerFacts,
): string | undefined {
  if (stated === 'end_turn' && hasOwnCalls) return 'tool_use'
  return stated === 'tool_use' && !hasCalls && hasText ? 'end_turn' : undefined
}
