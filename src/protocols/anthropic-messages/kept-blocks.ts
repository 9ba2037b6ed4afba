// What must be remembered of an assistant turn so that its thinking can be replayed byte for byte: the thinking with its
// proof, and where text and calls stood among it.

import type { CollectedPart } from '../../core/collect.ts'

/** What an assistant turn looked like when the upstream sent it: everything in order, tool calls by id. */
export type KeptBlock =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string }

/** Thinking without a proof cannot be replayed and is left out. */
export function toKeptBlocks(parts: readonly CollectedPart[]): KeptBlock[] {
  return parts.flatMap((part): KeptBlock[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }]
    if (part.type === 'tool-call') return [{ type: 'tool_use', id: part.callId }]
    if (part.redacted !== undefined) return [{ type: 'redacted_thinking', data: part.redacted }]
    return part.signature === undefined
      ? []
      : [{ type: 'thinking', thinking: part.text, signature: part.signature }]
  })
}
