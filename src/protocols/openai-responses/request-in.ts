// OpenAI Responses request → TurnRequest. Unknown fields are tolerated; errors name the exact field.
// https://platform.openai.com/docs/api-reference/responses/create

import { textOf } from '../../base/json.ts'
import type { GatewayError } from '../../core/errors.ts'
import { repairHistory } from '../../core/history.ts'
import type { Notes } from '../../core/notes.ts'
import type { Message, ResponseFormat, TurnRequest } from '../../core/request.ts'
import {
  array,
  between,
  boolean,
  defined,
  type Fields,
  invalid,
  modelName,
  object,
  optional,
  positiveInteger,
  string,
  unsupported,
} from '../requests/decode.ts'
import { readHistory } from '../requests/history-in.ts'
import { readJsonSchema } from '../requests/json-schema-in.ts'
import { hasOpaquePart } from '../requests/opaque-parts.ts'
import { refuseOtherBody } from '../requests/other-body.ts'
import { readEffortWord, type StatedEffort } from '../requests/reasoning-effort.ts'
import { dialect } from './dialect.ts'
import { echoOf } from './echo.ts'
import { isCompaction, type PlacedItem, readItems } from './items-in.ts'
import { joinOutputs } from './joined-outputs.ts'
import { type EarlierResponses, isReference, notKept, References } from './references-in.ts'
import { isClientSearch } from './search-in.ts'
import { readToolSearch } from './search-items.ts'
import type { ToolNames } from './tool-names.ts'
import { readToolChoice, readTools } from './tools-in.ts'
import { isOwnWebItem, readWebTools } from './web-items.ts'

export interface ResponsesRequest {
  /** The model as the client named it. */
  model: string
  /** `model` is still the client's name here: routing replaces it. */
  turn: TurnRequest
  names: ToolNames
  /** The conversation so far as items, including those of stored answers. */
  items: Fields[]
  store: boolean
  /** The client wants `encrypted_content` with reasoning. */
  includeProofs: boolean
  /** The client wants the addresses that a web search found. */
  includesSources: boolean
  /** The fields of the request that its answer repeats. */
  echo: Fields
  /** The client asks for a compaction of the conversation instead of an answer. */
  compacts: boolean
}

/** `isBeginning`: the request begins a conversation that a later one continues, so it may be without a message for the model. */
export function fromResponsesRequest(
  body: unknown,
  notes: Notes,
  earlier: EarlierResponses,
  { isBeginning = false } = {},
): ResponsesRequest {
  const fields = object(body, 'body')
  const model = modelName(fields.model, 'model')
  const translationNotes: string[] = []
  const note = (text: string) => {
    notes.add(text)
    translationNotes.push(text)
  }
  let faithful = true
  const repaired = (text: string) => {
    notes.add(text)
    faithful = false
  }
  const needs = neededFields(fields)
  const onNeed = (error: GatewayError) => void needs.push(error)
  noteUnused(fields, note)

  const references = new References(earlier)
  const all = [
    ...(optional(fields.previous_response_id, 'previous_response_id', itemsBefore(earlier)) ?? []),
    ...readInput(fields, references),
  ]
  const compacts = all.at(-1)?.item.type === 'compaction_trigger'
  const given = compacts ? all.slice(0, -1) : all
  const placed = joinOutputs(given, (text) => notes.add(text))
  if (typeof fields.previous_response_id === 'string') refuseOrphans(placed)
  const offered = readTools([{ value: fields.tools, path: 'tools' }, ...placed.flatMap(addedTools)], note)
  if (placed.some(({ item }) => isOwnWebItem(item))) faithful = false
  const opened = placed.map(({ item }) => openedItem(item, earlier))
  const isOpened = opened.some((item, at) => item !== placed[at]?.item)
  const choice = readToolChoice(fields.tool_choice, offered, onNeed)
  const reading = { model, names: offered.names, note, repaired, unseal: earlier.unseal }
  const messages = readConversation(fields, placed, {
    ...reading,
    isPartial: isBeginning || isPartial(fields),
  })

  const turn: TurnRequest = {
    model,
    messages,
    tools: choice.tools,
    stream: optional(fields.stream, 'stream', boolean) ?? false,
    ...defined({
      opaqueTools: offered.opaqueTools.length > 0 ? offered.opaqueTools : undefined,
      toolSearch: readToolSearch(offered.opaqueTools),
      webTools: readWebTools(offered.opaqueTools, fields.tool_choice, needs),
      hasOpaqueParts: messages.some(hasOpaquePart) ? true : undefined,
      needs: needs.length > 0 ? needs : undefined,
      toolChoice: choice.toolChoice,
      ...readSettings(fields),
    }),
    origin: {
      dialect,
      body: fields,
      faithful,
      translationNotes,
      ...(typeof fields.previous_response_id === 'string' || references.isUsed || isOpened || placed !== given
        ? { conversation: opened }
        : {}),
    },
  }
  const store = optional(fields.store, 'store', boolean) ?? true
  return {
    model,
    turn,
    names: offered.names,
    items: placed.map(({ item }) => item),
    store,
    includeProofs: included(fields, 'reasoning.encrypted_content'),
    includesSources: included(fields, 'web_search_call.action.sources'),
    echo: echoOf(fields, turn, { tools: offered.served, store }),
    compacts,
  }
}

