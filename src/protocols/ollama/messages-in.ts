// The messages of a chat request. Results may say nothing of the call that they answer: then their place decides.

import type { AssistantPart, Message, TextPart, ToolResult } from '../../core/request.ts'
import { array, type Fields, invalid, object, optional, string } from '../requests/decode.ts'
import { readFunctionCall } from '../requests/function-call-in.ts'
import { OpenCalls } from '../requests/open-calls.ts'
import { readImages } from './images-in.ts'

type Note = (text: string) => void

export class MessagesReader {
  readonly #open = new OpenCalls()
  readonly #note: Note
  /** Calls without an id so far. They are numbered: the same history gets the same ids. */
  #unnamed = 0

  constructor(note: Note) {
    this.#note = note
  }

  read(value: unknown): Message[] {
    return array(value, 'messages').map((message, at) =>
      this.#readMessage(object(message, `messages[${at}]`), `messages[${at}]`),
    )
  }

  #readMessage(message: Fields, path: string): Message {
    const role = string(message.role, `${path}.role`)
    if (role !== 'user' && role !== 'tool') refuseImages(message, path)
    switch (role) {
      case 'system':
      case 'developer':
        return { role: 'system', content: readText(message, path) }
      case 'user':
        return {
          role: 'user',
          content: [...readText(message, path), ...readImages(message, `${path}.images`)],
        }
      case 'assistant':
        return { role: 'assistant', content: this.#readAnswer(message, path) }
      case 'tool':
        return { role: 'tool', results: [this.#readResult(message, path)] }
      default:
        throw invalid(
          `${path}.role`,
          `${JSON.stringify(role)} is not a role; use system, user, assistant or tool`,
        )
    }
  }

  #readAnswer(message: Fields, path: string): AssistantPart[] {
    const thinking = optional(message.thinking, `${path}.thinking`, string)
    const content: AssistantPart[] = thinking ? [{ type: 'reasoning', text: thinking }] : []
    content.push(...readText(message, path))
    this.#open.clear()
    const calls = optional(message.tool_calls, `${path}.tool_calls`, array) ?? []
    for (const [at, value] of calls.entries()) {
      const place = `${path}.tool_calls[${at}]`
      for (const call of this.#readCall(object(value, place), place)) {
        this.#open.add(call.callId, call.name)
        content.push(call)
      }
    }
    return content
  }

  #readCall(call: Fields, path: string) {
    const id = optional(call.id, `${path}.id`, string) || `call_${++this.#unnamed}`
    const place = `${path}.function`
    return readFunctionCall(object(call.function, place), place, id, (note) => note && this.#note(note))
  }

  #readResult(message: Fields, path: string): ToolResult {
    const id = optional(message.tool_call_id, `${path}.tool_call_id`, string) || undefined
    const name = optional(message.tool_name ?? message.name, `${path}.tool_name`, string) || undefined
    return {
      callId: this.#open.answer(id, name) ?? id ?? name ?? 'unknown',
      content: [...readText(message, path), ...readImages(message, `${path}.images`)],
    }
  }
}

function readText({ content }: Fields, path: string): TextPart[] {
  const text = optional(content, `${path}.content`, string)
  return text ? [{ type: 'text', text }] : []
}

function refuseImages(message: Fields, path: string): void {
  if (readImages(message, `${path}.images`).length > 0)
    throw invalid(`${path}.images`, 'are not allowed in this role; put them into a message of the user')
}
