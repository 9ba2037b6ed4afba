// A strict client of OpenAI Responses that keeps nothing on the server: each request holds the whole conversation.

import {
  type Answer,
  type Ask,
  bearer,
  type DialectClient,
  type Message,
  type Report,
  readAnswer,
  reporter,
} from './answer.ts'
import { takeError } from './chat.ts'
import { at, isObjectText, isShape, parsed, type Shape, shapesAt, textAt } from './json.ts'
import { readStream } from './sse.ts'

export const responsesClient: DialectClient = {
  name: 'responses',
  url: (base) => `${base}/responses`,
  headers: {},
  keyHeaders: bearer,
  body,
  isVisible: ({ type }) => String(type).endsWith('.delta') || type === 'response.output_item.added',
  read: (reply, form) =>
    readAnswer(reply, form, {
      whole: readWhole,
      stream: (answer) => readStream(answer, new EventReader(answer)),
    }),
}

function body(ask: Ask): Shape {
  const { model, form, system, messages, tools, choice, oneCallAtATime, maxTokens, more } = ask
  return {
    model,
    ...(system === undefined ? {} : { instructions: system }),
    input: messages.flatMap(items),
    store: false,
    stream: form === 'stream',
    ...(maxTokens === undefined ? {} : { max_output_tokens: maxTokens }),
    ...(tools
      ? {
          tools: tools.map(({ name, description, schema }) => ({
            type: 'function',
            name,
            ...(description === undefined ? {} : { description }),
            parameters: schema,
            strict: false,
          })),
        }
      : {}),
    ...(choice === undefined
      ? {}
      : { tool_choice: typeof choice === 'string' ? choice : { type: 'function', name: choice.name } }),
    ...(oneCallAtATime ? { parallel_tool_calls: false } : {}),
    ...more,
  }
}

function items(message: Message): unknown[] {
  if (message.role === 'raw') return [...message.items]
  if (message.role === 'result')
    return [{ type: 'function_call_output', call_id: message.id, output: message.text }]
  if (message.role !== 'assistant') return [{ role: message.role, content: message.text }]
  return [
    ...(message.text ? [{ role: 'assistant', content: message.text }] : []),
    ...(message.calls ?? []).map((call) => ({
      type: 'function_call',
      call_id: call.id,
      name: call.name,
      arguments: call.arguments,
    })),
  ]
}

const terminal = new Set<unknown>(['response.completed', 'response.incomplete', 'response.failed'])

function takeResponse(answer: Answer, response: Shape, report: Report): void {
  if (response.object !== 'response') report('shape', `object is ${JSON.stringify(response.object)}`)
  for (const field of ['id', 'model']) if (textAt(response, field) === '') report('shape', `no ${field}`)
  if (!Number.isInteger(response.created_at)) report('shape', 'created_at is not an integer')
  if (!Array.isArray(response.output)) report('shape', 'output is not a list')
  answer.echo = shapesAt(response, 'output')
  if (isShape(response.error)) takeError(answer, response)
  const usage = response.usage
  if (isShape(usage)) {
    answer.usages++
    answer.usage = {
      input: Number(usage.input_tokens),
      output: Number(usage.output_tokens),
      cached: Number(at(usage, 'input_tokens_details', 'cached_tokens') ?? 0),
    }
    if (Number(usage.total_tokens) !== answer.usage.input + answer.usage.output)
      report('usage', 'total_tokens is not the sum of its parts')
  }
  answer.rawFinish = textAt(response, 'status')
  if (response.status === 'completed') answer.finish = answer.calls.length > 0 ? 'tool_calls' : 'stop'
  else if (response.status === 'incomplete')
    answer.finish =
      textAt(response, 'incomplete_details', 'reason') === 'content_filter' ? 'content_filter' : 'length'
}

function takeItem(answer: Answer, item: Shape, pieces: string[] | undefined, report: Report): void {
  if (item.type === 'message')
    for (const part of shapesAt(item, 'content')) answer.text += textAt(part, 'text')
  if (item.type === 'reasoning')
    for (const part of shapesAt(item, 'summary')) answer.reasoning += textAt(part, 'text')
  const custom = item.type === 'custom_tool_call'
  if (item.type !== 'function_call' && !custom) return
  const text = textAt(item, custom ? 'input' : 'arguments')
  const id = textAt(item, 'call_id')
  const name = textAt(item, 'name')
  if (id === '' || name === '') report('call', 'a call without call_id or name')
  if (!custom && !isObjectText(text))
    report('call', `arguments of ${name} are not a JSON object: ${text.slice(0, 80)}`)
  if (pieces !== undefined && pieces.join('') !== text)
    report('call', `the deltas of ${name} do not add up to its arguments`)
  answer.calls.push({ id, name, arguments: text, pieces: pieces ?? [text] })
}

