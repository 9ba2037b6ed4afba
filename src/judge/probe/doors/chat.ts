// OpenAI Chat Completions.

import { type Fields, isObject, parseJson } from '../../../base/json.ts'
import type { SseMessage } from '../../../protocols/streams/sse.ts'
import type { Message, ToolCall, ToolChoice } from '../task.ts'
import {
  type Answer,
  type AnswerReader,
  type Asked,
  type Door,
  emptyAnswer,
  errorWords,
  type Finish,
} from './door.ts'

export const chatDoor: Door = {
  path: '/v1/chat/completions',
  body: ({ model, system, messages, tools, toolChoice, oneCallAtATime, stream }: Asked) => ({
    model,
    messages: [{ role: 'system', content: system }, ...messages.flatMap(toWire)],
    tools: tools.map(({ name, description, schema }) => ({
      type: 'function',
      function: { name, description, parameters: schema },
    })),
    ...(toolChoice === undefined ? {} : { tool_choice: choice(toolChoice) }),
    ...(oneCallAtATime ? { parallel_tool_calls: false } : {}),
    ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  }),
  reader: () => new ChatReader(),
}

const choice = (wanted: ToolChoice) =>
  typeof wanted === 'string' ? wanted : { type: 'function', function: { name: wanted.name } }

function toWire(message: Message): unknown[] {
  switch (message.role) {
    case 'assistant':
      return [message.echo ?? assistant(message.text, message.calls)]
    case 'tool':
      return message.results.map(({ callId, text }) => ({
        role: 'tool',
        tool_call_id: callId,
        content: text,
      }))
    default:
      return [{ role: message.role, content: message.text }]
  }
}

const assistant = (text: string, calls: readonly ToolCall[]) => ({
  role: 'assistant',
  content: text === '' && calls.length > 0 ? null : text,
  ...(calls.length > 0 ? { tool_calls: calls.map(wireCall) } : {}),
})

const wireCall = ({ id, name, input }: ToolCall) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
})

const finishes = new Map<unknown, Finish>([
  ['stop', 'stop'],
  ['tool_calls', 'calls'],
  ['length', 'length'],
  ['content_filter', 'filter'],
])

class ChatReader implements AnswerReader {
  readonly #answer: Answer = emptyAnswer()
  #streamed = false
  #done = false

  push({ data }: SseMessage): boolean {
    this.#streamed = true
    if (this.#done) this.#wrong('something follows [DONE]')
    if (data === '[DONE]') {
      this.#done = true
      return false
    }
    const chunk = parseJson(data)
    if (!isObject(chunk)) return this.#wrong('an event that is no JSON object')
    const error = errorWords(chunk)
    if (error !== undefined) this.#answer.error = error
    if (isObject(chunk.usage)) this.#count(chunk.usage)
    const first = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined
    return isObject(first) ? this.#onChoice(first) : false
  }

  #onChoice({ delta, finish_reason: reason }: Fields): boolean {
    if (this.#answer.finish !== undefined) this.#wrong('a delta behind finish_reason')
    const fields = isObject(delta) ? delta : {}
    const said = typeof fields.content === 'string' ? fields.content : ''
    this.#answer.text += said
    const calls = Array.isArray(fields.tool_calls) ? fields.tool_calls : []
    for (const call of calls) if (isObject(call)) this.#onCall(call)
    if (typeof reason === 'string') this.#finish(reason)
    return said !== '' || calls.length > 0 || typeof fields.reasoning_content === 'string'
  }

  #onCall({ index, id, type, function: called }: Fields): void {
    const { calls } = this.#answer
    const fields = isObject(called) ? called : {}
    const piece = typeof fields.arguments === 'string' ? fields.arguments : ''
    const known = typeof index === 'number' ? calls[index] : undefined
    if (known) {
      if (id !== undefined && id !== known.id) this.#wrong('the id of a call changes')
      known.arguments += piece
      return
    }
    if (index !== calls.length) this.#wrong(`tool index ${index} in place of ${calls.length}`)
    if (type !== 'function') this.#wrong('a call without its type')
    calls.push({ id: text(id), name: text(fields.name), arguments: piece })
  }

  whole({ choices, usage }: Fields): void {
    const first = Array.isArray(choices) ? choices[0] : undefined
    const message = isObject(first) ? first.message : undefined
    if (!isObject(first) || !isObject(message)) return void this.#wrong('an answer without a message')
    this.#answer.text = text(message.content)
    for (const call of Array.isArray(message.tool_calls) ? message.tool_calls : []) {
      const called = isObject(call) && isObject(call.function) ? call.function : {}
      const id = isObject(call) ? text(call.id) : ''
      this.#answer.calls.push({ id, name: text(called.name), arguments: text(called.arguments) })
    }
    if (typeof first.finish_reason === 'string') this.#finish(first.finish_reason)
    if (isObject(usage)) this.#count(usage)
  }

  end(): Answer {
    const answer = this.#answer
    if (this.#streamed && !this.#done) this.#wrong('the stream ends without [DONE]')
    const calls = answer.calls.map(({ id, name, arguments: input }) => ({
      id,
      type: 'function',
      function: { name, arguments: input },
    }))
    answer.echo = {
      role: 'assistant',
      content: answer.text === '' && calls.length > 0 ? null : answer.text,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    }
    return answer
  }

  #finish(reason: string): void {
    this.#answer.finish = finishes.get(reason)
    if (!finishes.has(reason)) this.#wrong(`finish_reason is ${JSON.stringify(reason)}`)
  }

  #count({ prompt_tokens: input, completion_tokens: output }: Fields): void {
    if (typeof input === 'number' && typeof output === 'number')
      this.#answer.usage = { inputTokens: input, outputTokens: output }
  }

  #wrong(problem: string): false {
    this.#answer.problems.push(problem)
    return false
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
