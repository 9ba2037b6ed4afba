// The fields of a request that every answer repeats. The published schema requires all of them, with a value where OpenAI gives one.
// Unknown fields are left out: the echo must not claim that they took effect.

import { isObject } from '../../base/json.ts'
import type { TurnRequest } from '../../core/request.ts'
import { type Fields, object, optional } from '../requests/decode.ts'

interface Served {
  /** The tools that were offered, in the client's form. */
  tools: readonly Fields[]
  store: boolean
}

export function echoOf(fields: Fields, turn: TurnRequest, { tools, store }: Served): Fields {
  return {
    background: false,
    frequency_penalty: 0,
    instructions: fields.instructions ?? null,
    max_output_tokens: turn.maxOutputTokens ?? null,
    max_tool_calls: null,
    metadata: optional(fields.metadata, 'metadata', object) ?? {},
    parallel_tool_calls: turn.parallelToolCalls ?? true,
    presence_penalty: 0,
    previous_response_id: fields.previous_response_id ?? null,
    prompt_cache_key: textOr(fields.prompt_cache_key, null),
    reasoning: { effort: turn.reasoning?.effort ?? null, summary: null, ...(fields.reasoning as object) },
    safety_identifier: textOr(fields.safety_identifier, null),
    // The tier that was really used: no backend is asked for another.
    service_tier: 'default',
    store,
    temperature: turn.temperature ?? 1,
    text: { format: { type: 'text' }, ...withWholeFormat(fields.text) },
    tool_choice: choiceOf(fields.tool_choice),
    tools: tools.map(wholeTool),
    top_logprobs: 0,
    top_p: turn.topP ?? 1,
    truncation: 'disabled',
    ...(turn.user === undefined ? {} : { user: turn.user }),
  }
}

const textOr = (value: unknown, other: null) => (typeof value === 'string' ? value : other)

/** Functions with every field; other kinds as they came. */
const wholeTool = (tool: Fields): Fields =>
  tool.type === 'function' ? { description: null, parameters: null, strict: false, ...tool } : tool

/** A schema for the answer, with every field. */
function withWholeFormat(text: unknown): Fields {
  if (!isObject(text)) return {}
  const { format, ...others } = text
  if (!isObject(format)) return others
  const isSchema = format.type === 'json_schema'
  return { format: isSchema ? { description: null, strict: false, ...format } : format, ...others }
}

const modes = new Set<unknown>(['auto', 'none', 'required'])

/** Some clients send a mode as an object. */
function choiceOf(choice: unknown): unknown {
  if (isObject(choice) && modes.has(choice.type)) return choice.type
  return choice ?? 'auto'
}
