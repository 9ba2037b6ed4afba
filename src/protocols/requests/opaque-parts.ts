// Opaque parts and tools of another dialect: a service that does not speak it gets the text that stands for them, or nothing.

import { textOf } from '../../base/json.ts'
import type { Message, OpaquePart, TextPart, TurnRequest } from '../../core/request.ts'
import { invalid, unsupported } from './decode.ts'

type Note = (text: string) => void

/** Characters of a client's type in a note. */
const longestShown = 100

export const hasOpaquePart = (message: Message): boolean =>
  message.role === 'tool'
    ? message.results.some((result) => result.content.some(isOpaque))
    : message.content.some(isOpaque)

/** The request without what a service that speaks `dialects` does not know. Throws if it cannot be answered without. */
export function withoutForeignParts(
  request: TurnRequest,
  dialects: readonly string[],
  note: Note,
): TurnRequest {
  const { needs, origin } = request
  if (!dialects.includes(origin.dialect)) {
    if (needs?.[0]) throw needs[0]
    // A service of the dialect that was tried before may have withdrawn them.
    for (const text of origin.translationNotes ?? []) note(text)
  }
  const withInline = dialects.includes(origin.dialect) ? request : withInlineTools(request)
  const withKnownTools = request.opaqueTools ? withoutForeignTools(withInline, dialects, note) : withInline
  if (!request.hasOpaqueParts) return withKnownTools
  const messages = request.messages
    .map((message) => withKnownParts(message, dialects, note))
    .filter(isNotEmpty)
  if (messages.every(({ role }) => role === 'system'))
    throw invalid(conversations.get(origin.dialect) ?? 'messages', 'has nothing that this service can read')
  return { ...withKnownTools, messages }
}

function withInlineTools(request: TurnRequest): TurnRequest {
  const { inlineTools = [], ...rest } = request
  const added = inlineTools.filter(({ name }) => !rest.tools.some((tool) => tool.name === name))
  return added.length === 0 ? request : { ...rest, tools: [...rest.tools, ...added] }
}

const isNotEmpty = (message: Message) => message.role === 'tool' || message.content.length > 0

function withKnownParts(message: Message, dialects: readonly string[], note: Note): Message {
  const known = <Part extends { type: string }>(parts: readonly Part[]): (Part | TextPart)[] =>
    parts.flatMap((part): (Part | TextPart)[] =>
      isOpaque(part) && !dialects.includes(part.dialect) ? shownInstead(part, note) : [part],
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

/** What the dialects call their parts. */
const words = new Map([['openai-responses', 'items'], ['gemini', 'parts']]) // biome-ignore format: a list to be read as one

/** The field of the conversation. */
const conversations = new Map([['openai-responses', 'input'], ['gemini', 'contents']]) // biome-ignore format: a list to be read as one

function shownInstead({ dialect, value, text, error }: OpaquePart, note: Note): TextPart[] {
  if (error) throw error
  if (text !== undefined) return text === '' ? [] : [{ type: 'text', text }]
  const what = words.get(dialect) ?? 'blocks'
  // A part of Gemini's has no type: the name of its member says what it is.
  const type = value.type ?? Object.keys(value)[0]
  note(`${what} of type ${textOf(type).slice(0, longestShown)} are not supported and were left out`)
  return []
}

export function withoutForeignTools(
  request: TurnRequest,
  dialects: readonly string[],
  note: Note,
): TurnRequest {
  const { opaqueTools = [], toolChoice, tools } = request
  const foreign = opaqueTools.filter((tool) => !dialects.includes(tool.dialect))
  if (foreign.length === 0) return request
  for (const { kind, isFiller } of foreign)
    if (!isFiller) note(`tool type ${kind.slice(0, longestShown)} is not supported and was left out`)
  const known = opaqueTools.filter((tool) => dialects.includes(tool.dialect))
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
