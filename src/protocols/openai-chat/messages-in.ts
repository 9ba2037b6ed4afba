// The messages of a Chat Completions request, element by element. `changed` is told whatever could not be taken as it
// stands; without it the messages mean exactly what was sent.

import type {
  AssistantPart,
  CacheHint,
  Message,
  ResultPart,
  TextPart,
  ToolCallPart,
  UserPart,
} from '../../core/request.ts'
import { array, type Fields, invalid, object, optional, string } from '../decode.ts'
import { readToolInput } from '../tool-input.ts'

export type Changed = (note?: string) => void

export function readMessages(value: unknown, changed: Changed): Message[] {
  const messages = array(value, 'messages')
  if (messages.length === 0) throw invalid('messages', 'must hold at least one message')
  // Legacy function calls have no ids: the result answers the call before it, so a running name is enough.
  const legacy = { count: 0 }
  return messages.map((message, at) =>
    readMessage(object(message, `messages[${at}]`), `messages[${at}]`, { changed, legacy }),
  )
}

interface Reading {
  changed: Changed
  legacy: { count: number }
}

function readMessage(message: Fields, path: string, reading: Reading): Message {
  const role = string(message.role, `${path}.role`)
  switch (role) {
    case 'system':
    case 'developer':
      return {
        role: 'system',
        content: withMessageCache(textOnly(message.content, `${path}.content`), message),
      }
    case 'user':
      return {
        role: 'user',
        content: withMessageCache(readParts(message.content, `${path}.content`, readUserPart), message),
      }
    case 'assistant':
      return { role: 'assistant', content: readAssistant(message, path, reading) }
    case 'tool': {
      const callId = string(message.tool_call_id, `${path}.tool_call_id`)
      return readResult(message, path, callId)
    }
    case 'function':
      return readResult(message, path, `call_legacy_${reading.legacy.count}`)
    default:
      throw invalid(`${path}.role`, `"${role}" is not a role; use system, developer, user, assistant or tool`)
  }
}

function readResult(message: Fields, path: string, callId: string): Message {
  const content = readParts(message.content, `${path}.content`, readResultPart)
  const cache = readCache(message)
  return { role: 'tool', results: [{ callId, content, ...(cache ? { cache } : {}) }] }
}

function readAssistant(message: Fields, path: string, reading: Reading): AssistantPart[] {
  const content: AssistantPart[] = []
  const reasoning = message.reasoning_content ?? message.reasoning
  if (typeof reasoning === 'string' && reasoning !== '') content.push({ type: 'reasoning', text: reasoning })
  content.push(...withMessageCache(textOnly(message.content, `${path}.content`), message))
  const refusal = optional(message.refusal, `${path}.refusal`, string)
  if (refusal) content.push({ type: 'text', text: refusal })

  const calls = optional(message.tool_calls, `${path}.tool_calls`, array)
  if (calls?.length === 0) reading.changed()
  for (const [at, call] of (calls ?? []).entries()) {
    content.push(...readCall(object(call, `${path}.tool_calls[${at}]`), `${path}.tool_calls[${at}]`, reading))
  }
  const legacy = optional(message.function_call, `${path}.function_call`, object)
  if (legacy) {
    const id = `call_legacy_${++reading.legacy.count}`
    content.push(...readFunction(legacy, `${path}.function_call`, id, reading))
    reading.changed('legacy function_call messages were turned into tool calls')
  }
  return content
}

function readCall(call: Fields, path: string, reading: Reading): ToolCallPart[] {
  const id = string(call.id, `${path}.id`)
  return readFunction(object(call.function, `${path}.function`), `${path}.function`, id, reading)
}

function readFunction(fields: Fields, path: string, id: string, { changed }: Reading): ToolCallPart[] {
  const name = string(fields.name, `${path}.name`)
  const text = optional(fields.arguments, `${path}.arguments`, argumentsText) ?? ''
  const read = readToolInput(text)
  if (!read.ok)
    throw invalid(`${path}.arguments`, 'is not a JSON object; remove or mend this tool call in the history')
  if (read.changed !== undefined) changed(`in the history, ${read.changed}`)
  else if (read.inputs[0] !== fields.arguments) changed()
  // Arguments of several calls under one id: the first keeps the id, and with it the result.
  return read.inputs.map((input, at) => ({
    type: 'tool-call',
    callId: at === 0 ? id : `${id}_${at + 1}`,
    name,
    input,
  }))
}

