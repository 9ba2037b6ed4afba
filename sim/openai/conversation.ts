// A Chat Completions request in the demo model's neutral terms.

import { wantedText } from '../model/request-text.ts'
import type { Conversation, Message } from '../model.ts'
import { isRecord } from '../shape.ts'
import { type ChatMessage, type ChatRequest, textOf, type WireToolCall } from './request.ts'

export function toConversation(request: ChatRequest): Conversation {
  const isSystem = ({ role }: ChatMessage) => role === 'system' || role === 'developer'
  return {
    system: request.messages
      .filter(isSystem)
      .map(({ content }) => textOf(content))
      .join('\n'),
    messages: toMessages(request.messages.filter((message) => !isSystem(message))),
    tools: (request.tools ?? []).flatMap(({ function: tool }) =>
      tool ? [{ name: tool.name, description: tool.description ?? '', schema: tool.parameters ?? {} }] : [],
    ),
    toolChoice: toToolChoice(request.tool_choice),
    parallelCalls: request.parallel_tool_calls !== false,
  }
}

function toToolChoice(choice: ChatRequest['tool_choice']): Conversation['toolChoice'] {
  if (typeof choice === 'object') return choice.function ? { name: choice.function.name } : 'auto'
  return choice === 'none' || choice === 'required' ? choice : 'auto'
}

const isText = (part: unknown) => isRecord(part) && part.type === 'text'

/** Adjacent tool messages are one user message with several results. */
function toMessages(messages: readonly ChatMessage[]): Message[] {
  const out: Message[] = []
  for (const { role, content, tool_calls: calls, tool_call_id: callId } of messages) {
    const text = textOf(content)
    if (role !== 'tool') {
      const isAssistant = role === 'assistant'
      const wanted =
        isAssistant || !Array.isArray(content)
          ? text
          : wantedText(content.filter(isText).map((part) => textOf([part])))
      out.push({
        role: isAssistant ? 'assistant' : 'user',
        text: wanted,
        toolCalls: (calls ?? []).map(toCall),
      })
      continue
    }
    const last = out.at(-1)
    const result = { text, ...(callId !== undefined && { callId }) }
    if (last?.toolResults) out[out.length - 1] = { ...last, toolResults: [...last.toolResults, result] }
    else out.push({ role: 'user', text: '', toolResults: [result] })
  }
  return out
}

function toCall({ id, function: call }: WireToolCall) {
  return { id, name: call?.name ?? '', arguments: parseArguments(call?.arguments ?? '') }
}

function parseArguments(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : {}
  } catch {
    // The service does not check the arguments of earlier calls, so the demo model does not either.
    return {}
  }
}
