// Opaque parts and tools of another dialect: a service that does not speak it gets the text that stands for them, or nothing.

import type { Message, OpaquePart, TextPart, TurnRequest } from '../../core/request.ts'
import { invalid, unsupported } from './decode.ts'

type Note = (text: string) => void

/** The request without what only other dialects than `dialect` know. */
export function withoutForeignParts(
  request: TurnRequest,
  dialect: string | undefined,
  note: Note,
): TurnRequest {
  const withKnownTools = request.opaqueTools ? withoutForeignTools(request, dialect, note) : request
  if (!request.hasOpaqueParts) return withKnownTools
  const messages = request.messages
    .map((message) => withKnownParts(message, dialect, note))
    .filter(isNotEmpty)
  return { ...withKnownTools, messages }
}

const isNotEmpty = (message: Message) => message.role === 'tool' || message.content.length > 0

function withKnownParts(message: Message, dialect: string | undefined, note: Note): Message {
  const known = <Part extends { type: string }>(parts: readonly Part[]): (Part | TextPart)[] =>
    parts.flatMap((part): (Part | TextPart)[] =>
      isOpaque(part) && part.dialect !== dialect ? shownInstead(part, note) : [part],
    )
  switch (message.role) {
    case 'system':
      return { ...message, content: known(message.content) }
    case 'user':
      return { ...message, content: known(message.content) }
    case 'assistant':
      return { ...message, content: known(message.content) }
    case 'tool': {
      const results = message.results.map((result) => ({ ...result, content: known(result.content) }))
      return { ...message, results }
    }
  }
}

const isOpaque = <Part extends { type: string }>(part: Part): part is Part & OpaquePart =>
  part.type === 'opaque'

function shownInstead({ value, text }: OpaquePart, note: Note): TextPart[] {
  if (text !== undefined) return text === '' ? [] : [{ type: 'text', text }]
  note(`blocks of type ${String(value.type)} are not supported and were left out`)
  return []
}

function withoutForeignTools(request: TurnRequest, dialect: string | undefined, note: Note): TurnRequest {
  const { opaqueTools = [], toolChoice, tools } = request
  const foreign = opaqueTools.filter((tool) => tool.dialect !== dialect)
  if (foreign.length === 0) return request
  for (const { kind } of foreign) note(`tool type ${kind} is not supported and was left out`)
  const known = opaqueTools.filter((tool) => tool.dialect === dialect)
  if (toolChoice?.type === 'tool' && foreign.some(({ name }) => name === toolChoice.name))
    throw unsupported(
      'tool_choice.name',
      `${JSON.stringify(toolChoice.name)} is a tool of another service, which is not supported here.`,
    )
  const isEmpty = tools.length === 0 && known.length === 0
  if (isEmpty && toolChoice?.type === 'required')
    throw invalid('tool_choice', 'asks for a tool call, but there are no tools')
  const { toolChoice: _, ...rest } = request
  return isEmpty ? { ...rest, opaqueTools: known } : { ...request, opaqueTools: known }
}
