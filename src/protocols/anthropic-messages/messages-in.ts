// The messages of a Messages request. A user message may contain tool results and text: here they become two messages, results
// first. `changed` reports everything that could not be forwarded unchanged to an Anthropic upstream.

import { writeExact } from '../../base/exact-json.ts'
import { isObject } from '../../base/json.ts'
import type {
  AssistantPart,
  Message,
  OpaquePart,
  ResultPart,
  TextPart,
  ToolCallPart,
  ToolResult,
  UserPart,
} from '../../core/request.ts'
import type { WebPart } from '../../core/web.ts'
import { cacheOf } from '../requests/cache-hint.ts'
import { array, boolean, type Fields, invalid, object, optional, string } from '../requests/decode.ts'
import { readToolInput } from '../requests/tool-input.ts'
import type { Changed } from '../requests/tools-in.ts'
import { fromClientId } from './client-ids.ts'
import { dialect } from './dialect.ts'
import { readBlocks, readCommonBlock, readText, readTexts } from './parts-in.ts'
import { readSearchBlock } from './search-blocks.ts'
import { readInnerBlock } from './system-inside-in.ts'
import { isOwnWebBlock, readWebBlock } from './web-blocks.ts'

export function readMessages(value: unknown, changed: Changed): Message[] {
  const messages = array(value, 'messages')
  if (messages.length === 0) throw invalid('messages', 'must contain at least one message')
  return messages.flatMap((entry, at) => {
    const before = messages[at - 1]
    const answers = isObject(before) && before.role === 'assistant'
    return readMessage(object(entry, `messages[${at}]`), `messages[${at}]`, { answers, changed })
  })
}

/** The top-level `system`. */
export function readSystem(value: unknown, changed: Changed): Message[] {
  if (value === undefined || value === null) return []
  const [first, ...rest] = readTexts(value, 'system', changed)
  return first ? [{ role: 'system', content: [withoutAttribution(first), ...rest] }] : []
}

const attribution = /^x-anthropic-billing-header:[^\n]*\n?/

/** Claude Code's first block names its version to Anthropic, which takes it out of the prompt. To other services it says nothing. */
function withoutAttribution(part: TextPart): TextPart | OpaquePart {
  if (!attribution.test(part.text)) return part
  const { cache, text } = part
  const value = { type: 'text', text, ...(cache ? { cache_control: { type: 'ephemeral', ...cache } } : {}) }
  return opaque(value, text.replace(attribution, ''))
}

interface Reading {
  /** The previous message is the assistant's: results belong here. */
  answers: boolean
  changed: Changed
}

function readMessage(message: Fields, path: string, reading: Reading): Message[] {
  const role = string(message.role, `${path}.role`)
  switch (role) {
    case 'user':
      return readUser(message, path, reading)
    case 'assistant':
      return [{ role, content: readAssistant(message, path, reading.changed) }]
    case 'system':
      return readInnerSystem(message, path, reading.changed)
    default:
      throw invalid(`${path}.role`, `${JSON.stringify(role)} is not a role; use user, assistant or system`)
  }
}

/** A system message inside the conversation. Without content it only has settings, see `innerSettings`. */
function readInnerSystem({ content }: Fields, path: string, changed: Changed): Message[] {
  if (Array.isArray(content) && content.length === 0) return []
  const read = (block: Fields, at: string) => readInnerBlock(block, at, changed)
  return [
    { role: 'system', content: readBlocks<TextPart | OpaquePart>(content, `${path}.content`, read, changed) },
  ]
}

export const resultsMovedNote = 'tool results were moved before the text beside them'

function readUser(message: Fields, path: string, { answers, changed }: Reading): Message[] {
  const results: ToolResult[] = []
  let spoken = false
  const read = (block: Fields, at: string): readonly UserPart[] => {
    if (block.type !== 'tool_result') {
      spoken = true
      return readUserBlock(block, at, changed)
    }
    if (spoken) changed(resultsMovedNote)
    results.push(readResult(block, at, changed))
    return []
  }
  const content = readBlocks<UserPart>(message.content, `${path}.content`, read, changed)
  if (results.length === 0) return [{ role: 'user', content }]
  // The API wants all results of a turn in one message. The canonical form joins them in any case.
  if (!answers) changed()
  const answered: Message = { role: 'tool', results }
  return content.length === 0 ? [answered] : [answered, { role: 'user', content }]
}

const assistantOnly: ReadonlySet<unknown> = new Set(['tool_use', 'thinking', 'redacted_thinking'])

function readUserBlock(block: Fields, path: string, changed: Changed): readonly UserPart[] {
  if (assistantOnly.has(block.type))
    throw invalid(`${path}.type`, `${JSON.stringify(block.type)} is not allowed in a user message`)
  return readCommonBlock(block, path, changed) ?? [opaque(block)]
}

