// OpenAI Responses as a strict client speaks and reads it.

import { type Answer, type Ask, type Door, type Rule, readAnswer, type Said } from '../answer.ts'
import { at, isObjectText, isShape, parsed, type Shape, shapesAt, textAt } from '../look.ts'
import { readEvents } from '../sse.ts'
import { takeError } from './chat.ts'

export const responsesDoor: Door = {
  name: 'responses',
  path: '/responses',
  headers: {},
  body,
  read: (reply, form) => readAnswer(reply, form, { whole: readWhole, stream: readStream }),
}

function body({ model, form, said, tools, choice, maxTokens, more }: Ask): Shape {
  return {
    model,
    input: said.flatMap(items),
    store: false,
    ...(form === 'stream' ? { stream: true } : {}),
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
    ...more,
  }
}

function items(said: Said): unknown[] {
  if (said.role === 'raw') return [...said.items]
  if (said.role === 'result') return [{ type: 'function_call_output', call_id: said.id, output: said.text }]
  if (said.role !== 'assistant') return [{ role: said.role, content: said.text }]
  return [
    ...(said.text ? [{ role: 'assistant', content: said.text }] : []),
    ...(said.calls ?? []).map((call) => ({
      type: 'function_call',
      call_id: call.id,
      name: call.name,
      arguments: call.arguments,
    })),
  ]
}

const terminal = new Set<unknown>(['response.completed', 'response.incomplete', 'response.failed'])

type Say = (rule: Rule, says: string) => void

function takeResponse(answer: Answer, response: Shape, say: Say): void {
  if (response.object !== 'response') say('shape', `object is ${JSON.stringify(response.object)}`)
  for (const field of ['id', 'model']) if (textAt(response, field) === '') say('shape', `no ${field}`)
  if (!Number.isInteger(response.created_at)) say('shape', 'created_at is no whole number')
  if (!Array.isArray(response.output)) say('shape', 'output is no list')
  answer.own = shapesAt(response, 'output')
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
      say('usage', 'total_tokens is not the sum of its parts')
  }
  answer.rawFinish = textAt(response, 'status')
  if (response.status === 'completed') answer.finish = answer.calls.length > 0 ? 'tool_calls' : 'stop'
  else if (response.status === 'incomplete')
    answer.finish =
      textAt(response, 'incomplete_details', 'reason') === 'content_filter' ? 'content_filter' : 'length'
}

function takeItem(answer: Answer, item: Shape, pieces: string[] | undefined, say: Say): void {
  if (item.type === 'message')
    for (const part of shapesAt(item, 'content')) answer.text += textAt(part, 'text')
  if (item.type === 'reasoning')
    for (const part of shapesAt(item, 'summary')) answer.reasoning += textAt(part, 'text')
  const custom = item.type === 'custom_tool_call'
  if (item.type !== 'function_call' && !custom) return
  const text = textAt(item, custom ? 'input' : 'arguments')
  const id = textAt(item, 'call_id')
  const name = textAt(item, 'name')
  if (id === '' || name === '') say('call', 'a call without call_id or name')
  if (!custom && !isObjectText(text))
    say('call', `arguments of ${name} are no JSON object: ${text.slice(0, 80)}`)
  if (pieces !== undefined && pieces.join('') !== text)
    say('call', `the deltas of ${name} do not add up to its arguments`)
  answer.calls.push({ id, name, arguments: text, pieces: pieces ?? [text] })
}

function readWhole(answer: Answer): void {
  const say: Say = (rule, says) => answer.troubles.push({ rule, says })
  const value = parsed(answer.reply.text)
  if (!isShape(value)) return say('shape', 'the body is no JSON object')
  takeError(answer, value)
  if (answer.reply.status !== 200) return
  for (const item of shapesAt(value, 'output')) takeItem(answer, item, undefined, say)
  takeResponse(answer, value, say)
  if (answer.finish === undefined && !answer.error) say('finish', `status is ${JSON.stringify(value.status)}`)
  answer.ended = true
}

