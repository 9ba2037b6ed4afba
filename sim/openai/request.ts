// The checked body of a Chat Completions request: the fields that the simulator reads.

import { isRecord, type Json } from '../shape.ts'

export interface WireToolCall {
  id: string
  type: string
  function?: { name: string; arguments: string }
}

export interface ChatMessage extends Json {
  role: string
  content?: string | Json[] | null
  tool_calls?: WireToolCall[]
  tool_call_id?: string
}

export interface ChatRequest extends Json {
  model: string
  messages: ChatMessage[]
  tools?: {
    type: string
    function?: { name: string; description?: string; parameters?: Json; strict?: boolean | null }
    custom?: { name: string }
  }[]
  tool_choice?: string | { type: string; function?: { name: string }; custom?: { name: string } }
  parallel_tool_calls?: boolean
  stream?: boolean | null
  stream_options?: { include_usage?: boolean } | null
  max_tokens?: number | null
  max_completion_tokens?: number | null
  n?: number | null
  temperature?: number | null
  reasoning_effort?: string | null
  stop?: string | string[] | null
}

export function textOf(content: ChatMessage['content']): string {
  if (!Array.isArray(content)) return content ?? ''
  return content
    .filter((part) => isRecord(part) && part.type === 'text')
    .map((part) => part.text)
    .join('\n')
}

interface PromptText {
  readonly role: 'system' | 'user' | 'assistant'
  readonly text: string
}

/** The texts alone, as a model without tools of its own sees them. */
export function toPromptTexts(messages: readonly ChatMessage[]): PromptText[] {
  return messages.map(({ role, content }) => ({
    role: role === 'assistant' || role === 'user' ? role : 'system',
    text: textOf(content),
  }))
}