function readResult(block: Fields, path: string, changed: Changed): ToolResult {
  const callId = fromClientId(string(block.tool_use_id, `${path}.tool_use_id`))
  const isError = optional(block.is_error, `${path}.is_error`, boolean) ?? false
  const read = (part: Fields, at: string): readonly ResultPart[] => readResultBlock(part, at, changed)
  // A string may be empty or blank here: the rule about blank text is for blocks.
  const content =
    typeof block.content === 'string'
      ? resultText(block.content)
      : (optional(block.content, `${path}.content`, (value, at) =>
          readBlocks<ResultPart>(value, at, read, changed),
        ) ?? [])
  return { callId, content, ...(isError ? { isError } : {}), ...cacheOf(block) }
}

const resultText = (text: string): TextPart[] => (text === '' ? [] : [{ type: 'text', text }])

const readResultBlock = (block: Fields, path: string, changed: Changed): readonly ResultPart[] =>
  readCommonBlock(block, path, changed) ?? readReference(block, path) ?? [opaque(block)]

/** A result of the tool search; undefined for any other type. */
export function readReference(block: Fields, path: string): OpaquePart[] | undefined {
  if (block.type !== 'tool_reference') return undefined
  const name = string(block.tool_name, `${path}.tool_name`)
  return [{ ...opaque(block, `The tool ${JSON.stringify(name)} can be called now.`), loads: name }]
}

function readAssistant(message: Fields, path: string, changed: Changed): AssistantPart[] {
  const read = (block: Fields, at: string) => readAssistantBlock(block, at, changed)
  return readBlocks<AssistantPart>(message.content, `${path}.content`, read, changed)
}

const ownBlocks: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking', 'tool_use', 'compaction'])

/** Block types that only this dialect has in an assistant message. */
export const isOwnBlock = ({ type }: Fields): boolean => ownBlocks.has(type) || isServerBlock(type)

export function readAssistantBlock(block: Fields, path: string, changed: Changed): readonly AssistantPart[] {
  switch (block.type) {
    case 'text':
      return readText(block, path, changed)
    case 'thinking': {
      const thought = string(block.thinking, `${path}.thinking`)
      const signature = optional(block.signature, `${path}.signature`, string) ?? ''
      if (signature !== '') return [{ type: 'reasoning', text: thought, signature }]
      // Thinking of another service, shown by this gateway: the API takes back only what it has signed.
      changed()
      return thought === '' ? [] : [{ type: 'reasoning', text: thought }]
    }
    case 'redacted_thinking':
      return [{ type: 'reasoning', text: '', redacted: string(block.data, `${path}.data`) }]
    case 'tool_use':
      return [readCall(block, path, changed)]
    // The service's summary of the conversation so far.
    case 'compaction':
      return [opaque(block, optional(block.content, `${path}.content`, string) ?? '')]
    case 'tool_result':
      throw invalid(`${path}.type`, '"tool_result" is not allowed in an assistant message')
    default:
      // The service would refuse what it has not sealed itself.
      if (isOwnWebBlock(block)) changed()
      return [opaque(block)]
  }
}

function readCall(block: Fields, path: string, changed: Changed): ToolCallPart {
  const callId = fromClientId(string(block.id, `${path}.id`))
  const name = string(block.name, `${path}.name`)
  if (callId === '') throw invalid(`${path}.id`, 'must not be empty')
  if (name === '') throw invalid(`${path}.name`, 'must not be empty')
  if (isObject(block.input)) return { type: 'tool-call', callId, name, input: writeExact(block.input) }
  // Some clients keep the arguments as text, or omit empty ones.
  const read = readToolInput(typeof block.input === 'string' ? block.input : writeExact(block.input ?? {}))
  if (!read.ok || read.inputs.length > 1)
    throw invalid(`${path}.input`, 'must be an object; remove or correct this tool call in the history')
  changed(read.changed === undefined ? undefined : `in the history, ${read.changed}`)
  return { type: 'tool-call', callId, name, input: read.inputs[0] }
}

/** Block types of Anthropic's own tools and betas: calls, results, files, changes of tools and models. */
export const isServerBlock = (type: unknown): type is string =>
  typeof type === 'string' && (/._tool_(?:use|result)$/.test(type) || serverBlocks.has(type))

const serverBlocks = new Set([
  'container_upload',
  'fallback',
  'mcp_tool_listing',
  'tool_addition',
  'tool_removal',
])

/** No service speaks it: the part is of this gateway. */
const ownDialect = 'dragoman'

const webText = ({ kind, input, result }: WebPart): string =>
  result === undefined ? `(A web ${kind}: ${input})` : `(Its result:\n${result})`

/** A block that only this dialect has. `text`: what other services get instead. */
export function opaque(block: Fields, text?: string): OpaquePart {
  const part: OpaquePart = { type: 'opaque', dialect, value: block }
  const search = readSearchBlock(block)
  if (search) part.search = search
  const web = readWebBlock(block)
  if (web) part.web = web
  if (web && isOwnWebBlock(block)) return { ...part, dialect: ownDialect, text: webText(web) }
  if (text !== undefined) part.text = text
  return part
}
