// The answers of Google's dialect. A call has no key: it comes whole.

import { type Fields, isObject, textOf } from '../../base/json.ts'
import { list } from './answer-openai.ts'
import type { AnswerParts } from './answer-parts.ts'
import { opaquePart } from './read-messages.ts'

export function readGemini({ candidates, promptFeedback }: Fields, parts: AnswerParts): void {
  for (const candidate of list(candidates)) {
    const content = isObject(candidate.content) ? candidate.content : {}
    for (const part of list(content.parts)) readPart(part, parts, candidate.index ?? 0)
  }
  if (isObject(promptFeedback) && promptFeedback.blockReason !== undefined)
    parts.error('blocked', `The service blocked the prompt: ${textOf(promptFeedback.blockReason)}`)
}

function readPart(part: Fields, parts: AnswerParts, owner: unknown): void {
  const { text, thought, functionCall, inlineData } = part
  if (typeof text === 'string') return parts.text(thought === true ? 'reasoning' : 'text', text, owner)
  if (isObject(functionCall)) {
    const { id, name, args } = functionCall
    const callId = typeof id === 'string' ? { callId: id } : {}
    return parts.add({ kind: 'call', name: textOf(name), ...callId, text: JSON.stringify(args ?? {}) })
  }
  if (isObject(inlineData) && textOf(inlineData.mimeType).startsWith('image/'))
    return parts.add({ kind: 'image', mediaType: textOf(inlineData.mimeType), text: textOf(inlineData.data) })
  parts.add(opaquePart('gemini', part))
}
