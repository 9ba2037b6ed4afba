// The kept form of an assistant turn, for replaying its thinking byte for byte: thinking blocks with their proof, and the position of
// text and calls among them.

import { asMade } from '../../core/call-check.ts'
import type { CollectedPart } from '../../core/collect.ts'

/** A block of the turn as the upstream sent it, in order. Tool calls are kept by id. */
export type KeptBlock =
  | { type: 'thinking'; thinking: string; signature?: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string }

export interface KeptTurn {
  blocks: readonly KeptBlock[]
  /** Digest of everything before the turn when it was created. */
  prefix?: string | undefined
  /** The last thinking block before it, by `thinkingId`. */
  previous?: string | undefined
  /** The request did not ask for thinking: it is replayed only to a server that thinks by default. */
  unasked?: boolean
}

/** `unsigned`: also keep thinking without a proof. Anthropic refuses it; servers that do not sign want it back. */
export function toKeptBlocks(
  parts: readonly CollectedPart[],
  { unsigned }: { unsigned: boolean },
): KeptBlock[] {
  return parts.flatMap((part): KeptBlock[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }]
    if (part.type === 'tool-call') return [{ type: 'tool_use', id: asMade(part).callId }]
    if (part.redacted !== undefined) return [{ type: 'redacted_thinking', data: part.redacted }]
    const { text: thinking, signature } = part
    if (signature !== undefined) return [{ type: 'thinking', thinking, signature }]
    return unsigned ? [{ type: 'thinking', thinking }] : []
  })
}
