// The checked body of a Messages request: the fields that the simulator reads.

import { isRecord, type Json } from '../shape.ts'

export interface Block extends Json {
  type: string
}

export interface WireMessage {
  role: string
  content: string | Block[]
  output_config?: { effort?: string }
}

export interface WireTool extends Json {
  name: string
  type?: string
  description?: string
  input_schema?: Json
}

export interface MessagesRequest extends Json {
  model: string
  messages: WireMessage[]
  max_tokens?: number
  stream?: boolean
  system?: string | Block[]
  tools?: WireTool[]
  tool_choice?: { type: 'auto' | 'any' | 'tool' | 'none'; name?: string; disable_parallel_tool_use?: boolean }
  thinking?: {
    type: string
    budget_tokens?: number
    display?: string | null
    block_binding?: { prefix_mismatch_behavior?: string } | null
  }
  output_config?: { effort?: string | null; format?: { schema: Json } | null }
  temperature?: number
  top_p?: number
  top_k?: number
  stop_sequences?: string[]
  metadata?: { user_id?: string | null }
  cache_control?: Json | null
}

/** A string is short for one text block. */
export function toBlocks(content: string | Block[]): Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

export function isThinking(block: Block): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking'
}

/** The blocks inside a tool result, including images; none if its content is a string or missing. */
export function nestedBlocks(block: Block): Block[] {
  return block.type === 'tool_result' && Array.isArray(block.content) ? block.content.filter(isBlock) : []
}

/**
 * Index of the assistant message that began the current tool loop: its thinking must come back. Undefined if the last message has no
 * tool results.
 */
export function loopStart(messages: readonly WireMessage[]): number | undefined {
  let start: number | undefined
  for (let index = messages.length - 1; index > 0; index -= 2) {
    const results = messages[index]
    const call = messages[index - 1]
    if (results?.role !== 'user' || call?.role !== 'assistant') break
    if (!toBlocks(results.content).some((block) => block.type === 'tool_result')) break
    start = index - 1
  }
  return start
}

function isBlock(value: unknown): value is Block {
  return isRecord(value) && typeof value.type === 'string'
}
