// OpenAI Responses, without anything kept on the server: each request brings the whole conversation.

import { type Fields, isObject, parseJson } from '../../../base/json.ts'
import type { SseMessage } from '../../../protocols/streams/sse.ts'
import type { Message, ToolChoice } from '../task.ts'
import { type Answer, type AnswerReader, type Asked, type Door, emptyAnswer, errorWords } from './door.ts'

export const responsesDoor: Door = {
  path: '/v1/responses',
  body: ({ model, system, messages, tools, toolChoice, oneCallAtATime, stream }: Asked) => ({
    model,
    instructions: system,
    input: messages.flatMap(toItems),
    tools: tools.map(({ name, description, schema }) => ({
      type: 'function',
      name,
      description,
      parameters: schema,
    })),
    store: false,
    include: ['reasoning.encrypted_content'],
    ...(toolChoice === undefined ? {} : { tool_choice: choice(toolChoice) }),
    ...(oneCallAtATime ? { parallel_tool_calls: false } : {}),
    ...(stream ? { stream: true } : {}),
  }),
  reader: () => new ResponsesReader(),
}

const choice = (wanted: ToolChoice) =>
  typeof wanted === 'string' ? wanted : { type: 'function', name: wanted.name }

function toItems(message: Message): unknown[] {
  switch (message.role) {
    case 'assistant': {
      if (Array.isArray(message.echo)) return message.echo
      const calls = message.calls.map(({ id, name, input }) => ({
        type: 'function_call',
        call_id: id,
        name,
        arguments: JSON.stringify(input),
      }))
      const content = [{ type: 'output_text', text: message.text }]
      return [...(message.text === '' ? [] : [{ type: 'message', role: 'assistant', content }]), ...calls]
    }
    case 'tool':
      return message.results.map(({ callId, text }) => ({
        type: 'function_call_output',
        call_id: callId,
        output: text,
      }))
    default:
      return [{ type: 'message', role: message.role, content: message.text }]
  }
}

const terminal = new Set(['response.completed', 'response.incomplete', 'response.failed'])

class ResponsesReader implements AnswerReader {
  readonly #answer: Answer = emptyAnswer()
  readonly #done: unknown[] = []
  #events = 0
  #ended = false
  #streamed = false

  push({ event: name, data }: SseMessage): boolean {
    this.#streamed = true
    if (name === 'keepalive') return false
    const event = parseJson(data)
    if (!isObject(event)) return this.#wrong('an event that is no JSON object')
    const type = String(event.type)
    if (type !== name) this.#wrong(`the event ${name} holds ${type}`)
    if (event.sequence_number !== this.#events++) this.#wrong(`sequence_number ${event.sequence_number}`)
    if (this.#ended) this.#wrong(`${type} behind the end`)
    if (type === 'error') this.#answer.error = errorWords(event) ?? 'an error without words'
    if (type === 'response.output_item.done') this.#done.push(event.item)
    if (terminal.has(type)) this.#end(isObject(event.response) ? event.response : {})
    return type.endsWith('.delta') || type === 'response.output_item.added'
  }

  #end(response: Fields): void {
    this.#ended = true
    if (response.status === 'failed') {
      this.#answer.error ??= errorWords(response) ?? 'it failed without a reason'
      return
    }
    if (JSON.stringify(response.output) !== JSON.stringify(this.#done))
      this.#wrong('the output at the end is not what its events said')
    this.whole(response)
  }

  whole({ output, status, usage, incomplete_details: details }: Fields): void {
    if (!Array.isArray(output)) return void this.#wrong('a response without output')
    const answer = this.#answer
    for (const item of output) if (isObject(item)) this.#take(item)
    answer.echo = output
    if (status === 'incomplete') {
      const reason = isObject(details) ? details.reason : undefined
      answer.finish = reason === 'content_filter' ? 'filter' : 'length'
    } else if (status === 'completed') answer.finish = answer.calls.length > 0 ? 'calls' : 'stop'
    else this.#wrong(`status is ${JSON.stringify(status)}`)
    const { input_tokens: input, output_tokens: written } = isObject(usage) ? usage : {}
    if (typeof input === 'number' && typeof written === 'number')
      answer.usage = { inputTokens: input, outputTokens: written }
  }

  #take(item: Fields): void {
    if (item.type === 'function_call')
      this.#answer.calls.push({
        id: text(item.call_id),
        name: text(item.name),
        arguments: text(item.arguments),
      })
    if (item.type !== 'message' || !Array.isArray(item.content)) return
    for (const part of item.content) if (isObject(part)) this.#answer.text += text(part.text)
  }

  end(): Answer {
    if (this.#streamed && !this.#ended) this.#wrong('the stream ends without a last response')
    return this.#answer
  }

  #wrong(problem: string): false {
    this.#answer.problems.push(problem)
    return false
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
