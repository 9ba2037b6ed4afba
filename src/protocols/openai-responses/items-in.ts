// The items of a Responses request. One answer of the model (reasoning, messages, calls) arrives as several items in a row, and
// becomes one assistant message again.

import { isSealed } from '../../base/seal.ts'
import type { AssistantPart, Message, OpaquePart, ReasoningPart } from '../../core/request.ts'
import { customInput } from '../requests/custom-tools.ts'
import { array, type Fields, invalid, object, optional, string, unsupported } from '../requests/decode.ts'
import { readFunctionCall } from '../requests/function-call-in.ts'
import { dialect } from './dialect.ts'
import { readParts, readResultPart, readTextPart, readUserPart } from './parts-in.ts'
import { fromEncryptedContent } from './reasoning-proof.ts'
import { readSearch } from './search-in.ts'
import { readSearchItem } from './search-items.ts'
import type { ToolNames } from './tool-names.ts'
import { isOwnWebItem, readWebItem } from './web-items.ts'

export interface PlacedItem {
  item: Fields
  path: string
}

interface Reading {
  model: string
  names: ToolNames
  note(text: string): void
  /** Gets the notes of changes without which no service would take the items. Absent: `note` gets them. */
  repaired?: ((text: string) => void) | undefined
  /** Where compactions are read. */
  unseal?: ((content: string) => string | undefined) | undefined
}

const foreignProofNote = 'encrypted reasoning was left out: it is of another model or service, or was changed'

const typeOf = ({ type, role }: Fields): unknown =>
  (type === undefined || type === null) && role !== undefined ? 'message' : type

const compactions = new Set<unknown>(['compaction', 'context_compaction', 'compaction_summary'])

export const isCompaction = (type: unknown): boolean => compactions.has(type)

/** True for items that are not messages in any dialect. Some clients give calls and their outputs a role nevertheless. */
export const isItem = ({ type, role, call_id }: Fields): boolean =>
  typeof type === 'string' && (role === undefined || role === null || typeof call_id === 'string')

export function readItems(items: readonly PlacedItem[], reading: Reading): Message[] {
  const messages: Message[] = []
  for (const placed of items) {
    const message = readItem(placed, reading)
    const last = messages.at(-1)
    if (message?.role === 'assistant' && last?.role === 'assistant')
      for (const part of message.content) last.content.push(part)
    else if (message) messages.push(message)
  }
  return messages
}

export function readItem({ item, path }: PlacedItem, reading: Reading): Message | undefined {
  const type = typeOf(item)
  if (isCompaction(type)) return readCompaction(item, path, reading)
  switch (type) {
    case 'message':
      return readMessage(item, path, reading)
    case 'function_call':
    case 'custom_tool_call':
      return { role: 'assistant', content: readCall(item, path, reading) }
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const callId = string(item.call_id, `${path}.call_id`)
      if (item.output === undefined) throw invalid(`${path}.output`, 'is required (a string or an array)')
      const content = readParts(item.output, `${path}.output`, readResultPart, reading.note)
      return { role: 'tool', results: [{ callId, content }] }
    }
    case 'tool_search_call':
    case 'tool_search_output':
      return readSearch(item, path, reading.names) ?? hostedSearch(item, reading.names)
    case 'reasoning': {
      const part = readReasoning(item, path, reading)
      return part && { role: 'assistant', content: [part] }
    }
    case 'additional_tools':
      return undefined
    case 'agent_message':
      return readAgentMessage(item, path, reading)
    case 'compaction_trigger':
      throw invalid(path, 'a compaction_trigger must be the last item')
  }
  if (typeof type !== 'string') throw invalid(`${path}.type`, 'is required (a string)')
  return webSearch(item) ?? opaqueItem(item)
}

/** Undefined for any other item. */
function webSearch(item: Fields): Message | undefined {
  const web = readWebItem(item)
  if (!web) return undefined
  // No service speaks the dialect of an item that this gateway made.
  const own = isOwnWebItem(item) ? { dialect: 'dragoman', text: '' } : { dialect }
  return { role: 'assistant', content: [{ type: 'opaque', ...own, value: item, web }] }
}

