// The conversation of a Chat Completions request, element by element. Cursor IDE also posts Anthropic messages and Responses items
// on this route, mixed in one list, so each element is read by its own form. `changed` reports every element that differs from
// Chat's form. If it is never called, the original messages can be forwarded.

import { textOf } from '../../base/json.ts'
import { plainInput } from '../../core/call-key.ts'
import type { AssistantPart, Message, ToolCallPart, ToolResult, UserPart } from '../../core/request.ts'
import { isOwnBlock, readAssistantBlock, resultsMovedNote } from '../anthropic-messages/messages-in.ts'
import { isItem, readItem } from '../openai-responses/items-in.ts'
import { ToolNames } from '../openai-responses/tool-names.ts'
import { cacheOf } from '../requests/cache-hint.ts'
import { customInput } from '../requests/custom-tools.ts'
import { array, boolean, type Fields, invalid, object, optional, string } from '../requests/decode.ts'
import { argumentsOf, readFunctionCall } from '../requests/function-call-in.ts'
import { readToolInput } from '../requests/tool-input.ts'
import type { Changed } from '../requests/tools-in.ts'
import type { Element } from './foreign-fields.ts'
import { readContent, readResultPart, readTextPart, readUserPart, withoutOpaque } from './parts-in.ts'
import type { OfferedTools } from './tools-in.ts'

export interface Conversation {
  /** The model as the client named it. */
  model: string
  elements: readonly Element[]
  tools: OfferedTools
  changed: Changed
}

interface Reading extends Conversation {
  /** Legacy function calls have no ids. A result answers the call before it, so a counter is enough. */
  legacy: { count: number }
}

export function readMessages(conversation: Conversation): Message[] {
  const messages: Message[] = []
  let isVerbatim = true
  const changed: Changed = (note) => {
    isVerbatim = false
    conversation.changed(note)
  }
  const { model, elements, tools } = conversation
  const reading: Reading = { model, elements, tools, changed, legacy: { count: 0 } }
  let afterItem = false
  for (const { item, path, inPlace } of elements) {
    const ofItem = isItem(item)
    isVerbatim = inPlace
    if (ofItem || item.type !== undefined) changed()
    for (const message of readElement(item, path, reading)) {
      if (isVerbatim) setSource(message, item)
      const last = messages.at(-1)
      // One answer of the model is several items in a row. They become one message again.
      if (message.role === 'assistant' && last?.role === 'assistant' && (ofItem || afterItem)) {
        delete last.source
        for (const part of message.content) last.content.push(part)
      } else messages.push(message)
    }
    afterItem = ofItem
  }
  return messages
}

function setSource(message: Message, source: Fields): void {
  if (message.role !== 'tool') message.source = source
  else for (const result of message.results) result.source = source
}

function readElement(element: Fields, path: string, reading: Reading): Message[] {
  if (!isItem(element)) return readMessage(element, path, reading)
  const note = (text: string) => reading.changed(text)
  if (element.type === 'additional_tools')
    note('items of type additional_tools are not supported on this route and were left out')
  const item = { item: withCustomCall(element, path, reading), path }
  const message = readItem(item, { model: reading.model, names: noNames, note })
  if (message?.role === 'assistant' && message.content.some(({ type }) => type === 'opaque')) {
    note(`items of type ${textOf(element.type).slice(0, longestShown)} are not supported and were left out`)
    return []
  }
  return message ? [message] : []
}

/** Characters of a client's type in a note. */
const longestShown = 100
const noNames = new ToolNames()

/** Clients that know a custom tool as a function send its calls back as function calls. */
const withCustomCall = (item: Fields, path: string, { tools }: Reading): Fields =>
  item.type === 'function_call' && isCustomCall(item, path, tools)
    ? { ...item, type: 'custom_tool_call', input: argumentsOf(item, path) }
    : item

function readMessage(message: Fields, path: string, reading: Reading): Message[] {
  const role = string(message.role, `${path}.role`)
  switch (role) {
    case 'system':
    case 'developer':
      return [{ role: 'system', content: readContent(message, path, readTextPart, reading.changed) }]
    case 'user':
      return readUser(message, path, reading)
    case 'assistant':
      return [{ role: 'assistant', content: readAssistant(message, path, reading) }]
    case 'tool': {
      const callId = string(message.tool_call_id, `${path}.tool_call_id`)
      return [{ role: 'tool', results: [readResult(message, path, callId, reading)] }]
    }
    case 'function':
      reading.changed()
      return [
        {
          role: 'tool',
          results: [readResult(message, path, `call_legacy_${reading.legacy.count}`, reading)],
        },
      ]
    default:
      throw invalid(`${path}.role`, `"${role}" is not a role; use system, developer, user, assistant or tool`)
  }
}