function readStream(answer: Answer): void {
  const { events, comments, troubles } = readEvents(answer.reply.text)
  answer.comments = comments
  for (const says of troubles) answer.troubles.push({ rule: 'frame', says })
  const reader = new EventReader(answer)
  // Some servers end this stream by Chat's mark too.
  for (const { name, data } of events) if (data !== '[DONE]') reader.take(name, data)
  reader.end()
}

class EventReader {
  readonly #answer: Answer
  readonly #say: Say
  readonly #open = new Map<unknown, { item: Shape; pieces: string[] }>()
  #count = 0
  #done = 0
  #number = -1
  #id: unknown

  constructor(answer: Answer) {
    this.#answer = answer
    this.#say = (rule, says) => answer.troubles.push({ rule, says })
  }

  take(name: string | undefined, data: string): void {
    const value = parsed(data)
    if (!isShape(value)) {
      if (data !== '') this.#say('frame', `data that is no JSON object: ${data.slice(0, 80)}`)
      return
    }
    if (name === 'keepalive') return
    if (name !== undefined && value.type !== name) this.#say('name', `event ${name} holds ${value.type}`)
    if (this.#answer.ended) this.#say('end', `${value.type} behind the end`)
    if (value.type === 'error')
      return takeError(this.#answer, isShape(value.error) ? value : { error: value })
    if (typeof value.sequence_number !== 'number' || value.sequence_number <= this.#number)
      this.#say('order', `sequence_number ${JSON.stringify(value.sequence_number)} behind ${this.#number}`)
    else this.#number = value.sequence_number
    if ((this.#count++ === 0) !== (value.type === 'response.created'))
      this.#say('order', `${value.type} out of place`)
    this.#on(value)
  }

  #on(value: Shape): void {
    const { type, response, item } = value
    if (isShape(response)) {
      this.#id ??= response.id
      if (response.id !== this.#id) this.#say('constant', `id changed from ${this.#id} to ${response.id}`)
    }
    if (terminal.has(type)) {
      this.#answer.ended = true
      takeResponse(this.#answer, isShape(response) ? response : {}, this.#say)
      if (type === 'response.completed' && this.#open.size > 0) this.#say('order', 'an item was never done')
    } else if (type === 'response.output_item.added' && isShape(item)) this.#added(value, item)
    else if (type === 'response.output_item.done' && isShape(item)) this.#ended(value, item)
    else if (
      typeof type === 'string' &&
      /^response\.(function_call_arguments|custom_tool_call_input)\.delta$/.test(type)
    ) {
      const open = this.#open.get(value.output_index)
      if (!open || open.item.id !== value.item_id)
        this.#say('index', `a delta of item ${value.output_index}, which is not open`)
      open?.pieces.push(textAt(value, 'delta'))
    }
  }

  #added(value: Shape, item: Shape): void {
    if (value.output_index !== this.#done + this.#open.size)
      this.#say('index', `item ${value.output_index} in place of ${this.#done + this.#open.size}`)
    this.#open.set(value.output_index, { item, pieces: [] })
  }

  #ended(value: Shape, item: Shape): void {
    const open = this.#open.get(value.output_index)
    this.#open.delete(value.output_index)
    this.#done++
    if (!open) this.#say('order', `item ${value.output_index} is done and was never added`)
    if (open && open.item.id !== item.id)
      this.#say('constant', `the id of item ${value.output_index} changed`)
    takeItem(this.#answer, item, open?.pieces, this.#say)
  }

  end(): void {
    const answer = this.#answer
    if (answer.reply.cut) this.#say('end', 'the connection broke')
    if (!answer.ended) this.#say('end', 'no response.completed, response.incomplete or response.failed')
    if (!answer.error && answer.ended && answer.finish === undefined)
      this.#say('finish', `status is ${JSON.stringify(answer.rawFinish)}`)
  }
}