function hostedSearch(item: Fields, names: ToolNames): Message {
  const search = readSearchItem(item, names)
  return opaqueItem(item, search ? { search } : {})
}

/** An item of a tool that the service runs itself, or of a later version. */
const opaqueItem = (value: Fields, more: Pick<OpaquePart, 'error' | 'search'> = {}): Message => ({
  role: 'assistant',
  content: [{ type: 'opaque', dialect, value, ...more }],
})

function readCompaction(item: Fields, path: string, { unseal }: Reading): Message {
  if (!unseal) throw unsupported(`${path}.type`, 'compactions are read in Responses requests only.')
  const place = `${path}.encrypted_content`
  const sealed = string(item.encrypted_content, place)
  const text = unseal(sealed)
  if (text !== undefined) return { role: 'user', content: [{ type: 'text', text }] }
  const foreign = invalid(
    place,
    `The encrypted content ${sealed.slice(0, 8)}… could not be verified. It was made elsewhere, for someone else, or was changed; send the conversation instead.`,
    'invalid_encrypted_content',
  )
  // Ours for somebody else, or changed: no service can read it.
  if (isSealed(sealed)) throw foreign
  return opaqueItem(item, { error: foreign })
}

function readMessage(item: Fields, path: string, { note }: Reading): Message {
  const role = string(item.role, `${path}.role`)
  const place = `${path}.content`
  switch (role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: readParts(item.content, place, readTextPart, note) }
    case 'user':
      return { role: 'user', content: readParts(item.content, place, readUserPart, note) }
    case 'assistant':
      return { role: 'assistant', content: readParts(item.content, place, readTextPart, note) }
    default:
      throw invalid(`${path}.role`, `"${role}" is not a role; use system, developer, user or assistant`)
  }
}

/** A message of another agent of the same client. No other API has a role for it. */
function readAgentMessage(item: Fields, path: string, { note }: Reading): Message | undefined {
  const author = optional(item.author, `${path}.author`, string)
  const content = readParts(item.content, `${path}.content`, readUserPart, note)
  if (content.length === 0) return undefined
  note('messages of other agents were sent as user messages')
  const from = `Message from the agent ${author || '(no name)'}:`
  return { role: 'user', content: [{ type: 'text', text: from }, ...content] }
}

function readCall(item: Fields, path: string, { names, note, repaired = note }: Reading): AssistantPart[] {
  const callId = string(item.call_id, `${path}.call_id`)
  const name = names.toUpstream(
    string(item.name, `${path}.name`),
    optional(item.namespace, `${path}.namespace`, string),
  )
  if (item.type === 'custom_tool_call') {
    const input = customInput(string(item.input, `${path}.input`))
    return [{ type: 'tool-call', callId, name, input }]
  }
  const changed = (text?: string) => void (text && repaired(text))
  return readFunctionCall({ name, arguments: item.arguments }, path, callId, changed)
}

export function readReasoning(
  item: Fields,
  path: string,
  reading: Pick<Reading, 'model' | 'note'>,
): ReasoningPart | undefined {
  const texts = [...textsOf(item.content, `${path}.content`)]
  if (texts.length === 0) texts.push(...textsOf(item.summary, `${path}.summary`))
  const text = texts.join('\n\n')
  const sealed = optional(item.encrypted_content, `${path}.encrypted_content`, string)
  const proof = sealed ? fromEncryptedContent({ model: reading.model, text }, sealed) : undefined
  if (sealed && !proof) reading.note(foreignProofNote)
  return text === '' && !proof ? undefined : { type: 'reasoning', text, ...proof }
}

const textsOf = (value: unknown, path: string): string[] =>
  (optional(value, path, array) ?? []).flatMap((entry, at) => {
    const place = `${path}[${at}]`
    return string(object(entry, place).text, `${place}.text`) || []
  })