/** Anthropic's dialect has tool results in the user message, before the user's text. */
function readUser(message: Fields, path: string, reading: Reading): Message[] {
  const results: ToolResult[] = []
  let spoken = false
  const read = (part: Fields, at: string): readonly UserPart[] => {
    if (part.type !== 'tool_result') {
      spoken = true
      return readUserPart(part, at, reading.changed)
    }
    if (spoken) reading.changed(resultsMovedNote)
    results.push(readToolResult(part, at, reading))
    return []
  }
  const content = readContent(message, path, read, reading.changed)
  if (results.length === 0) return [{ role: 'user', content }]
  const answered: Message = { role: 'tool', results }
  return content.length === 0 ? [answered] : [answered, { role: 'user', content }]
}

function readToolResult(block: Fields, path: string, reading: Reading): ToolResult {
  const callId = string(block.tool_use_id, `${path}.tool_use_id`)
  const isError = optional(block.is_error, `${path}.is_error`, boolean) ?? false
  return {
    ...readResult(block, path, callId, reading),
    ...(isError ? { isError } : {}),
    ...cacheOf(block),
  }
}

function readResult(message: Fields, path: string, callId: string, { changed }: Reading): ToolResult {
  const content = readContent(message, path, readResultPart, changed)
  // OpenAI takes only text in a result, so other content must move out of it. The content may be empty but not missing.
  if (
    message.content === undefined ||
    message.content === null ||
    content.some(({ type }) => type !== 'text' && type !== 'opaque')
  )
    changed()
  return { callId, content }
}

function readAssistant(message: Fields, path: string, reading: Reading): AssistantPart[] {
  const content: AssistantPart[] = []
  const reasoning = message.reasoning_content ?? message.reasoning
  if (typeof reasoning === 'string' && reasoning !== '') content.push({ type: 'reasoning', text: reasoning })
  const read = (part: Fields, at: string) => readAssistantPart(part, at, reading)
  for (const part of readContent(message, path, read, reading.changed)) content.push(part)
  const refusal = optional(message.refusal, `${path}.refusal`, string)
  if (refusal) content.push({ type: 'text', text: refusal })

  const calls = optional(message.tool_calls, `${path}.tool_calls`, array)
  if (message.tool_calls === null || calls?.length === 0) reading.changed()
  const blocks = new Set(content.flatMap((part) => (part.type === 'tool-call' ? [sameCall(part)] : [])))
  for (const [at, entry] of (calls ?? []).entries()) {
    const place = `${path}.tool_calls[${at}]`
    for (const call of readCall(object(entry, place), place, reading))
      if (blocks.size === 0 || !blocks.has(sameCall(call))) content.push(call)
  }
  const legacy = optional(message.function_call, `${path}.function_call`, object)
  if (legacy) {
    const id = `call_legacy_${++reading.legacy.count}`
    content.push(...readFunctionCall(legacy, `${path}.function_call`, id, reading.changed))
    reading.changed('legacy function_call messages were turned into tool calls')
  }
  return content
}

/** Identifies a call that a client sends twice: as a block and in `tool_calls`. */
const sameCall = ({ callId, name, input }: ToolCallPart) => JSON.stringify([callId, name, plainInput(input)])

function readAssistantPart(part: Fields, path: string, reading: Reading): readonly AssistantPart[] {
  if (!isOwnBlock(part)) return readTextPart(part, path, reading.changed)
  reading.changed()
  if (part.type !== 'tool_use')
    return withoutOpaque(readAssistantBlock(part, path, reading.changed), reading.changed)
  const callId = string(part.id, `${path}.id`)
  const { name, input } = part
  if (typeof input === 'string' && isCustomCall({ name, arguments: input }, path, reading.tools))
    return [{ type: 'tool-call', callId, name: string(name, `${path}.name`), input: customInput(input) }]
  // On this route the ids are the services' own in every dialect. Results refer to them.
  return readAssistantBlock(part, path, reading.changed).map((found) => ({ ...found, callId }))
}

function readCall(call: Fields, path: string, reading: Reading): ToolCallPart[] {
  const callId = string(call.id, `${path}.id`)
  if (call.type === 'custom') {
    reading.changed()
    const custom = object(call.custom, `${path}.custom`)
    const input = customInput(string(custom.input, `${path}.custom.input`))
    return [{ type: 'tool-call', callId, name: string(custom.name, `${path}.custom.name`), input }]
  }
  const place = `${path}.function`
  const fields = object(call.function, place)
  if (!isCustomCall(fields, place, reading.tools))
    return readFunctionCall(fields, place, callId, reading.changed)
  reading.changed()
  const input = customInput(argumentsOf(fields, place))
  return [{ type: 'tool-call', callId, name: string(fields.name, `${place}.name`), input }]
}

/**
 * A call of a custom tool in the only form that Cursor IDE knows: a function whose arguments are the text itself. If the tool is no
 * longer offered, text that does not begin like JSON shows it. Half an object is malformed arguments instead.
 */
function isCustomCall(fields: Fields, path: string, { custom, names }: OfferedTools): boolean {
  const name = string(fields.name, `${path}.name`)
  if (custom.has(name)) return true
  if (names.has(name)) return false
  const text = argumentsOf(fields, path)
  return !/^\s*[{["]/.test(text) && !readToolInput(text).ok
}
