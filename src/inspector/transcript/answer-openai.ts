// The answers of OpenAI's two dialects: Chat Completions and Responses.

import { type Fields, isObject, textOf } from '../../base/json.ts'
import type { AnswerParts } from './answer-parts.ts'
import { opaquePart, searchPart } from './read-messages.ts'

export const list = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** A chunk, or a whole answer. */
export function readChat(choices: readonly unknown[], parts: AnswerParts): void {
  for (const choice of list(choices)) {
    const said = choice.delta ?? choice.message
    if (!isObject(said)) continue
    const owner = choice.index ?? 0
    parts.text('reasoning', said.reasoning_content ?? said.reasoning, owner)
    parts.text('text', said.content, owner)
    parts.text('text', said.refusal, owner)
    for (const [order, call] of list(said.tool_calls).entries()) {
      const key = `${owner} ${call.index ?? order}`
      const inner = isObject(call.function) ? call.function : isObject(call.custom) ? call.custom : {}
      parts.call(key, call.id, inner.name)
      parts.extendCall(key, inner.arguments ?? inner.input)
    }
    for (const image of list(said.images)) parts.add(opaquePart('openai-chat', image))
  }
}

const responses = 'openai-responses'

/** An event of a stream. */
export function readResponsesEvent(event: Fields, parts: AnswerParts): void {
  const { item, delta, item_id, response, output_index: index } = event
  const type = textOf(event.type)
  if (textDeltas.test(type)) {
    parts.inPieces.add(index)
    const isReasoning = type.startsWith('response.reasoning')
    const owner = isReasoning ? `${index} ${event.summary_index ?? event.content_index}` : index
    parts.text(isReasoning ? 'reasoning' : 'text', delta, owner)
  } else if (type === 'response.output_item.added' && isObject(item)) beginCall(item, parts)
  else if (type === 'response.output_item.done' && isObject(item))
    readItem(item, parts, parts.inPieces.has(index))
  else if (type.endsWith('.delta')) parts.extendCall(textOf(item_id), delta)
  else if (isObject(response)) readResponse(response, parts)
}

const textDeltas = /^response\.(?:output_text|refusal|reasoning\w*)\.delta$/

/** A whole answer, or the state at the end of a stream. */
export function readResponse({ output, error }: Fields, parts: AnswerParts): void {
  if (parts.isEmpty) for (const item of list(output)) readItem(item, parts, false)
  if (isObject(error)) parts.error(error.code, error.message)
}

const isCall = ({ type }: Fields) => type === 'function_call' || type === 'custom_tool_call'

function beginCall(item: Fields, parts: AnswerParts): void {
  if (isCall(item)) parts.call(textOf(item.id), item.call_id, item.name)
}

/** `isRead`: its text came in pieces. */
function readItem(item: Fields, parts: AnswerParts, isRead: boolean): void {
  if (isCall(item)) {
    beginCall(item, parts)
    parts.wholeCall(textOf(item.id), item.arguments ?? item.input)
  } else if (item.type === 'message') {
    if (!isRead) for (const part of list(item.content)) parts.text('text', part.text ?? part.refusal, item)
  } else if (item.type === 'reasoning') {
    if (!isRead)
      for (const part of [...list(item.summary), ...list(item.content)])
        parts.text('reasoning', part.text, part)
  } else if (item.type === 'tool_search_call')
    parts.add(searchPart({ query: textOf(isObject(item.arguments) ? (item.arguments.query ?? '') : '') }))
  else if (item.type === 'tool_search_output') parts.add(searchPart({ found: namesIn(item.tools) }))
  else parts.add(opaquePart(responses, item))
}

const namesIn = (tools: unknown): string[] =>
  list(tools).flatMap((tool) =>
    tool.type === 'namespace' ? list(tool.tools).map((inner) => textOf(inner.name)) : [textOf(tool.name)],
  )
