// What a backend tells and a door writes: one turn of a model as a flat list of events.
//
// Invariants (check-turn.ts enforces them in every test):
// - `turn-start` is first; exactly one terminal event (`turn-end` or `turn-error`) is last.
// - At most one block is open. Blocks are numbered 0, 1, 2… in the order in which they open.
// - A tool call has at least one delta, and its deltas concatenate to the `input` of its end, which is the text of
//   a JSON object. A call that was cut off has no end: it does not count as a call and is not shown to clients
//   that take arguments whole. Only a turn that ends with another reason than `tool-calls` or `stop` may leave one.
// - `turn-end` has reason `tool-calls` only when at least one call ended, and never reason `stop` when one did.

import type { GatewayError } from './errors.ts'

export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'other'

/** Token counts. Totals are inclusive; the optional parts are contained in them and do not overlap. */
export interface Usage {
  /** Everything read, cached or not. */
  inputTokens: number
  /** Everything written, reasoning included. */
  outputTokens: number
  cacheReadTokens?: number
  cacheWriteTokens?: number
  reasoningTokens?: number
  /** True when the gateway counted because the upstream did not. */
  estimated?: boolean
}

export type TurnEvent =
  /** `usage` is what is known of it at the start, where the upstream says so: what was read, not what will be written. */
  | { type: 'turn-start'; id: string; model: string; usage?: Usage }
  | { type: 'text-start'; block: number; refusal?: true }
  | { type: 'text-delta'; block: number; delta: string }
  | { type: 'text-end'; block: number }
  | { type: 'reasoning-start'; block: number }
  | { type: 'reasoning-delta'; block: number; delta: string }
  /** `signature` and `redacted` are an upstream's opaque proofs: replayed byte for byte or not at all. */
  | { type: 'reasoning-end'; block: number; signature?: string; redacted?: string }
  | { type: 'tool-call-start'; block: number; callId: string; name: string }
  | { type: 'tool-call-delta'; block: number; delta: string }
  | { type: 'tool-call-end'; block: number; callId: string; name: string; input: string }
  /** `stopSequence` is the one of the request's that ended the turn, where the upstream says so. */
  | { type: 'turn-end'; reason: FinishReason; rawReason?: string; stopSequence?: string; usage?: Usage }
  | { type: 'turn-error'; error: GatewayError }

export function isTerminal(event: TurnEvent): boolean {
  return event.type === 'turn-end' || event.type === 'turn-error'
}

/** The client would see it. */
export function isVisibleOutput(event: TurnEvent): boolean {
  return event.type === 'text-delta' || event.type === 'reasoning-delta' || event.type === 'tool-call-delta'
}

/** Before the commit point, another attempt can still replace the turn. */
export const isCommitPoint = (event: TurnEvent): boolean => isVisibleOutput(event) || isTerminal(event)
