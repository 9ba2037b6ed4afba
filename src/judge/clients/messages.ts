// A strict client of Anthropic Messages.

import { type Ask, type DialectClient, type Message, readAnswer } from './answer.ts'
import { at, parsed, type Shape } from './json.ts'
import { EventReader, readWhole } from './messages-answer.ts'
import { readStream } from './sse.ts'

export const messagesClient: DialectClient = {
  name: 'messages',
  url: (base) => `${base}/messages`,
  headers: { 'anthropic-version': '2023-06-01' },
  keyHeaders: (key) => ({ 'x-api-key': key }),
  body,
  isVisible: ({ type, content_block: block }) =>
    type === 'content_block_delta' || (type === 'content_block_start' && at(block, 'type') !== 'text'),
  read: (reply, form) =>
    readAnswer(reply, form, {
      whole: readWhole,
      stream: (answer) => readStream(answer, new EventReader(answer)),
    }),
}

function body(ask: Ask): Shape {
  const { model, form, messages, tools, maxTokens = 1_024, more } = ask
  const system = systemTexts(ask)
  const choice = toolChoice(ask)
  return {
    model,
    max_tokens: maxTokens,
    ...(system.length > 0 ? { system: system.join('\n') } : {}),
    messages: messagesOf(messages),
    stream: form === 'stream',
    ...(tools
      ? {
          tools: tools.map(({ name, description, schema }) => ({
            name,
            ...(description === undefined ? {} : { description }),
            input_schema: schema,
          })),
        }
      : {}),
    ...(choice ? { tool_choice: choice } : {}),
    ...more,
  }
}

const systemTexts = ({ system, messages }: Ask): string[] => [
  ...(system === undefined ? [] : [system]),
  ...messages.flatMap((message) =>
    message.role === 'system' || message.role === 'developer' ? [message.text] : [],
  ),
]

function toolChoice({ choice, oneCallAtATime }: Ask): Shape | undefined {
  if (choice === undefined && !oneCallAtATime) return undefined
  if (choice === 'none') return { type: 'none' }
  const parallel = oneCallAtATime ? { disable_parallel_tool_use: true } : {}
  if (typeof choice === 'object') return { type: 'tool', name: choice.name, ...parallel }
  return { type: choice === 'required' ? 'any' : 'auto', ...parallel }
}

/** Adjacent tool results, and the user's text after them, are one message. */
function messagesOf(conversation: readonly Message[]): unknown[] {
  const messages: { role: string; content: unknown }[] = []
  const lastBlocks = () => {
    const last = messages.at(-1)
    const blocks = last?.role === 'user' && Array.isArray(last.content) ? last.content : undefined
    return blocks?.[0]?.type === 'tool_result' ? blocks : undefined
  }
  for (const entry of conversation) {
    if (entry.role === 'raw') messages.push(...(entry.items as typeof messages))
    else if (entry.role === 'result') {
      const block = {
        type: 'tool_result',
        tool_use_id: entry.id,
        content: entry.text,
        ...(entry.isError ? { is_error: true } : {}),
      }
      const open = lastBlocks()
      if (open) open.push(block)
      else messages.push({ role: 'user', content: [block] })
    } else if (entry.role === 'user') {
      const open = lastBlocks()
      if (open) open.push({ type: 'text', text: entry.text })
      else messages.push({ role: 'user', content: entry.text })
    } else if (entry.role === 'assistant')
      messages.push({ role: 'assistant', content: assistantBlocks(entry) })
  }
  return messages
}

const assistantBlocks = ({ text, calls = [] }: Extract<Message, { role: 'assistant' }>) => [
  ...(text ? [{ type: 'text', text }] : []),
  ...calls.map((call) => ({
    type: 'tool_use',
    id: call.id,
    name: call.name,
    input: parsed(call.arguments) ?? call.arguments,
  })),
]
