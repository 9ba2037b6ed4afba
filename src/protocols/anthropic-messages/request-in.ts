// Anthropic Messages request → TurnRequest. Unknown fields are tolerated; errors name the exact field.
// https://docs.anthropic.com/en/api/messages

import type { Notes } from '../../core/notes.ts'
import type { ResponseFormat, TurnRequest } from '../../core/request.ts'
import {
  array,
  between,
  boolean,
  defined,
  type Fields,
  modelName,
  object,
  optional,
  positiveInteger,
  string,
  wholeNumber,
} from '../requests/decode.ts'
import { readHistory } from '../requests/history-in.ts'
import { hasOpaquePart } from '../requests/opaque-parts.ts'
import { refuseOtherBody } from '../requests/other-body.ts'
import type { Changed } from '../requests/tools-in.ts'
import { dialect } from './dialect.ts'
import { readMessages, readSystem } from './messages-in.ts'
import { readNeeds, translationNotesOf } from './needs-in.ts'
import { innerSettings } from './system-inside-in.ts'
import { readThinking } from './thinking-in.ts'
import { readToolSearch, readToolsAndChoice } from './tools-in.ts'
import { readWebTools } from './web-blocks.ts'

export interface MessagesRequest {
  /** The model as the client named it. */
  model: string
  /** `model` is still the client's name here: routing replaces it. */
  turn: TurnRequest
  /** Reasoning without a signature may be shown as thinking. */
  showsThinking: boolean
}

/** The headers `anthropic-beta` and `anthropic-version`. */
interface MessagesHeaders {
  betas?: string | undefined
  version?: string | undefined
}

export function fromMessagesRequest(
  body: unknown,
  notes: Notes,
  { betas, version }: MessagesHeaders = {},
): MessagesRequest {
  const fields = object(body, 'body')
  const model = modelName(fields.model, 'model')
  let faithful = true
  const changed: Changed = (note) => {
    faithful = false
    if (note !== undefined) notes.add(note)
  }
  refuseOtherBody(fields, 'messages')
  const given = [...readSystem(fields.system, changed), ...readMessages(fields.messages, changed)]
  const messages = readHistory(given, 'messages', changed)
  const { tools, opaqueTools, toolChoice, parallelToolCalls } = readToolsAndChoice(fields, changed)
  const inner = innerSettings(fields.messages)
  const thinking = readThinking(fields, inner.effort)
  const needs = readNeeds(fields, tools, opaqueTools)
  const translationNotes = translationNotesOf(fields)
  const stop = readStop(fields, changed)
  const metadata = optional(fields.metadata, 'metadata', object)

  const turn: TurnRequest = {
    model,
    messages,
    tools,
    stream: optional(fields.stream, 'stream', boolean) ?? false,
    ...defined({
      toolChoice,
      parallelToolCalls,
      opaqueTools: opaqueTools.length > 0 ? opaqueTools : undefined,
      inlineTools: inner.tools.length > 0 ? inner.tools : undefined,
      needs: needs.length > 0 ? needs : undefined,
      toolSearch: readToolSearch(opaqueTools),
      webTools: readWebTools(opaqueTools, needs),
      hasOpaqueParts: messages.some(hasOpaquePart) ? true : undefined,
      maxOutputTokens: optional(fields.max_tokens, 'max_tokens', wholeNumber),
      temperature: optional(fields.temperature, 'temperature', between(0, 1)),
      topP: optional(fields.top_p, 'top_p', between(0, 1)),
      topK: optional(fields.top_k, 'top_k', positiveInteger),
      stop,
      reasoning: thinking.effort === undefined ? undefined : { effort: thinking.effort },
      otherEffort: thinking.otherEffort,
      responseFormat: readFormat(fields),
      user: optional(metadata?.user_id, 'metadata.user_id', string),
    }),
    origin: {
      dialect,
      body: fields,
      faithful,
      ...featuresOf(betas),
      ...versionOf(version),
      ...(translationNotes.length > 0 ? { translationNotes } : {}),
    },
  }
  return { model, turn, showsThinking: thinking.shown }
}

function featuresOf(betas: string | undefined): { features?: string[] } {
  const features = (betas ?? '').split(',').flatMap((name) => name.trim() || [])
  return features.length > 0 ? { features } : {}
}

/** Only a date is a version. Other values must not reach a header. */
const versionOf = (version: string | undefined) =>
  version !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(version) ? { version } : {}

function readStop(fields: Fields, changed: Changed): string[] | undefined {
  const stops = optional(fields.stop_sequences, 'stop_sequences', array)?.map((entry, at) =>
    string(entry, `stop_sequences[${at}]`),
  )
  if (stops?.some((stop) => stop.trim() === '')) changed()
  return stops && stops.length > 0 ? stops : undefined
}

/** `output_format` is the earlier name of `output_config.format`. */
export function readFormat(fields: Fields): ResponseFormat | undefined {
  const output = optional(fields.output_config, 'output_config', object)
  const nested = optional(output?.format, 'output_config.format', object)
  const path = nested ? 'output_config.format' : 'output_format'
  const format = nested ?? optional(fields.output_format, path, object)
  if (!format) return undefined
  // Another form is for the service alone.
  if (format.type !== 'json_schema') return undefined
  return { type: 'json-schema', name: 'answer', schema: object(format.schema, `${path}.schema`) }
}
