// One system message, at the start: many chat templates take no other. System messages right after the first are merged into it.
// Later ones become user text, appended to the preceding user message if there is one.

import { inlineSystem, inlineSystemNote } from '../requests/inline-system.ts'
import type { ChatMessage } from './messages-out.ts'

export function withOneSystem(messages: readonly ChatMessage[], note: (text: string) => void): ChatMessage[] {
  const out: ChatMessage[] = []
  for (const message of messages) {
    const last = out.at(-1)
    if (!isSystem(message)) out.push(message)
    else if (!last) out.push(message)
    else if (out.length === 1 && isSystem(last)) out[0] = joined(last, message.content)
    else {
      note(inlineSystemNote)
      const content = inside(message.content)
      if (last.role === 'user') out[out.length - 1] = joined(last, content)
      else out.push({ role: 'user', content })
    }
  }
  return out
}

const isSystem = ({ role }: ChatMessage) => role === 'system' || role === 'developer'

const joined = (message: ChatMessage, more: unknown): ChatMessage =>
  typeof message.content === 'string' && typeof more === 'string'
    ? { ...message, content: `${message.content}\n\n${more}` }
    : { ...message, content: [...partsOf(message.content), ...partsOf(more)] }

const partsOf = (content: unknown): unknown[] =>
  Array.isArray(content) ? content : [{ type: 'text', text: String(content ?? '') }]

const inside = (content: unknown): unknown =>
  Array.isArray(content)
    ? content.map((part) => ({ ...part, text: inlineSystem(String(part.text)) }))
    : inlineSystem(String(content))
