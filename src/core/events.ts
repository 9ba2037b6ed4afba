// TurnEvent: one turn of a model as a flat list of events, from a backend to a door.
//
// Invariants (test/check-turn.ts enforces them in every test):
// - `turn-start` is first; exactly one terminal event (`turn-end` or `turn-error`) is last.
// - At most one block is open. Blocks are numbered 0, 1, 2… in the order in which they open.
// - A tool call has at least one delta, and its deltas concatenate to the `input` of its end, which is the text of a JSON object. A
//   truncated call has no end: it does not count as a call and is not shown to clients that take arguments whole. It is possible only
//   in a turn whose finish reason is neither `tool-calls` nor `stop`.
// - `turn-end` has reason `tool-calls` only if at least one call ended, and never reason `stop` if one did.
// - `opaque` events occur only if `turn-start` names a lane, in the dialect of that lane. The events that one covers follow it in the
//   same batch, and none of them is `turn-start` or `opaque`.

import type { KnownCall } from './call-key.ts'
import type { GatewayError } from './errors.ts'
import type { Tool } from './request.ts'
import type { WebUse } from './web.ts'

export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'other'

/** Token counts. The totals include the optional parts, which do not overlap. */
export interface Usage {
  /** All input, cached or not. */
  inputTokens: number
  /** All output, reasoning included. */
  outputTokens: number
  cacheReadTokens?: number
  cacheWriteTokens?: number
  reasoningTokens?: number
  /** The gateway estimated the counts because the upstream sent none. */
  estimated?: boolean
}

export type TurnEvent =
  /** `usage`: what the upstream reports at the start, which is the input without the output. */
  | { type: 'turn-start'; id: string; model: string; usage?: Usage; lane?: string }
  /**
   * What the upstream sent, in the dialect `lane`. A door of that dialect forwards it instead of the next `covers` events, which say
   * the same as far as the canonical model can. Other doors ignore it. `message`: one SSE message. `answer`: a whole answer.
   */
  | {
      type: 'opaque'
      form: 'message' | 'answer'
      lane: string
      data: string
      /** The SSE field `event`. */
      name?: string | undefined
      covers: number
      /** The client sees output that no other event has. */
      visible: boolean
    }
  | { type: 'text-start'; block: number; refusal?: true }
  | { type: 'text-delta'; block: number; delta: string }
  | { type: 'text-end'; block: number }
  | { type: 'reasoning-start'; block: number }
  | { type: 'reasoning-delta'; block: number; delta: string }
  /** `signature` and `redacted` are opaque proofs of the upstream: they are sent back byte for byte or not at all. */
  | { type: 'reasoning-end'; block: number; signature?: string; redacted?: string }
  | { type: 'tool-call-start'; block: number; callId: string; name: string }
  | { type: 'tool-call-delta'; block: number; delta: string }
  /** `made`: the call as the model made it, if it was corrected for the client. */
  | { type: 'tool-call-end'; block: number; callId: string; name: string; input: string; made?: KnownCall }
  /**
   * Deferred tools were searched, and those that were found are loaded. It is no block, and occurs only while none is open. Doors whose
   * dialect has such a search show it; others ignore it.
   */
  | { type: 'tool-search'; id: string; name: string; query: string; found: readonly Tool[] }
  /**
   * The gateway searched the web or fetched a page, in place of the client's own service. As `tool-search`: no block, and shown by doors
   * whose dialect has it.
   */
  | { type: 'web-use'; id: string; name: string; use: WebUse }
  /** `stopSequence`: the stop sequence of the request that ended the turn, if the upstream reports it. */
  /** `spent`: what several upstream answers took together, if `usage` says less. */
  | {
      type: 'turn-end'
      reason: FinishReason
      rawReason?: string
      stopSequence?: string
      usage?: Usage
      spent?: Usage
    }
  | { type: 'turn-error'; error: GatewayError }

export type SearchEvent = Extract<TurnEvent, { type: 'tool-search' }>
export type WebEvent = Extract<TurnEvent, { type: 'web-use' }>

export function isTerminal(event: TurnEvent): boolean {
  return event.type === 'turn-end' || event.type === 'turn-error'
}

/** Output that the client sees. */
export function isVisibleOutput(event: TurnEvent): boolean {
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta':
    case 'tool-call-delta':
    case 'tool-search':
    case 'web-use':
      return true
    case 'opaque':
      return event.visible
    default:
      return false
  }
}

/** Before the commit point, another attempt can still replace the turn. */
export const isCommitPoint = (event: TurnEvent): boolean => isVisibleOutput(event) || isTerminal(event)
