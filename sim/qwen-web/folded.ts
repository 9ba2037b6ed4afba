// Unfolds a conversation that was sent as one message: the system text, then each turn under a heading.

import type { PromptText } from '../text-chat/prompt.ts'
import type { ChatMessage } from './chats.ts'

const HEADING = /^### (System|User|Assistant)$/m

/** Everything that the model sees on the path from the root. Only the first message can be a folded conversation. */
export function toTexts(path: readonly Pick<ChatMessage, 'role' | 'text'>[]): PromptText[] {
  const [first, ...rest] = path
  return first === undefined ? [] : [...unfold(first.text), ...rest]
}

function unfold(text: string): PromptText[] {
  const [opening = '', ...parts] = text.split(HEADING)
  if (parts.length === 0) return [{ role: 'user', text }]
  const texts: PromptText[] = opening.trim() === '' ? [] : [{ role: 'system', text: opening.trim() }]
  for (let at = 0; at < parts.length; at += 2) {
    const role = parts[at]?.toLowerCase() as PromptText['role']
    texts.push({ role, text: (parts[at + 1] ?? '').trim() })
  }
  return texts
}
