// Restores thinking that a server of this dialect sent although the request did not ask for it, and that the Messages client did not
// see: it goes before the calls that followed it. The rest of the body stays unchanged.

import { writeExact } from '../../base/exact-json.ts'
import { type Fields, isObject } from '../../base/json.ts'
import type { ToolCallPart } from '../../core/request.ts'
import type { ReturnedTurn } from './blocks-out.ts'
import type { KeptTurn } from './kept-blocks.ts'
import { isThinking } from './preserved-thinking.ts'

export function withUnaskedThinking(
  body: Record<string, unknown>,
  recall: (turn: ReturnedTurn) => KeptTurn | undefined,
): Record<string, unknown> {
  if (!Array.isArray(body.messages) || body.thinking !== undefined) return body
  let isChanged = false
  const messages = body.messages.map((message: Fields) => {
    const { role, content } = message
    if (role !== 'assistant' || !Array.isArray(content) || content.some(isThinking)) return message
    const calls = content.flatMap(toCall)
    const kept = calls.length === 0 ? undefined : recall({ calls, text: '', conversation: () => '' })
    if (!kept?.unasked) return message
    isChanged = true
    return { ...message, content: [...kept.blocks.filter(isThinking), ...content] }
  })
  return isChanged ? { ...body, messages } : body
}

const toCall = (block: unknown): ToolCallPart[] =>
  isObject(block) && block.type === 'tool_use'
    ? [
        {
          type: 'tool-call',
          callId: String(block.id),
          name: String(block.name),
          input: writeExact(block.input),
        },
      ]
    : []
