// The messages of a Chat Completions request, element by element. `changed` is told whatever could not be taken as it
// stands; without it the messages mean exactly what was sent.

import type { AssistantPart, Message, ToolCallPart } from '../../core/request.ts'
import { array, type Fields, invalid, object, optional, string } from '../decode.ts'
import { readToolInput } from '../tool-input.ts'
import type { Changed } from '../tools-in.ts'
import { readContent, readResultPart, readTextPart, readUserPart } from './parts-in.ts'

export function readMessages(value: unknown, changed: Changed): Message[] {
  const messages = array(value, 'messages')
  if (messages.length === 0) throw invalid('messages', 'must hold at least one message')
  // Legacy function calls have no ids: the result answers the call before it, so a running name is enough.
  const legacy = { count: 0 }
  return messages.map((value, at) => {
    const source = object(value, `messages[${at}]`)
    let asItCame = true
    const noticed: Changed = (note) => {
      asItCame = false
      changed(note)
    }
    const message = readMessage(source, `messages[${at}]`, { changed: noticed, legacy })
    return asItCame ? withSource(message, source) : message
  })
}

const withSource = (message: Message, source: Fields): Message =>
  message.role === 'tool'
    ? { ...message, results: message.results.map((result) => ({ ...result, source })) }
    : { ...message, source }

interface Reading {
  changed: Changed
  legacy: { count: number }
}

function readMessage(message: Fields, path: string, reading: Reading): Message {
  const role = string(message.role, `${path}.role`)
  switch (role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: readContent(message, path, readTextPart, reading.changed) }
    case 'user':
      return { role: 'user', content: readContent(message, path, readUserPart, reading.changed) }
    case 'assistant':
      return { role: 'assistant', content: readAssistant(message, path, reading) }
    case 'tool': {
      const callId = string(message.tool_call_id, `${path}.tool_call_id`)
      return readResult(message, path, callId, reading)
    }
    case 'function':
      reading.changed()
      return readResult(message, path, `call_legacy_${reading.legacy.count}`, reading)
    default:
      throw invalid(`${path}.role`, `"${role}" is not a role; use system, developer, user, assistant or tool`)
  }
}

function readResult(message: Fields, path: string, callId: string, { changed }: Reading): Message {
  const content = readContent(message, path, readResultPart, changed)
  return { role: 'tool', results: [{ callId, content }] }
}

function readAssistant(message: Fields, path: string, reading: Reading): AssistantPart[] {
  const content: AssistantPart[] = []
  const reasoning = message.reasoning_content ?? message.reasoning
  if (typeof reasoning === 'string' && reasoning !== '') content.push({ type: 'reasoning', text: reasoning })
  for (const part of readContent(message, path, readTextPart, reading.changed)) content.push(part)
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

export function readFunction(
  fields: Fields,
  path: string,
  id: string,
  { changed }: Pick<Reading, 'changed'>,
): ToolCallPart[] {
  const name = string(fields.name, `${path}.name`)
  const text = optional(fields.arguments, `${path}.arguments`, argumentsText) ?? ''
  const read = readToolInput(text)
  if (!read.ok)
    throw invalid(
      `${path}.arguments`,
      'is not a JSON object; remove or correct this tool call in the history',
    )
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