/** Some clients send the parsed object instead of its text. */
function argumentsText(value: unknown, path: string): string {
  return typeof value === 'object' ? JSON.stringify(value) : string(value, path)
}

function readParts<T>(
  value: unknown,
  path: string,
  read: (part: Fields, path: string) => T | undefined,
): (T | TextPart)[] {
  if (value === undefined || value === null || value === '') return []
  if (typeof value === 'string') return [{ type: 'text', text: value }]
  const parts: (T | TextPart)[] = []
  for (const [at, part] of array(value, path).entries()) {
    if (typeof part === 'string') {
      if (part !== '') parts.push({ type: 'text', text: part })
      continue
    }
    const found = read(object(part, `${path}[${at}]`), `${path}[${at}]`)
    if (found !== undefined) parts.push(found)
  }
  return parts
}

const textOnly = (value: unknown, path: string): TextPart[] => readParts(value, path, readTextPart)

function readTextPart(part: Fields, path: string): TextPart | undefined {
  const type = string(part.type, `${path}.type`)
  if (type === 'refusal') return text(string(part.refusal, `${path}.refusal`), part)
  if (type === 'text') return text(string(part.text, `${path}.text`), part)
  throw invalid(`${path}.type`, `"${type}" cannot stand in this message; use text`)
}

function text(value: string, part: Fields): TextPart | undefined {
  if (value === '') return undefined
  const cache = readCache(part)
  return { type: 'text', text: value, ...(cache ? { cache } : {}) }
}

function readResultPart(part: Fields, path: string): ResultPart | undefined {
  const found = readUserPart(part, path)
  if (found?.type === 'audio') throw invalid(`${path}.type`, 'audio cannot stand in a tool result')
  return found
}

function readUserPart(part: Fields, path: string): UserPart | undefined {
  const cache = readCache(part)
  const hint = cache ? { cache } : {}
  switch (part.type) {
    case 'text':
      return text(string(part.text, `${path}.text`), part)
    case 'image_url': {
      const image =
        typeof part.image_url === 'string'
          ? { url: part.image_url }
          : object(part.image_url, `${path}.image_url`)
      const detail = optional(image.detail, `${path}.image_url.detail`, string)
      const source = mediaSource(string(image.url, `${path}.image_url.url`), `${path}.image_url.url`)
      return { type: 'image', source, ...(detail ? { detail } : {}), ...hint }
    }
    case 'input_audio': {
      const audio = object(part.input_audio, `${path}.input_audio`)
      const data = string(audio.data, `${path}.input_audio.data`)
      return { type: 'audio', data, format: string(audio.format, `${path}.input_audio.format`) }
    }
    case 'file':
      return readFile(object(part.file, `${path}.file`), `${path}.file`, hint)
    default:
      throw invalid(
        `${path}.type`,
        `${JSON.stringify(part.type)} is not known; use text, image_url, input_audio or file`,
      )
  }
}

function readFile(file: Fields, path: string, hint: { cache?: CacheHint }): UserPart {
  const filename = optional(file.filename, `${path}.filename`, string)
  const id = optional(file.file_id, `${path}.file_id`, string)
  const source =
    id === undefined
      ? mediaSource(string(file.file_data, `${path}.file_data`), `${path}.file_data`)
      : { fileId: id }
  return { type: 'file', source, ...(filename ? { filename } : {}), ...hint }
}

const dataUrl = /^data:([^;,]*)(?:;[^;,]*)*?(;base64)?,/

function mediaSource(url: string, path: string): { url: string } | { mediaType: string; data: string } {
  if (!url.startsWith('data:')) return { url }
  const match = dataUrl.exec(url.slice(0, 256))
  if (!match?.[2]) throw invalid(path, 'is not a base64 data URL (data:MEDIA/TYPE;base64,…)')
  return { mediaType: match[1] ?? '', data: url.slice(match[0].length) }
}

function readCache(fields: Fields): CacheHint | undefined {
  const control = fields.cache_control
  if (typeof control !== 'object' || control === null) return undefined
  const ttl = (control as Fields).ttl
  return ttl === '1h' || ttl === '5m' ? { ttl } : {}
}

/** A breakpoint on the message is one on its last part. */
function withMessageCache<T extends { cache?: CacheHint } | { type: 'audio' }>(
  parts: T[],
  message: Fields,
): T[] {
  const cache = readCache(message)
  const last = parts.at(-1)
  return cache && last ? [...parts.slice(0, -1), { ...last, cache }] : parts
}