function readWhole(answer: Answer): void {
  const report = reporter(answer)
  const value = parsed(answer.reply.text)
  if (!isShape(value)) return report('shape', 'the body is not a JSON object')
  takeError(answer, value)
  if (answer.reply.status !== 200) return
  for (const item of shapesAt(value, 'output')) takeItem(answer, item, undefined, report)
  takeResponse(answer, value, report)
  if (answer.finish === undefined && !answer.error)
    report('finish', `status is ${JSON.stringify(value.status)}`)
  answer.ended = true
}

class EventReader {
  readonly #answer: Answer
  readonly #report: Report
  readonly #open = new Map<unknown, { item: Shape; pieces: string[] }>()
  #count = 0
  readonly #done: Shape[] = []
  #number = -1
  #id: unknown

  constructor(answer: Answer) {
    this.#answer = answer
    this.#report = reporter(answer)
  }

  take(name: string | undefined, data: string): void {
    // Some servers end this stream with Chat's mark too.
    if (data === '[DONE]') return
    const value = parsed(data)
    if (!isShape(value)) {
      if (data !== '') this.#report('frame', `data that is not a JSON object: ${data.slice(0, 80)}`)
      return
    }
    if (name === 'keepalive') return
    if (name !== undefined && value.type !== name) this.#report('name', `event ${name} holds ${value.type}`)
    if (this.#answer.ended) this.#report('end', `${value.type} after the end`)
    if (value.type === 'error')
      return takeError(this.#answer, isShape(value.error) ? value : { error: value })
    this.#checkNumber(value.sequence_number)
    if ((this.#count++ === 0) !== (value.type === 'response.created'))
      this.#report('order', `${value.type} out of place`)
    this.#on(value)
  }

  #checkNumber(number: unknown): void {
    if (number !== this.#count)
      this.#report('exact', `sequence_number ${number} where ${this.#count} comes next`)
    if (typeof number !== 'number' || number <= this.#number)
      this.#report('order', `sequence_number ${JSON.stringify(number)} after ${this.#number}`)
    else this.#number = number
  }

  #on(value: Shape): void {
    const { type, response, item } = value
    if (isShape(response)) {
      this.#id ??= response.id
      if (response.id !== this.#id) this.#report('constant', `id changed from ${this.#id} to ${response.id}`)
    }
    if (terminal.has(type)) {
      this.#answer.ended = true
      takeResponse(this.#answer, isShape(response) ? response : {}, this.#report)
      if (type !== 'response.failed' && JSON.stringify(this.#answer.echo) !== JSON.stringify(this.#done))
        this.#report('exact', 'the output of the last event is not the items before it')
      if (type === 'response.completed' && this.#open.size > 0)
        this.#report('order', 'an item was never done')
    } else if (type === 'response.output_item.added' && isShape(item)) this.#added(value, item)
    else if (type === 'response.output_item.done' && isShape(item)) this.#ended(value, item)
    else if (
      typeof type === 'string' &&
      /^response\.(function_call_arguments|custom_tool_call_input)\.delta$/.test(type)
    ) {
      const open = this.#open.get(value.output_index)
      if (!open || open.item.id !== value.item_id)
        this.#report('index', `a delta of item ${value.output_index}, which is not open`)
      open?.pieces.push(textAt(value, 'delta'))
    }
  }

  #added(value: Shape, item: Shape): void {
    if (value.output_index !== this.#done.length + this.#open.size)
      this.#report(
        'index',
        `item ${value.output_index} where ${this.#done.length + this.#open.size} comes next`,
      )
    this.#open.set(value.output_index, { item, pieces: [] })
  }

  #ended(value: Shape, item: Shape): void {
    const open = this.#open.get(value.output_index)
    this.#open.delete(value.output_index)
    this.#done.push(item)
    if (!open) this.#report('order', `item ${value.output_index} is done but was never added`)
    if (open && open.item.id !== item.id)
      this.#report('constant', `the id of item ${value.output_index} changed`)
    takeItem(this.#answer, item, open?.pieces, this.#report)
  }

  end(): void {
    const answer = this.#answer
    if (answer.reply.cut) this.#report('end', 'the connection broke')
    if (!answer.ended) this.#report('end', 'no response.completed, response.incomplete or response.failed')
    if (!answer.error && answer.ended && answer.finish === undefined)
      this.#report('finish', `status is ${JSON.stringify(answer.rawFinish)}`)
  }
}
