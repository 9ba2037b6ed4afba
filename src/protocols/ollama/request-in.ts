// Requests of Ollama's API → TurnRequest. Unknown fields are tolerated; errors name the exact field.
// https://docs.ollama.com/api

import type { Notes } from '../../core/notes.ts'
import type { Message, Tool, TurnRequest } from '../../core/request.ts'
import {
  array,
  boolean,
  type Fields,
  modelName,
  object,
  optional,
  string,
  unsupported,
} from '../requests/decode.ts'
import { readHistory } from '../requests/history-in.ts'
import { readFunctionTool, refuseRepeatedNames } from '../requests/tools-in.ts'
import { dialect } from './dialect.ts'
import { readImages } from './images-in.ts'
import { MessagesReader } from './messages-in.ts'
import { readSettings } from './settings-in.ts'

interface OllamaRequest {
  /** The model as the client named it. */
  model: string
  turn: TurnRequest
  showsThinking: boolean
}

/** POST /api/chat. */
export function fromOllamaChat(body: unknown, notes: Notes): OllamaRequest {
  const fields = object(body, 'body')
  const note = (text: string) => notes.add(text)
  const given = new MessagesReader(note).read(fields.messages)
  return requestOf(fields, readHistory(given, 'messages', note), readTools(fields))
}

/** POST /api/generate: one message of the user. */
export function fromOllamaGenerate(body: unknown, notes: Notes): OllamaRequest {
  const fields = object(body, 'body')
  refuseRaw(fields)
  const system = optional(fields.system, 'system', string)
  const prompt = optional(fields.prompt, 'prompt', string) ?? ''
  const given: Message[] = [
    ...(system ? [{ role: 'system' as const, content: [{ type: 'text' as const, text: system }] }] : []),
    {
      role: 'user',
      content: [
        ...(prompt === '' ? [] : [{ type: 'text' as const, text: prompt }]),
        ...readImages(fields, 'images'),
      ],
    },
  ]
  return requestOf(
    fields,
    readHistory(given, 'prompt', (text) => notes.add(text)),
    [],
  )
}

function requestOf(fields: Fields, messages: Message[], tools: Tool[]): OllamaRequest {
  const model = modelName(fields.model, 'model')
  const { turn, showsThinking } = readSettings(fields)
  // This API streams unless it is told not to.
  const stream = optional(fields.stream, 'stream', boolean) ?? true
  return {
    model,
    showsThinking,
    turn: { model, messages, tools, stream, ...turn, origin: { dialect, body: fields, faithful: false } },
  }
}

function readTools(fields: Fields): Tool[] {
  const tools = (optional(fields.tools, 'tools', array) ?? []).map((value, at) => {
    const path = `tools[${at}]`
    const tool = object(value, path)
    const isFlat = tool.function === undefined && tool.name !== undefined
    const place = isFlat ? path : `${path}.function`
    return readFunctionTool(isFlat ? tool : object(tool.function, place), place, 'parameters')
  })
  refuseRepeatedNames(tools)
  return tools
}

/** What only a model on this machine could do. */
function refuseRaw(fields: Fields): void {
  if (optional(fields.raw, 'raw', boolean))
    throw unsupported('raw', 'prompts without a template are not taken here; send the prompt alone.')
  if (optional(fields.suffix, 'suffix', string))
    throw unsupported('suffix', 'text cannot be filled in here; use a model on your machine for that.')
  if ((optional(fields.context, 'context', array) ?? []).length > 0)
    throw unsupported('context', 'is of another server; use /api/chat to continue a conversation.')
}

/** A request that asks for no answer: real servers load the model then, or unload it. Undefined for any other. */
export function preloadOf(body: unknown): { model: string; reason: 'load' | 'unload' } | undefined {
  const fields = object(body, 'body')
  const { messages, prompt, images, keep_alive: alive } = fields
  const isEmpty = (value: unknown) => value === undefined || value === null || value === ''
  const asks = Array.isArray(messages) ? messages.length > 0 : !isEmpty(messages)
  if (asks || !isEmpty(prompt) || (Array.isArray(images) && images.length > 0)) return undefined
  const isEnd = alive === 0 || (typeof alive === 'string' && /^0+[a-z]{0,2}$/.test(alive))
  return { model: modelName(fields.model, 'model'), reason: isEnd ? 'unload' : 'load' }
}
