// Top-level fields of the other dialects on Chat's route. Cursor IDE posts a Responses body for some model names, and Anthropic
// fields beside `messages` for others. This module turns both into Chat's fields. messages-in.ts and tools-in.ts read the
// conversation and the tools element by element.

import { isObject } from '../../base/json.ts'
import { readFormat as readFormatOfAnthropic } from '../anthropic-messages/request-in.ts'
import { readThinking } from '../anthropic-messages/thinking-in.ts'
import type { PlacedItem } from '../openai-responses/items-in.ts'
import { noteUnused, readFormat as readFormatOfResponses } from '../openai-responses/request-in.ts'
import {
  array,
  defined,
  type Fields,
  invalid,
  object,
  optional,
  positiveInteger,
  string,
} from '../requests/decode.ts'
import { refuseOtherBody } from '../requests/other-body.ts'
import { readEffortWord, type StatedEffort } from '../requests/reasoning-effort.ts'

export interface Element extends PlacedItem {
  /** True for an element of the body's own `messages`: a Chat message there may be forwarded unchanged. */
  inPlace: boolean
}

interface ChatFields {
  /** The body itself if it is Chat's, else Chat's equivalent. */
  fields: Fields
  elements: Element[]
  /** The field that contains the conversation. */
  list: 'messages' | 'input'
  stated: StatedEffort
}

export function toChatFields(body: Fields, note: (text: string) => void): ChatFields {
  const inPlace = !isOfResponses(body)
  const list = inPlace ? 'messages' : 'input'
  const isForeign = inPlace ? isForeignIn(body) : ([name]: Field) => !known.has(name)
  const entries = Object.entries(body)
  const stated = readEffort(body)
  refuseOtherBody(body, list)
  const elements = inPlace ? placed(body.messages, list, inPlace) : readInput(body.input)
  const left = entries.filter(isForeign)
  if (inPlace && left.length === 0 && !wantsOneCall(body)) return { fields: body, elements, list, stated }
  noteUnused(Object.fromEntries(left), note)
  for (const [name, value] of left)
    if (storedConversationFields.has(name) && isSet(value))
      note(`${name} is not supported on this route: only the messages in the request count`)
  const system = [
    ...systemElement(body.instructions, 'instructions'),
    ...systemElement(body.system, 'system'),
  ]
  // A null field sets nothing and must not override a translated one.
  const own = entries.filter((entry) => !isForeign(entry) && isSet(entry[1]))
  return {
    fields: { ...renamed(body), ...Object.fromEntries(own) },
    elements: [...system, ...elements],
    list,
    stated,
  }
}

type Field = readonly [name: string, value: unknown]

/** Some clients send both fields, one of them empty. */
const isOfResponses = ({ messages, input }: Fields) =>
  isSet(input) && !(Array.isArray(messages) && messages.length > 0)

const isSet = (value: unknown) => value !== undefined && value !== null

/** Fields of a Responses body with a meaning in Chat: shared fields, and Chat fields that some clients put there. */
const known = new Set([
  'model', 'parallel_tool_calls', 'stream', 'stream_options', 'temperature', 'tool_choice', 'tools', 'top_p', 'user',
  'function_call', 'functions', 'max_completion_tokens', 'max_tokens', 'n', 'reasoning_effort', 'response_format', 'stop', 'top_k',
]) // biome-ignore format: a list to be read as one

/** Fields that no server of this dialect takes. */
const foreign = new Set([
  'anthropic_beta', 'anthropic_version', 'betas', 'context_management', 'effort', 'output_config', 'output_format',
  'stop_sequences', 'system',
  'conversation', 'include', 'input', 'instructions', 'max_output_tokens', 'previous_response_id', 'text', 'truncation',
]) // biome-ignore format: a list to be read as one

/** Fields of several dialects. Beside `system` they are Anthropic's. */
const besideSystem = new Set(['cache_control', 'metadata', 'thinking'])

/** Fields by which Responses refers to a stored conversation. */
const storedConversationFields = new Set(['previous_response_id', 'conversation', 'prompt'])

const isForeignIn =
  (body: Fields) =>
  ([name, value]: Field) =>
    foreign.has(name) ||
    (isSet(body.system) && besideSystem.has(name)) ||
    (name === 'thinking' && isThinkingOfAnthropic(body)) ||
    (name === 'reasoning' && isReasoningOfResponses(value))

const placed = (value: unknown, list: string, inPlace: boolean): Element[] =>
  array(value, list).map((item, at) => {
    const path = `${list}[${at}]`
    return { item: object(item, path), path, inPlace }
  })

const readInput = (value: unknown): Element[] =>
  typeof value === 'string'
    ? [{ item: { role: 'user', content: value }, path: 'input', inPlace: false }]
    : placed(value, 'input', false)

const systemElement = (content: unknown, path: string): Element[] =>
  isSet(content) && content !== '' ? [{ item: { role: 'system', content }, path, inPlace: false }] : []

/** Anthropic's form of `parallel_tool_calls: false`, inside `tool_choice`. */
const wantsOneCall = ({ tool_choice: choice }: Fields) =>
  isObject(choice) && choice.disable_parallel_tool_use === true

/** Errors name the field as the client sent it. */
function renamed(body: Fields): Fields {
  return defined({
    parallel_tool_calls: wantsOneCall(body) ? false : undefined,
    max_tokens: optional(body.max_output_tokens, 'max_output_tokens', positiveInteger),
    stop: optional(body.stop_sequences, 'stop_sequences', strings),
    response_format: toResponseFormat(body),
  })
}

const strings = (value: unknown, path: string) =>
  array(value, path).map((entry, at) => string(entry, `${path}[${at}]`))

function toResponseFormat(body: Fields): unknown {
  const { format } = optional(body.text, 'text', object) ?? {}
  // Chat's own form in the field of Responses.
  if (isObject(format) && isSet(format.json_schema)) return format
  const wanted = readFormatOfResponses(body) ?? readFormatOfAnthropic(body)
  // No server of this dialect knows another form of Anthropic's.
  if (!wanted && isSet(body.output_format)) throw invalid('output_format.type', 'must be json_schema')
  if (wanted?.type !== 'json-schema') return wanted && { type: 'json_object' }
  const { type: _, ...schema } = wanted
  return { type: 'json_schema', json_schema: schema }
}

/** Servers of this dialect also have a `thinking` setting, without a budget. */
const isThinkingOfAnthropic = ({ thinking, system }: Fields) =>
  isObject(thinking) &&
  (isSet(system) || thinking.type === 'adaptive' || thinking.budget_tokens !== undefined)

/** Servers of this dialect also have a `reasoning` setting, without a summary. */
const isReasoningOfResponses = (value: unknown) => isObject(value) && 'summary' in value

/** The most explicit field wins. */
function readEffort(body: Fields): StatedEffort {
  const nested = optional(body.reasoning, 'reasoning', object)
  const stated =
    optional(body.reasoning_effort, 'reasoning_effort', readEffortWord) ??
    optional(nested?.effort, 'reasoning.effort', readEffortWord) ??
    optional(body.effort, 'effort', readEffortWord)
  if (stated !== undefined) return stated
  const { thinking, output_config } = body
  const { effort, otherEffort } = readThinking(
    isThinkingOfAnthropic(body) ? { thinking, output_config } : { output_config },
  )
  return defined({ effort, otherEffort })
}
