// A Responses request in the demo model's neutral terms.

import { wantedText } from '../../model/request-text.ts'
import type { Conversation, Message } from '../../model.ts'
import { isRecord } from '../../shape.ts'
import { type Item, offeredTools, type ResponsesRequest, textOf, typeOf } from './request.ts'

const CUSTOM_SCHEMA = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] }

export function toConversation(request: ResponsesRequest, items: readonly Item[]): Conversation {
  const isSystem = ({ role }: Item) => role === 'system' || role === 'developer'
  const system = items.filter(isSystem).map(({ content }) => textOf(content))
  return {
    system: [request.instructions ?? '', ...system].join('\n'),
    messages: toMessages(items.filter((item) => !isSystem(item))),
    tools: offeredTools(request, items).flatMap(({ type, name, description, parameters }) =>
      name !== undefined && (type === 'function' || type === 'custom')
        ? [
            {
              name,
              description: description ?? '',
              schema: type === 'custom' ? CUSTOM_SCHEMA : (parameters ?? {}),
            },
          ]
        : [],
    ),
    toolChoice: toToolChoice(request.tool_choice),
    parallelCalls: request.parallel_tool_calls !== false,
  }
}

function toToolChoice(choice: ResponsesRequest['tool_choice']): Conversation['toolChoice'] {
  if (isRecord(choice)) {
    if (choice.type === 'allowed_tools') return choice.mode === 'required' ? 'required' : 'auto'
    return choice.name === undefined ? 'auto' : { name: String(choice.name) }
  }
  return choice === 'none' || choice === 'required' ? choice : 'auto'
}

/** Adjacent items of the model are one message, as are adjacent outputs. */
function toMessages(items: readonly Item[]): Message[] {
  const out: Message[] = []
  for (const item of items) {
    const next = toMessage(item)
    const last = out.at(-1)
    if (next === undefined) continue
    const isSame = last?.role === next.role && Boolean(last.toolResults) === Boolean(next.toolResults)
    if (last === undefined || !isSame || (next.role === 'user' && !next.toolResults)) out.push(next)
    else out[out.length - 1] = joined(last, next)
  }
  return out
}

const joined = (one: Message, other: Message): Message => ({
  role: one.role,
  text: [one.text, other.text].filter(Boolean).join('\n'),
  ...(one.toolCalls || other.toolCalls
    ? { toolCalls: [...(one.toolCalls ?? []), ...(other.toolCalls ?? [])] }
    : {}),
  ...(one.toolResults ? { toolResults: [...one.toolResults, ...(other.toolResults ?? [])] } : {}),
})

function toMessage(item: Item): Message | undefined {
  const { name = '', call_id: id = '' } = item
  switch (typeOf(item)) {
    case 'message':
      return item.role === 'assistant'
        ? { role: 'assistant', text: textOf(item.content) }
        : { role: 'user', text: userText(item) }
    case 'function_call':
      return { role: 'assistant', text: '', toolCalls: [{ id, name, arguments: parsed(item.arguments) }] }
    case 'tool_search_call':
      return {
        role: 'assistant',
        text: '',
        toolCalls: [{ id, name: 'tool_search', arguments: isRecord(item.arguments) ? item.arguments : {} }],
      }
    case 'tool_search_output':
      return { role: 'user', text: '', toolResults: [{ callId: id, text: JSON.stringify(item.tools) }] }
    case 'custom_tool_call':
      return { role: 'assistant', text: '', toolCalls: [{ id, name, arguments: { input: item.input } }] }
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { role: 'user', text: '', toolResults: [{ callId: id, text: textOf(item.output) }] }
  }
  return undefined
}

const userText = ({ content }: Item) =>
  Array.isArray(content)
    ? wantedText(content.filter((part) => part.type === 'input_text').map((part) => textOf([part])))
    : textOf(content)

function parsed(text: unknown = ''): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(String(text))
    return isRecord(value) ? value : {}
  } catch {
    // The service does not check the arguments of earlier calls, so the demo model does not either.
    return {}
  }
}
