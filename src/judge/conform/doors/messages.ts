// Anthropic Messages as a strict client speaks and reads it.

import {
  type Answer,
  type Ask,
  type Call,
  type Door,
  type Finish,
  type Rule,
  readAnswer,
  type Said,
} from '../answer.ts'
import { at, isObjectText, isShape, listAt, parsed, type Shape, shapesAt, textAt } from '../look.ts'
import { readEvents } from '../sse.ts'

export const messagesDoor: Door = {
  name: 'messages',
  path: '/messages',
  headers: { 'anthropic-version': '2023-06-01' },
  body,
  read: (reply, form) => readAnswer(reply, form, { whole: readWhole, stream: readStream }),
}

function body({ model, form, said, tools, choice, maxTokens = 1_024, more }: Ask): Shape {
  const system = said.flatMap((entry) =>
    entry.role === 'system' || entry.role === 'developer' ? [entry.text] : [],
  )
  const toolChoice = choice === undefined ? undefined : choices(choice)
  return {
    model,
    max_tokens: maxTokens,
    ...(system.length > 0 ? { system: system.join('\n') } : {}),
    messages: messagesOf(said),
    ...(form === 'stream' ? { stream: true } : {}),
    ...(tools
      ? {
          tools: tools.map(({ name, description, schema }) => ({
            name,
            ...(description === undefined ? {} : { description }),
            input_schema: schema,
          })),
        }
      : {}),
    ...(toolChoice ? { tool_choice: toolChoice } : {}),
    ...more,
  }
}

function choices(choice: NonNullable<Ask['choice']>): Shape {
  if (typeof choice === 'object') return { type: 'tool', name: choice.name }
  return { type: choice === 'required' ? 'any' : choice }
}

/** Results that come together, and what the user says behind them, are one message. */
function messagesOf(said: readonly Said[]): unknown[] {
  const messages: { role: string; content: unknown }[] = []
  const lastBlocks = () => {
    const last = messages.at(-1)
    const blocks = last?.role === 'user' && Array.isArray(last.content) ? last.content : undefined
    return blocks?.[0]?.type === 'tool_result' ? blocks : undefined
  }
  for (const entry of said) {
    if (entry.role === 'raw') messages.push(...(entry.items as typeof messages))
    else if (entry.role === 'result') {
      const block = { type: 'tool_result', tool_use_id: entry.id, content: entry.text }
      const open = lastBlocks()
      if (open) open.push(block)
      else messages.push({ role: 'user', content: [block] })
    } else if (entry.role === 'user') {
      const open = lastBlocks()
      if (open) open.push({ type: 'text', text: entry.text })
      else messages.push({ role: 'user', content: entry.text })
    } else if (entry.role === 'assistant')
      messages.push({ role: 'assistant', content: assistantBlocks(entry) })
  }
  return messages
}

const assistantBlocks = ({ text, calls = [] }: Extract<Said, { role: 'assistant' }>) => [
  ...(text ? [{ type: 'text', text }] : []),
  ...calls.map((call) => ({
    type: 'tool_use',
    id: call.id,
    name: call.name,
    input: parsed(call.arguments) ?? call.arguments,
  })),
]

const finishes = new Map<unknown, Finish>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool_calls'],
  ['max_tokens', 'length'],
  ['refusal', 'content_filter'],
])

function takeFinish(answer: Answer, reason: unknown): void {
  if (typeof reason !== 'string') return
  answer.rawFinish = reason
  answer.finish = finishes.get(reason)
}

function takeError(answer: Answer, value: unknown): void {
  if (!isShape(at(value, 'error'))) return
  const error = at(value, 'error')
  answer.error = {
    message: textAt(error, 'message'),
    type: textAt(error, 'type'),
    code: textAt(value, 'type'),
  }
}

function usageOf(usage: unknown): Answer['usage'] {
  const cached = Number(at(usage, 'cache_read_input_tokens') ?? 0)
  const written = Number(at(usage, 'cache_creation_input_tokens') ?? 0)
  return {
    input: Number(at(usage, 'input_tokens')) + cached + written,
    output: Number(at(usage, 'output_tokens')),
    cached,
  }
}

function readWhole(answer: Answer): void {
  const say = (rule: Rule, says: string): void => void answer.troubles.push({ rule, says })
  const value = parsed(answer.reply.text)
  if (!isShape(value)) return say('shape', 'the body is no JSON object')
  takeError(answer, value)
  if (answer.reply.status !== 200) return
  if (value.type !== 'message') say('shape', `type is ${JSON.stringify(value.type)}`)
  if (value.role !== 'assistant') say('role', `role is ${JSON.stringify(value.role)}`)
  for (const field of ['id', 'model']) if (textAt(value, field) === '') say('shape', `no ${field}`)
  if (!Array.isArray(value.content)) say('shape', 'content is no list')
  for (const block of shapesAt(value, 'content')) takeBlock(answer, block, say)
  takeFinish(answer, value.stop_reason)
  if (answer.finish === undefined) say('finish', `stop_reason is ${JSON.stringify(value.stop_reason)}`)
  if (isShape(value.usage)) {
    answer.usages = 1
    answer.usage = usageOf(value.usage)
  }
  answer.ended = true
  answer.own = [{ role: 'assistant', content: value.content }]
}

function takeBlock(answer: Answer, block: Shape, say: (rule: Rule, says: string) => void): void {
  if (block.type === 'text') answer.text += textAt(block, 'text')
  if (block.type === 'thinking') answer.reasoning += textAt(block, 'thinking')
  if (block.type !== 'tool_use') return
  const id = textAt(block, 'id')
  const name = textAt(block, 'name')
  if (id === '' || name === '') say('call', 'a tool_use without id or name')
  if (!isShape(block.input)) say('call', `input is no object: ${JSON.stringify(block.input)}`)
  const text = JSON.stringify(block.input ?? null)
  answer.calls.push({ id, name, arguments: text, pieces: [text] })
}