function readSettings(fields: Fields) {
  const { effort, otherEffort } = optional(fields.reasoning, 'reasoning', readEffort) ?? {}
  return {
    parallelToolCalls: optional(fields.parallel_tool_calls, 'parallel_tool_calls', boolean),
    maxOutputTokens: optional(fields.max_output_tokens, 'max_output_tokens', positiveInteger),
    temperature: optional(fields.temperature, 'temperature', between(0, 2)),
    topP: optional(fields.top_p, 'top_p', between(0, 1)),
    reasoning: effort && { effort },
    otherEffort,
    responseFormat: readFormat(fields),
    user: optional(fields.user ?? fields.safety_identifier, 'user', string),
  }
}

const isSet = (fields: Readonly<Fields>, name: string) => fields[name] !== undefined && fields[name] !== null

/** The errors of fields that cannot be left out without changing the meaning of the request. */
function neededFields(fields: Fields): GatewayError[] {
  const refusal = (name: string, instead: string) => unsupported(name, `is not supported here; ${instead}.`)
  if (optional(fields.background, 'background', boolean))
    throw refusal('background', 'wait for the answer, or stream it')
  return [
    ...(isSet(fields, 'conversation')
      ? [refusal('conversation', 'send the input, or previous_response_id')]
      : []),
    ...(isSet(fields, 'prompt') ? [refusal('prompt', 'send instructions and input')] : []),
  ]
}

/** The service has a part of the conversation. */
const isPartial = (fields: Readonly<Fields>) => isSet(fields, 'conversation') || isSet(fields, 'prompt')

const logprobs = 'message.output_text.logprobs'

const included = (fields: Readonly<Fields>, name: string) =>
  (optional(fields.include, 'include', array) ?? []).includes(name)

/** Notes fields that are left out without changing the request. */
export function noteUnused(fields: Fields, note: (text: string) => void): void {
  const unused = unusedOf(fields)
  if (unused.length > 0) note(unusedNote(unused))
}

export const unusedNote = (unused: readonly string[]) => `not supported and left out: ${unused.join(', ')}`

/** Hints without a visible effect are not among them. */
export function unusedOf(fields: Readonly<Fields>): string[] {
  const text = optional(fields.text, 'text', object)
  return [
    fields.truncation === 'auto' && 'truncation',
    Boolean(fields.top_logprobs) && 'top_logprobs',
    included(fields, logprobs) && logprobs,
    Boolean(text?.verbosity) && text?.verbosity !== 'medium' && 'text.verbosity',
    Boolean(fields.service_tier) &&
      !['auto', 'default'].includes(textOf(fields.service_tier)) &&
      'service_tier',
    Boolean(fields.context_management) && 'context_management',
    Boolean(fields.moderation) && 'moderation',
  ].filter((name) => name !== false)
}

