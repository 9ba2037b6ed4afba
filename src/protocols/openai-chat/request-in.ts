// OpenAI Chat Completions request → TurnRequest. Messages and tools may also be in the form of another dialect. Unknown fields are
// tolerated; errors name the exact field.
// https://platform.openai.com/docs/api-reference/chat/create

import type { Notes } from '../../core/notes.ts'
import type { ResponseFormat, TurnRequest } from '../../core/request.ts'
import {
  array,
  between,
  boolean,
  defined,
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
import { dialect } from './dialect.ts'
import { toChatFields } from './foreign-fields.ts'
import { readMessages } from './messages-in.ts'
import { type CustomForm, readToolChoice, readTools } from './tools-in.ts'

export interface ChatRequest {
  /** The model as the client named it. */
  model: string
  /** `model` is still the client's name here: routing replaces it. */
  turn: TurnRequest
  includeUsage: boolean
  /** Custom tools, and the form in which the client sees their calls. */
  custom: ReadonlyMap<string, CustomForm>
}

export function fromChatRequest(body: unknown, notes: Notes): ChatRequest {
  const received = object(body, 'body')
  const { fields, elements, list, stated } = toChatFields(received, (text) => notes.add(text))
  const model = modelName(fields.model, 'model')
  const n = optional(fields.n, 'n', positiveInteger) ?? 1
  if (n !== 1) throw unsupported('n', 'only one answer per request can be given; send n = 1.')

  let faithful = fields === received
  const changed = (note?: string) => {
    faithful = false
    if (note !== undefined) notes.add(note)
  }
  if (elements.length === 0) throw invalid(list, 'must contain at least one message')
  const tools = readTools(fields, changed)
  const choice = readToolChoice(fields, tools, changed)
  const given = readMessages({ model, elements, tools, changed })
  const messages = readHistory(given, list, changed)
  const stream = optional(fields.stream, 'stream', boolean) ?? false
  const streamOptions = optional(fields.stream_options, 'stream_options', object)

  const turn: TurnRequest = {
    model,
    messages,
    tools: choice.tools,
    stream,
    ...defined({
      opaqueTools: tools.opaqueTools.length > 0 ? tools.opaqueTools : undefined,
      hasOpaqueParts: messages.some(hasOpaquePart) ? true : undefined,
      toolChoice: choice.toolChoice,
      parallelToolCalls: optional(fields.parallel_tool_calls, 'parallel_tool_calls', boolean),
      maxOutputTokens:
        optional(fields.max_completion_tokens, 'max_completion_tokens', positiveInteger) ??
        optional(fields.max_tokens, 'max_tokens', positiveInteger),
      temperature: optional(fields.temperature, 'temperature', between(0, 2)),
      topP: optional(fields.top_p, 'top_p', between(0, 1)),
      topK: optional(fields.top_k, 'top_k', positiveInteger),
      stop: readStop(fields.stop),
      reasoning: stated.effort && { effort: stated.effort },
      otherEffort: stated.otherEffort,
      responseFormat: optional(fields.response_format, 'response_format', readResponseFormat),
      user: optional(fields.user, 'user', string),
    }),
    origin: { dialect, body: fields, faithful },
  }
  return {
    model,
    turn,
    includeUsage: optional(streamOptions?.include_usage, 'stream_options.include_usage', boolean) ?? false,
    custom: tools.custom,
  }
}

function readStop(value: unknown): string[] | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return [value]
  const stops = array(value, 'stop').map((entry, at) => string(entry, `stop[${at}]`))
  return stops.length > 0 ? stops : undefined
}

function readResponseFormat(value: unknown, path: string): ResponseFormat | undefined {
  const format = object(value, path)
  switch (string(format.type, `${path}.type`)) {
    case 'text':
      return undefined
    case 'json_object':
      return { type: 'json' }
    case 'json_schema': {
      const wrapped = object(format.json_schema, `${path}.json_schema`)
      return readJsonSchema(wrapped, `${path}.json_schema`)
    }
    default:
      throw invalid(`${path}.type`, 'must be text, json_object or json_schema')
  }
}
