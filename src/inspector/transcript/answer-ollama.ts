// The answers of Ollama's dialect. A call has no key: it comes whole.

import { type Fields, isObject, textOf } from '../../base/json.ts'
import { list } from './answer-openai.ts'
import type { AnswerParts } from './answer-parts.ts'

/** Of `/api/generate`, the text is not in a message. */
export function readOllama(event: Fields, parts: AnswerParts): void {
  const said = isObject(event.message) ? event.message : event
  parts.text('reasoning', said.thinking, 0)
  parts.text('text', said.content ?? said.response, 0)
  for (const { id, function: inner } of list(said.tool_calls)) {
    if (!isObject(inner)) continue
    const callId = typeof id === 'string' ? { callId: id } : {}
    const text = JSON.stringify(inner.arguments ?? {})
    parts.add({ kind: 'call', name: textOf(inner.name), ...callId, text })
  }
}