const itemsBefore =
  (earlier: EarlierResponses) =>
  (value: unknown, path: string): PlacedItem[] => {
    const id = string(value, path)
    const items = earlier.conversation(id)
    if (!items)
      throw invalid(
        path,
        `Previous response with id '${id.slice(0, 200)}' not found. ${notKept}; send the whole input instead.`,
        'previous_response_not_found',
      )
    return items.map((item, at) => ({ item, path: `${path}.items[${at}]` }))
  }

/**
 * Refuses results of calls that the continued conversation does not have: it is known as a whole, so they are a mistake. Without it,
 * the client may have shortened its history. The words are OpenAI's.
 */
function refuseOrphans(placed: readonly PlacedItem[]): void {
  const calls = new Set<unknown>()
  for (const { item, path } of placed) {
    const type = textOf(item.type)
    if (type.endsWith('_call')) calls.add(item.call_id)
    if (!type.endsWith('_call_output') || typeof item.call_id !== 'string' || calls.has(item.call_id))
      continue
    throw invalid(
      `${path}.call_id`,
      `No tool call found for function call output with call_id ${item.call_id.slice(0, 200)}.`,
    )
  }
}

/** With an earlier response the input may be empty. */
function readInput(fields: Fields, references: References): PlacedItem[] {
  const { input: value, previous_response_id: id } = fields
  if ((value ?? null) === null && (typeof id === 'string' || isPartial(fields))) return []
  if (typeof value === 'string')
    return [{ item: { type: 'message', role: 'user', content: value }, path: 'input' }]
  refuseOtherBody(fields, 'input')
  if (!Array.isArray(value)) throw invalid('input', 'must be a string or an array of items')
  return value.map((entry: unknown, at) => {
    const path = `input[${at}]`
    const item = object(entry, path)
    return { item: isReference(item) ? references.item(item, path) : item, path }
  })
}

/** A compaction of this gateway as the text that it stands for. */
function openedItem(item: Fields, { unseal }: EarlierResponses): Fields {
  const { type, encrypted_content: sealed } = item
  const text = isCompaction(type) && typeof sealed === 'string' ? unseal?.(sealed) : undefined
  return text === undefined
    ? item
    : { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }
}

/** Tools that the client adds, or that its own search has found: it does not repeat them elsewhere. */
const addedTools = ({ item, path }: PlacedItem) =>
  item.type === 'additional_tools' || isClientSearch(item, 'tool_search_output')
    ? [{ value: item.tools, path: `${path}.tools` }]
    : []

interface Reading {
  model: string
  names: ToolNames
  note(text: string): void
  repaired(text: string): void
  unseal: EarlierResponses['unseal']
  isPartial: boolean
}

function readConversation(fields: Fields, placed: readonly PlacedItem[], reading: Reading): Message[] {
  const instructions = optional(fields.instructions, 'instructions', string)
  const system: Message[] = instructions
    ? [{ role: 'system', content: [{ type: 'text', text: instructions }] }]
    : []
  const given = [...system, ...readItems(placed, reading)]
  if (reading.isPartial) return repairHistory(given, reading.repaired)
  return readHistory(given, 'input', reading.repaired)
}

const readEffort = (value: unknown, path: string): StatedEffort =>
  optional(object(value, path).effort, `${path}.effort`, readEffortWord) ?? {}

export function readFormat(fields: Fields): ResponseFormat | undefined {
  const path = 'text.format'
  const format = optional(optional(fields.text, 'text', object)?.format, path, object)
  switch (format && string(format.type, `${path}.type`)) {
    case undefined:
    case 'text':
      return undefined
    case 'json_object':
      return { type: 'json' }
    case 'json_schema':
      return readJsonSchema(format as Fields, path)
    default:
      throw invalid(`${path}.type`, 'must be text, json_object or json_schema')
  }
}