function readStream(answer: Answer): void {
  const { events, comments, troubles } = readEvents(answer.reply.text)
  answer.comments = comments
  for (const says of troubles) answer.troubles.push({ rule: 'frame', says })
  const reader = new EventReader(answer)
  for (const { name, data } of events) reader.take(name, data)
  reader.end()
}

class EventReader {
  readonly #answer: Answer
  readonly #blocks: Shape[] = []
  #open: { block: Shape; pieces: string[] } | undefined
  #usage: Shape = {}
  #begun = false

  constructor(answer: Answer) {
    this.#answer = answer
  }

  #say(rule: Rule, says: string): void {
    this.#answer.troubles.push({ rule, says })
  }

  take(name: string | undefined, data: string): void {
    const value = parsed(data)
    if (!isShape(value)) {
      if (data !== '') this.#say('frame', `data that is no JSON object: ${data.slice(0, 80)}`)
      return
    }
    if (value.type !== name) this.#say('name', `event ${name} holds ${value.type}`)
    if (this.#answer.ended || this.#answer.error) this.#say('end', `${value.type} behind the end`)
    if (value.type === 'ping') return
    if (value.type === 'error') return takeError(this.#answer, value)
    if (this.#begun === (value.type === 'message_start')) this.#say('order', `${value.type} out of place`)
    this.#on(value)
  }

  #on(value: Shape): void {
    switch (value.type) {
      case 'message_start':
        this.#begun = true
        this.#usage = { ...(at(value, 'message', 'usage') as Shape | undefined) }
        if (textAt(value, 'message', 'id') === '' || textAt(value, 'message', 'model') === '')
          this.#say('shape', 'message_start without id or model')
        if (textAt(value, 'message', 'role') !== 'assistant') this.#say('role', 'message_start without role')
        if (listAt(value, 'message', 'content').length > 0) this.#say('shape', 'message_start with content')
        return
      case 'content_block_start':
        if (this.#open) this.#say('order', `block ${value.index} begins inside another`)
        if (value.index !== this.#blocks.length)
          this.#say('index', `block ${value.index} in place of ${this.#blocks.length}`)
        this.#open = { block: { ...(value.content_block as Shape) }, pieces: [] }
        return
      case 'content_block_delta':
        return this.#delta(value)
      case 'content_block_stop':
        return this.#stop(value)
      case 'message_delta':
        if (this.#open) this.#say('order', 'message_delta inside a block')
        takeFinish(this.#answer, at(value, 'delta', 'stop_reason'))
        if (isShape(value.usage)) this.#answer.usages++
        this.#usage = { ...this.#usage, ...(value.usage as Shape | undefined) }
        return
      case 'message_stop':
        this.#answer.ended = true
        return
      default:
        this.#say('shape', `an event of the kind ${value.type}`)
    }
  }

  #delta({ index, delta }: Shape): void {
    const open = this.#open
    if (index !== this.#blocks.length)
      this.#say('index', `a delta of block ${index}, not of ${this.#blocks.length}`)
    if (!open) return this.#say('order', `a delta of block ${index}, which is not open`)
    const { block } = open
    if (at(delta, 'type') === 'text_delta') block.text = textAt(block, 'text') + textAt(delta, 'text')
    else if (at(delta, 'type') === 'thinking_delta')
      block.thinking = textAt(block, 'thinking') + textAt(delta, 'thinking')
    else if (at(delta, 'type') === 'signature_delta') block.signature = textAt(delta, 'signature')
    else if (at(delta, 'type') === 'input_json_delta') {
      if (block.type !== 'tool_use') this.#say('call', `arguments in a block of the kind ${block.type}`)
      open.pieces.push(textAt(delta, 'partial_json'))
    }
  }

  #stop({ index }: Shape): void {
    const open = this.#open
    this.#open = undefined
    if (index !== this.#blocks.length) this.#say('index', `block ${index} ends, not ${this.#blocks.length}`)
    if (!open) return this.#say('order', `block ${index} ends and is not open`)
    const { block, pieces } = open
    if (block.type === 'text') this.#answer.text += textAt(block, 'text')
    if (block.type === 'thinking') this.#answer.reasoning += textAt(block, 'thinking')
    if (block.type === 'tool_use') this.#call(block, pieces)
    this.#blocks.push(block)
  }

  #call(block: Shape, pieces: string[]): void {
    const joined = pieces.join('')
    // The SDK takes a block without deltas for what its start says.
    const text = joined === '' ? JSON.stringify(block.input ?? {}) : joined
    const call: Call = { id: textAt(block, 'id'), name: textAt(block, 'name'), arguments: text, pieces }
    if (call.id === '' || call.name === '') this.#say('call', 'a tool_use without id or name')
    if (!isObjectText(text))
      this.#say('call', `input of ${call.name} is no JSON object: ${text.slice(0, 80)}`)
    block.input = parsed(text) ?? {}
    this.#answer.calls.push(call)
  }

  end(): void {
    const answer = this.#answer
    if (answer.reply.cut) this.#say('end', 'the connection broke')
    answer.own = [{ role: 'assistant', content: this.#blocks }]
    if (typeof this.#usage.output_tokens === 'number') answer.usage = usageOf(this.#usage)
    if (answer.error) return
    if (!answer.ended) this.#say('end', 'no message_stop')
    if (this.#open) this.#say('order', 'a block was never stopped')
    if (answer.finish === undefined) this.#say('finish', `stop_reason is ${JSON.stringify(answer.rawFinish)}`)
  }
}
