// What must be remembered of an assistant turn so that its thinking can be replayed byte for byte: the thinking with its
// proof, and where text and calls stood among it.

import type { CollectedPart } from '../../core/collect.ts'

/** What an assistant turn looked like when the upstream sent it: everything in order, tool calls by id. */
export type KeptBlock =
  | { type: 'thinking'; thinking: string; signature?: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string }

export interface KeptTurn {
  blocks: readonly KeptBlock[]
  /** Digest of all that stood before the turn when it was made. */
  prefix?: string | undefined
  /** The last thinking block before it, by `thinkingId`. */
  previous?: string | undefined
  /** Thinking was not asked for: it goes back to a server that thinks by itself. */
  unasked?: boolean
}

/** `unsigned`: thinking without a proof is kept too. Anthropic refuses it; servers that sign nothing want it back. */
export function toKeptBlocks(
  parts: readonly CollectedPart[],
  { unsigned }: { unsigned: boolean },
): KeptBlock[] {
  return parts.flatMap((part): KeptBlock[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }]
    if (part.type === 'tool-call') return [{ type: 'tool_use', id: part.callId }]
    if (part.redacted !== undefined) return [{ type: 'redacted_thinking', data: part.redacted }]
    const { text: thinking, signature } = part
    if (signature !== undefined) return [{ type: 'thinking', thinking, signature }]
    return unsigned ? [{ type: 'thinking', thinking }] : []
  })
}
