// Anthropic Messages.

import { type Fields, isObject, parseJson } from '../../../base/json.ts'
import type { SseMessage } from '../../../protocols/streams/sse.ts'
import type { Message, ToolChoice } from '../task.ts'
import {
  type Answer,
  type AnswerReader,
  type Asked,
  type Door,
  emptyAnswer,
  errorWords,
  type Finish,
} from './door.ts'

/** This dialect cannot leave it open. Enough for the longest arguments of any task, and what all current models can. */
const maxTokens = 16_384

export const messagesDoor: Door = {
  path: '/v1/messages',
  headers: { 'anthropic-version': '2023-06-01' },
  body: ({ model, system, messages, tools, toolChoice, oneCallAtATime, stream }: Asked) => ({
    model,
    max_tokens: maxTokens,
    system,
    messages: messages.map(toWire),
    tools: tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
    ...(toolChoice === undefined && !oneCallAtATime
      ? {}
      : { tool_choice: choice(toolChoice, oneCallAtATime) }),
    ...(stream ? { stream: true } : {}),
  }),
  reader: () => new MessagesReader(),
}

function choice(wanted: ToolChoice | undefined, one: true | undefined): Fields {
  if (wanted === 'none') return { type: 'none' }
  const alone = one ? { disable_parallel_tool_use: true } : {}
  if (wanted === undefined) return { type: 'auto', ...alone }
  return wanted === 'required' ? { type: 'any', ...alone } : { type: 'tool', name: wanted.name, ...alone }
}

function toWire(message: Message): unknown {
  switch (message.role) {
    case 'assistant': {
      const said = message.text === '' ? [] : [{ type: 'text', text: message.text }]
      const calls = message.calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input }))
      return { role: 'assistant', content: message.echo ?? [...said, ...calls] }
    }
    case 'tool':
      return {
        role: 'user',
        content: message.results.map(({ callId, text, isError }) => ({
          type: 'tool_result',
          tool_use_id: callId,
          content: text,
          ...(isError ? { is_error: true } : {}),
        })),
      }
    default:
      return { role: 'user', content: message.text }
  }
}

const finishes = new Map<unknown, Finish>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'calls'],
  ['max_tokens', 'length'],
  ['refusal', 'filter'],
])

const deltaFields: Record<string, string> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  signature_delta: 'signature',
  input_json_delta: 'partial_json',
}

class MessagesReader implements AnswerReader {
  readonly #answer: Answer = emptyAnswer()
  readonly #blocks: Fields[] = []
  #json = ''
  #isOpen = false
  #streamed = false
  #stopped = false

  push({ event: name, data }: SseMessage): boolean {
    this.#streamed = true
    const event = parseJson(data)
    if (!isObject(event)) return this.#wrong('an event that is no JSON object')
    if (event.type !== name) this.#wrong(`the event ${name} holds ${event.type}`)
    if (this.#stopped && event.type !== 'ping') this.#wrong(`${event.type} behind the end`)
    switch (event.type) {
      case 'message_start':
        return this.#count(isObject(event.message) ? event.message.usage : undefined)
      case 'content_block_start':
        return this.#open(event)
      case 'content_block_delta':
        return this.#delta(event)
      case 'content_block_stop':
        return this.#close()
      case 'message_delta':
        if (isObject(event.delta)) this.#finish(event.delta.stop_reason)
        return this.#count(event.usage)
      case 'message_stop':
        this.#stopped = true
        return false
      case 'error':
        this.#stopped = true
        this.#answer.error = errorWords(event) ?? 'an error without words'
        return false
    }
    return false
  }

  #open({ index, content_block: block }: Fields): boolean {
    if (this.#isOpen) this.#wrong('a block begins within another')
    if (index !== this.#blocks.length) this.#wrong(`block ${index} in place of ${this.#blocks.length}`)
    this.#blocks.push(isObject(block) ? { ...block } : {})
    this.#isOpen = true
    this.#json = ''
    return isObject(block) && block.type !== 'text'
  }

  #delta({ index, delta }: Fields): boolean {
    const block = this.#blocks.at(-1)
    const field = isObject(delta) ? deltaFields[String(delta.type)] : undefined
    if (
      !block ||
      !this.#isOpen ||
      index !== this.#blocks.length - 1 ||
      !isObject(delta) ||
      field === undefined
    )
      return this.#wrong('a delta of a block that is not open, or of no known kind')
    if (field === 'partial_json') this.#json += text(delta.partial_json)
    else block[field] = text(block[field]) + text(delta[field])
    return true
  }

  #close(): boolean {
    const block = this.#blocks.at(-1)
    if (!block || !this.#isOpen) return this.#wrong('a block ends that is not open')
    this.#isOpen = false
    this.#take(block, this.#json)
    return false
  }

  #take(block: Fields, json?: string): void {
    if (block.type === 'text') this.#answer.text += text(block.text)
    if (block.type !== 'tool_use') return
    const input = json === undefined ? JSON.stringify(block.input) : json || '{}'
    this.#answer.calls.push({ id: text(block.id), name: text(block.name), arguments: input })
    if (json !== undefined) block.input = parseJson(input)
  }

  whole({ content, stop_reason: reason, usage }: Fields): void {
    if (!Array.isArray(content)) return void this.#wrong('an answer without content')
    for (const block of content) {
      if (!isObject(block)) continue
      this.#blocks.push(block)
      this.#take(block)
    }
    this.#finish(reason)
    this.#count(usage)
  }

  end(): Answer {
    if (this.#streamed && !this.#stopped) this.#wrong('the stream ends without message_stop')
    if (this.#isOpen && this.#answer.error === undefined) this.#wrong('a block is never closed')
    this.#answer.echo = this.#blocks
    return this.#answer
  }

  #finish(reason: unknown): void {
    this.#answer.finish = finishes.get(reason)
    if (!finishes.has(reason)) this.#wrong(`stop_reason is ${JSON.stringify(reason)}`)
  }

  #count(usage: unknown): false {
    if (!isObject(usage)) return false
    const number = (name: string) => (typeof usage[name] === 'number' ? usage[name] : 0)
    const read =
      number('input_tokens') + number('cache_read_input_tokens') + number('cache_creation_input_tokens')
    const known = this.#answer.usage ?? { inputTokens: 0, outputTokens: 0 }
    this.#answer.usage = {
      inputTokens: Math.max(known.inputTokens, read),
      outputTokens: Math.max(known.outputTokens, number('output_tokens')),
    }
    return false
  }

  #wrong(problem: string): false {
    this.#answer.problems.push(problem)
    return false
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
