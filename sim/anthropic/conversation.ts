// A Messages request in the demo model's neutral terms.

import { wantedText } from '../model/request-text.ts'
import type { Conversation, Message, ToolCall, ToolResult } from '../model.ts'
import { isRecord } from '../shape.ts'
import { type Block, type MessagesRequest, toBlocks, type WireMessage } from './request.ts'

export function toConversation(request: MessagesRequest): Conversation {
  const { system, messages, tools, tool_choice: choice } = request
  const isSystem = ({ role }: WireMessage) => role === 'system'
  return {
    system: [system ?? '', ...messages.filter(isSystem).map(({ content }) => content)]
      .map((content) => textOf(toBlocks(content)))
      .join('\n'),
    messages: messages.filter((message) => !isSystem(message)).map(toMessage),
    tools: (tools ?? []).flatMap(({ name, description = '', input_schema: schema }) =>
      schema ? [{ name, description, schema }] : [],
    ),
    toolChoice: toToolChoice(choice),
    parallelCalls: choice?.disable_parallel_tool_use !== true,
  }
}

function toToolChoice(choice: MessagesRequest['tool_choice']): Conversation['toolChoice'] {
  if (choice?.type === 'tool') return { name: choice.name ?? '' }
  if (choice?.type === 'any') return 'required'
  return choice?.type === 'none' ? 'none' : 'auto'
}

function toMessage({ role, content }: WireMessage): Message {
  const blocks = toBlocks(content)
  return {
    role: role === 'assistant' ? 'assistant' : 'user',
    // Consecutive texts are messages that the gateway joined.
    text: role === 'assistant' ? textOf(blocks) : wantedText(textsOf(blocks)),
    toolCalls: blocks.filter(({ type }) => type === 'tool_use').map(toCall),
    toolResults: blocks.filter(({ type }) => type === 'tool_result').map(toResult),
  }
}

function toCall({ id, name, input }: Block): ToolCall {
  return { id: String(id), name: String(name), arguments: isRecord(input) ? input : {} }
}

function toResult({ tool_use_id, content, is_error }: Block): ToolResult {
  const text = Array.isArray(content) ? textOf(content) : String(content ?? '')
  return { callId: String(tool_use_id), text, isError: is_error === true }
}

function textOf(blocks: readonly Block[]): string {
  return textsOf(blocks).join('\n')
}

function textsOf(blocks: readonly Block[]): string[] {
  return blocks.filter(({ type }) => type === 'text').map(({ text }) => String(text))
}
