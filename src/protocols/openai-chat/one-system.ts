// Many chat templates take one system message, in front: those that follow it there become one with it, later ones
// become text of the user's, in the user's own message where there is one in front of them.

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
