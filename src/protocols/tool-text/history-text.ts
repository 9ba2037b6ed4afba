// The history as text: messages, calls and results. render.ts arranges it in messages.

import { parseJson } from '../../base/json.ts'
import { memberTexts } from '../../base/json-source.ts'
import { missingResultText } from '../../core/history.ts'
import type {
  AssistantPart,
  ResultPart,
  TextPart,
  ToolCallPart,
  ToolResult,
  UserPart,
} from '../../core/request.ts'
import type { Escaper } from './escape.ts'
import type { Markup } from './markup.ts'

export interface HistoryOptions {
  markup: Markup
  escaper: Escaper
  note(text: string): void
}

const maxResultBytes = 2 ** 20

export function userParts(content: readonly UserPart[], escaper: Escaper): UserPart[] {
  return joinTexts(content).flatMap((part): UserPart[] => {
    if (part.type === 'text') return textParts(escaper.escape(part.text))
    return [withoutCache(part)]
  })
}

/** Joins adjacent texts with a blank line. */
export function joinTexts<Part extends { type: string }>(
  parts: readonly (Part | TextPart)[],
): (Part | TextPart)[] {
  const joined: (Part | TextPart)[] = []
  let texts: string[] = []
  const flush = () => {
    if (texts.length > 0) joined.push({ type: 'text', text: texts.join('\n\n') })
    texts = []
  }
  for (const part of parts) {
    if (isText(part)) texts.push(part.text)
    else {
      flush()
      joined.push(part)
    }
  }
  flush()
  return joined
}

export const textParts = (text: string): TextPart[] => (text.trim() === '' ? [] : [{ type: 'text', text }])

export const joinedText = (content: readonly { type: string }[]): string =>
  content
    .filter(isText)
    .map(({ text }) => text)
    .join('\n\n')

const isText = (part: { type: string }): part is TextPart => part.type === 'text'

function withoutCache(part: Exclude<UserPart, TextPart>): UserPart {
  if (!('cache' in part)) return part
  const { cache: _, ...rest } = part
  return rest
}

/** The model's text, then its calls. Reasoning is left out: it is bound to the model that wrote it. */
export function answerText(content: readonly AssistantPart[], { markup, escaper }: HistoryOptions): string {
  const text = escaper.escapeAnswer(saidText(content))
  const blocks = callsOf(content).map((call) => callBlock(call, markup, escaper))
  return (text.trim() === '' ? blocks : [text, ...blocks]).join('\n')
}

export const callsOf = (content: readonly AssistantPart[]): ToolCallPart[] =>
  content.filter((part) => part.type === 'tool-call')

/** Adjacent text parts are one text; texts with another part between them are two paragraphs. */
function saidText(content: readonly AssistantPart[]): string {
  let text = ''
  let before: AssistantPart | undefined
  for (const part of content) {
    if (part.type === 'text')
      text += before && before.type !== 'text' && text !== '' ? `\n\n${part.text}` : part.text
    before = part
  }
  return text
}

export function callBlock(
  { name, input }: Pick<ToolCallPart, 'name' | 'input'>,
  { format, callTag }: Markup,
  escaper: Escaper,
): string {
  const json = () => escaper.escapeJson(`{"name": ${JSON.stringify(name)}, "arguments": ${input}}`)
  const inside = format === 'xml' ? (functionElement(name, input, escaper) ?? json()) : json()
  return `<${callTag}>\n${inside}\n</${callTag}>`
}

/** Undefined if a name cannot be written in a tag. Values other than strings keep their source: large numbers, 1.0. */
function functionElement(name: string, input: string, escaper: Escaper): string | undefined {
  const members = memberTexts(input)
  if (![name, ...members.keys()].every(isPlainName)) return undefined
  const parameters = [...members].map(([key, json]) => {
    const value = json.startsWith('"') ? parseJson(json) : undefined
    const text = typeof value === 'string' ? escaper.escape(value) : escaper.escapeJson(json)
    return `<parameter=${key}>\n${text}\n</parameter>\n`
  })
  return `<function=${name}>\n${parameters.join('')}</function>`
}

const isPlainName = (name: string) => /^[^<>"'\s](?:[^<>"'\r\n]*[^<>"'\s])?$/.test(name)

/** The results in the order of the calls, then their attachments. */
export function resultParts(
  calls: readonly ToolCallPart[],
  results: readonly ToolResult[],
  options: HistoryOptions,
): UserPart[] {
  const ordered = inCallOrder(calls, results)
  const { resultTag } = options.markup
  const blocks = ordered.map((result) => `<${resultTag}>\n${resultText(result, options)}\n</${resultTag}>`)
  const attached = ordered.flatMap(({ content }) => content.filter(isAttached)).map(withoutCache)
  return [...textParts(blocks.join('\n')), ...attached]
}

function inCallOrder(calls: readonly ToolCallPart[], results: readonly ToolResult[]): ToolResult[] {
  const left = new Map(results.map((result) => [result.callId, result]))
  const answers = calls.map(({ callId }): ToolResult => {
    const result = left.get(callId)
    left.delete(callId)
    return result ?? { callId, content: [{ type: 'text', text: missingResultText }], isError: true }
  })
  return [...answers, ...left.values()]
}

const isAttached = (part: ResultPart): part is Exclude<ResultPart, TextPart> => part.type !== 'text'

function resultText({ content, isError }: ToolResult, { escaper, note }: HistoryOptions): string {
  const text = joinedText(content)
  const shown = text === '' && content.some(isAttached) ? '(the result is attached below)' : text
  const marked = isError && !shown.startsWith('Error: ') ? `Error: ${shown}` : shown
  return escaper.escape(cut(marked, note))
}

function cut(text: string, note: (text: string) => void): string {
  const bytes = Buffer.byteLength(text)
  if (bytes <= maxResultBytes) return text
  note('a tool result over 1 MiB was cut')
  const { read, written } = new TextEncoder().encodeInto(text, new Uint8Array(maxResultBytes))
  return `${text.slice(0, read)}\n[The result was cut here: ${bytes - written} of its ${bytes} bytes are not shown.]`
}
