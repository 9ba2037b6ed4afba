// A conversation in neutral terms: what every simulator can turn its requests into for the demo model.

export interface ToolCall {
  readonly id?: string
  readonly name: string
  readonly arguments: Record<string, unknown>
}

export interface ToolResult {
  readonly callId?: string
  readonly text: string
  readonly isError?: boolean
}

export interface Message {
  readonly role: 'user' | 'assistant'
  readonly text: string
  readonly toolCalls?: readonly ToolCall[]
  readonly toolResults?: readonly ToolResult[]
}

export interface Tool {
  readonly name: string
  readonly description: string
  readonly schema: Record<string, unknown>
}

export interface Conversation {
  readonly system: string
  readonly messages: readonly Message[]
  readonly tools: readonly Tool[]
  readonly toolChoice: 'auto' | 'none' | 'required' | { readonly name: string }
  /** False where the client allows only one call in an answer. */
  readonly parallelCalls?: boolean
}

export interface Answer {
  readonly reasoning?: string
  readonly text?: string
  readonly calls: readonly ToolCall[]
}
