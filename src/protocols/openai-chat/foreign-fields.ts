// Requests of the other dialects on Chat's route, at their top: Cursor IDE posts a body of Responses for some model names,
// and fields of Anthropic's beside `messages` for others. Here both become the fields that Chat has; what stands in the
// conversation and in the tools is read element by element (messages-in.ts, tools-in.ts).

import type { ReasoningEffort } from '../../core/request.ts'
import { readThinking } from '../anthropic-messages/thinking-in.ts'
import { array, type Fields, object, oneOf, optional } from '../decode.ts'
import { isObject } from '../json.ts'
import type { PlacedItem } from '../openai-responses/items-in.ts'
import { noteUnused } from '../openai-responses/request-in.ts'
import { efforts } from '../reasoning-effort.ts'

export interface Element extends PlacedItem {
  /** It is one of the body's own `messages`: what is Chat's may be sent on as it is. */
  inPlace: boolean
}

export interface ChatFields {
  /** The body itself where it is Chat's, else what Chat has for it. */
  fields: Fields
  elements: Element[]
  effort: ReasoningEffort | undefined
}

export function toChatFields(body: Fields, note: (text: string) => void): ChatFields {
  const inPlace = !isOfResponses(body)
  const isForeign = inPlace ? isForeignField : ([name]: Field) => !common.has(name)
  const entries = Object.entries(body)
  const effort = readEffort(body)
  const elements = inPlace ? placed(body.messages, 'messages', inPlace) : readInput(body.input)
  if (inPlace && !entries.some(isForeign) && !wantsOneCall(body)) return { fields: body, elements, effort }
  noteUnused(body, note)
  if (isSet(body.previous_response_id))
    note('previous_response_id is not known on this route: the conversation is what the request holds')
  const system = [
    ...systemElement(body.instructions, 'instructions'),
    ...systemElement(body.system, 'system'),
  ]
  return {
    fields: { ...renamed(body), ...Object.fromEntries(entries.filter((entry) => !isForeign(entry))) },
    elements: [...system, ...elements],
    effort,
  }
}

type Field = readonly [name: string, value: unknown]

/** Some send both, one of them empty. */
const isOfResponses = ({ messages, input }: Fields) =>
  isSet(input) && !(Array.isArray(messages) && messages.length > 0)

const isSet = (value: unknown) => value !== undefined && value !== null

/** The fields that mean the same in both of OpenAI's dialects. */
const common = new Set([
  'model', 'parallel_tool_calls', 'stream', 'stream_options', 'temperature', 'tool_choice', 'tools', 'top_p', 'user',
]) // biome-ignore format: a list to be read as one

/** What no server of this dialect takes. */
const foreign = new Set([
  'anthropic_beta', 'anthropic_version', 'betas', 'context_management', 'effort', 'output_config', 'stop_sequences', 'system',
  'include', 'input', 'instructions', 'max_output_tokens', 'previous_response_id', 'text', 'truncation',
]) // biome-ignore format: a list to be read as one

const isForeignField = ([name, value]: Field) =>
  foreign.has(name) || (name === 'thinking' && isThinkingOfAnthropic(value))

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

/** Anthropic says it within its `tool_choice`. */
const wantsOneCall = ({ tool_choice: choice }: Fields) =>
  isObject(choice) && choice.disable_parallel_tool_use === true

function renamed(body: Fields): Fields {
  const { max_output_tokens, stop_sequences, text } = body
  return {
    ...(wantsOneCall(body) ? { parallel_tool_calls: false } : {}),
    ...(isSet(max_output_tokens) ? { max_tokens: max_output_tokens } : {}),
    ...(isSet(stop_sequences) ? { stop: stop_sequences } : {}),
    ...(isObject(text) && isSet(text.format) ? { response_format: toResponseFormat(text.format) } : {}),
  }
}

/** Responses has flat what Chat has within `json_schema`. */
function toResponseFormat(format: unknown): unknown {
  if (!isObject(format) || format.type !== 'json_schema' || format.json_schema !== undefined) return format
  const { type, ...schema } = format
  return { type, json_schema: schema }
}

/** `thinking` alone is also a setting of servers of this dialect, without a budget. */
const isThinkingOfAnthropic = (value: unknown) =>
  isObject(value) && (value.type === 'adaptive' || value.budget_tokens !== undefined)

/** What was asked for most plainly wins. */
function readEffort(body: Fields): ReasoningEffort | undefined {
  const nested = optional(body.reasoning, 'reasoning', object)
  const stated = body.reasoning_effort ?? nested?.effort ?? body.effort
  const effort = optional(stated, 'reasoning_effort', oneOf(efforts))
  if (effort !== undefined) return effort
  const { thinking, output_config } = body
  return readThinking(isThinkingOfAnthropic(thinking) ? { thinking, output_config } : { output_config })
    .effort
}
