// A request with tools → a request for a model without native tool calls. Everything is text: user and assistant messages in
// turn, after at most one system message.

import type { Message, TurnRequest, UserPart } from '../../core/request.ts'
import { inlineSystemNote } from '../requests/inline-system.ts'
import { formatRequest } from './answer-format.ts'
import { createEscaper } from './escape.ts'
import {
  answerText,
  callsOf,
  type HistoryOptions,
  joinedText,
  joinTexts,
  resultParts,
  textParts,
  userParts,
} from './history-text.ts'
import type { Markup } from './markup.ts'
import { offersTools, toolsSection } from './tools-section.ts'
import { turnMarkers } from './turn-markers.ts'

export interface TextRequestOptions {
  markup: Markup
  /** The service accepts system messages. */
  systemRole: boolean
  /** Spellings that the parser acts on, besides the markup itself. */
  markers: readonly string[]
  /** The service has a JSON mode. It must be off while tools are offered: it would rule out calls. */
  jsonMode?: boolean
  note(text: string): void
}

export interface TextRequest {
  request: TurnRequest
  /** Some text looked like markup and was escaped. */
  escaped: boolean
  /** Undoes the escaping in a string of a call's arguments. */
  unescape(text: string): string
}

export const escapedNote = 'text that looks like the markup of tool calls or turns was escaped'
const formatNote = 'response_format was asked for in words, so that tools can be called'
const openingNote = 'a short user message was added in front, because the model needs one there'

/** The first message of a conversation that does not begin with the user. */
const opening = 'Begin.'
export const systemLines = ['[System message]', '[End of the system message]'] as const

export function toTextRequest(request: TurnRequest, options: TextRequestOptions): TextRequest {
  const { markup, systemRole, note } = options
  const callMarkers = callMarkersOf(markup)
  const markers = [...options.markers, ...callMarkers, ...otherMarkersOf(markup)]
  const escaper = createEscaper(markers, markup.format === 'xml' ? callMarkers : [])
  const history = { markup, escaper, note }

  const { leading, others } = splitSystem(request.messages)
  const inWords = options.jsonMode === true && request.responseFormat !== undefined && offersTools(request)
  if (inWords) note(formatNote)
  const system = [
    ...leading.map((text) => escaper.escape(text)),
    ...(inWords ? [escaper.escapeJson(formatRequest(request))] : []),
    toolsSection(request, markup, escaper) ?? [],
  ].flat()
  const turns = new Turns()
  if (!systemRole) turns.add('user', textParts(system.join('\n\n')))
  addMessages(turns, others, history)
  const messages = turns.toMessages(note)
  if (systemRole && system.length > 0)
    messages.unshift({ role: 'system', content: textParts(system.join('\n\n')) })

  if (escaper.wasNeeded()) note(escapedNote)
  const {
    toolChoice: _choice,
    parallelToolCalls: _parallel,
    ...rest
  } = inWords ? withoutFormat(request) : request
  return {
    request: { ...rest, messages, tools: [], origin: { ...rest.origin, faithful: false } },
    escaped: escaper.wasNeeded(),
    unescape: escaper.unescape,
  }
}

function withoutFormat({ responseFormat: _format, origin, ...rest }: TurnRequest): TurnRequest {
  const { response_format: _field, ...body } = origin.body
  return { ...rest, origin: { ...origin, body } }
}

const callMarkersOf = ({ callTag }: Markup) => [
  `<${callTag}>`,
  `</${callTag}>`,
  '<function=',
  '</function>',
  '<parameter=',
  '</parameter>',
]

const otherMarkersOf = ({ resultTag }: Markup) => [
  `<${resultTag}>`,
  `</${resultTag}>`,
  '<tools>',
  '</tools>',
  ...systemLines,
  ...turnMarkers,
]

function splitSystem(messages: readonly Message[]): { leading: string[]; others: Message[] } {
  const end = messages.findIndex(({ role }) => role !== 'system')
  const count = end === -1 ? messages.length : end
  const leading = messages
    .slice(0, count)
    .map((message) => (message.role === 'system' ? joinedText(message.content) : ''))
  return { leading: leading.filter((text) => text.trim() !== ''), others: messages.slice(count) }
}

function addMessages(turns: Turns, messages: readonly Message[], options: HistoryOptions): void {
  for (const [at, message] of messages.entries()) {
    const before = messages[at - 1]
    const after = messages[at + 1]
    switch (message.role) {
      case 'system':
        turns.add('user', foldedSystem(joinedText(message.content), options))
        break
      case 'user':
        turns.add('user', userParts(message.content, options.escaper))
        break
      case 'tool':
        turns.add(
          'user',
          resultParts(before?.role === 'assistant' ? callsOf(before.content) : [], message.results, options),
        )
        break
      case 'assistant':
        turns.add('assistant', textParts(answerText(message.content, options)))
        // The request's invariants promise results. A call must not come last: the model would go on with it.
        if (after?.role !== 'tool') turns.add('user', resultParts(callsOf(message.content), [], options))
    }
  }
}

/** Many chat templates accept a system message only at the beginning. */
function foldedSystem(text: string, { escaper, note }: HistoryOptions): UserPart[] {
  if (text.trim() === '') return []
  note(inlineSystemNote)
  const [begin, end] = systemLines
  return textParts(`${begin}\n${escaper.escape(text)}\n${end}`)
}

/** User and assistant in turn: what is added for the speaker of the last turn joins that turn. */
class Turns {
  readonly #turns: { role: 'user' | 'assistant'; parts: UserPart[] }[] = []

  add(role: 'user' | 'assistant', parts: readonly UserPart[]): void {
    if (parts.length === 0) return
    const last = this.#turns.at(-1)
    if (last?.role !== role) this.#turns.push({ role, parts: [...parts] })
    else for (const part of parts) last.parts.push(part)
  }

  toMessages(note: (text: string) => void): Message[] {
    const messages = this.#turns.map(({ role, parts }): Message => {
      const content = joinTexts(parts)
      return role === 'user'
        ? { role, content }
        : { role, content: content.filter((part) => part.type === 'text') }
    })
    if (messages[0]?.role === 'user') return messages
    note(openingNote)
    return [{ role: 'user', content: textParts(opening) }, ...messages]
  }
}
