// Canonical messages → the input items of a Responses request. Reasoning items go back in the place where they came from.

import { createHash } from 'node:crypto'
import type { Fields } from '../../base/json.ts'
import type { KnownCall } from '../../core/call-key.ts'
import type { AssistantPart, Message, ToolCallPart, ToolResult } from '../../core/request.ts'
import { customText } from '../requests/custom-tools.ts'
import { inputPart, resultOutput } from './parts-out.ts'
import { type CallReasoning, itemOf } from './reasoning-items.ts'

export interface HistoryOptions {
  /** Whose reasoning items the service can read. */
  source: string
  /** Reasoning that was kept for a client that does not carry it. */
  recall(call: KnownCall): CallReasoning | undefined
  /** False for reasoning that the service has refused. */
  isTaken(item: Fields): boolean
  note(text: string): void
}

export const foreignReasoningNote =
  'the reasoning of earlier answers was left out: only the service and model that wrote it can read it'

/** The longest call id that the service takes. */
const longestId = 64

export class ItemWriter {
  readonly #options: HistoryOptions
  /** The names of the offered tools that take text. */
  readonly #custom: ReadonlySet<string>
  readonly #items: Fields[] = []
  readonly #usedIds = new Set<string>()
  /** The last copy per repeated id, so that many copies do not each count from the start. */
  readonly #copies = new Map<string, number>()
  /** By the client's id: the id and kind of the newest call. */
  readonly #calls = new Map<string, { id: string; isCustom: boolean }>()
  /** Reasoning that was written, so that none is written twice. */
  readonly #written = new Set<string>()

  constructor(options: HistoryOptions, custom: ReadonlySet<string>) {
    this.#options = options
    this.#custom = custom
  }

  write(messages: readonly Message[]): Fields[] {
    for (const message of messages) this.#message(message)
    return this.#items
  }

  #message(message: Message): void {
    switch (message.role) {
      case 'system':
        // In place: instructions in the middle of a conversation stay there.
        return void this.#items.push({
          type: 'message',
          role: 'developer',
          content: message.content.map(inputPart),
        })
      case 'user':
        return void this.#items.push({
          type: 'message',
          role: 'user',
          content: message.content.map(inputPart),
        })
      case 'assistant':
        return this.#answer(message.content)
      case 'tool':
        for (const result of message.results) this.#result(result)
    }
  }

  #answer(parts: readonly AssistantPart[]): void {
    const { source, recall, note } = this.#options
    const carried = parts.map((part) => (part.type === 'reasoning' ? itemOf(part, source) : undefined))
    const isCarried = carried.some((item) => item !== undefined)
    const kept = isCarried ? [] : parts.map((part) => (part.type === 'tool-call' ? recall(part) : undefined))
    const isKept = kept.some((reasoning) => reasoning !== undefined)
    for (const item of kept.find((reasoning) => reasoning !== undefined)?.leading ?? []) this.#reasoning(item)
    let text: Fields[] | undefined
    for (const [at, part] of parts.entries()) {
      if (part.type === 'text') {
        text ??= this.#startText()
        text.push({ type: 'output_text', text: part.text })
        continue
      }
      if (part.type === 'tool-call') {
        for (const item of kept[at]?.before ?? []) this.#reasoning(item)
        this.#call(part)
      } else if (part.type === 'opaque') {
        if (part.dialect === 'openai-responses') this.#items.push(part.value)
      } else if (carried[at]) this.#reasoning(carried[at])
      else if (!isKept) note(foreignReasoningNote)
      text = undefined
    }
  }

  /** The content of a new message. */
  #startText(): Fields[] {
    const content: Fields[] = []
    this.#items.push({ type: 'message', role: 'assistant', content })
    return content
  }

  #reasoning(item: Fields): void {
    const key = JSON.stringify([item.encrypted_content, item.content, item.summary])
    if (this.#written.has(key) || !this.#options.isTaken(item)) return
    this.#written.add(key)
    this.#items.push(item)
  }

  #call(part: ToolCallPart): void {
    const isCustom = this.#custom.has(part.name)
    const id = this.#freshId(part.callId)
    this.#calls.set(part.callId, { id, isCustom })
    this.#items.push(
      isCustom
        ? { type: 'custom_tool_call', call_id: id, name: part.name, input: customText(part) }
        : { type: 'function_call', call_id: id, name: part.name, arguments: part.input },
    )
  }

  #result(result: ToolResult): void {
    const { id = result.callId, isCustom = false } = this.#calls.get(result.callId) ?? {}
    const type = isCustom ? 'custom_tool_call_output' : 'function_call_output'
    this.#items.push({ type, call_id: id, output: resultOutput(result) })
  }

  /**
   * The service pairs calls and outputs by id in the whole conversation, while some servers number the calls of each turn. A repeated
   * or overlong id is replaced by a digest, which is the same in every later request.
   */
  #freshId(id: string): string {
    let fresh = id !== '' && id.length <= longestId ? id : digestOf(id)
    let copy = this.#copies.get(id) ?? 1
    while (this.#usedIds.has(fresh)) fresh = digestOf(`${id} ${++copy}`)
    this.#copies.set(id, copy)
    this.#usedIds.add(fresh)
    return fresh
  }
}

const digestOf = (text: string) => `call_${createHash('sha256').update(text).digest('hex').slice(0, 40)}`
