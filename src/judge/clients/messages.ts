// A strict client of Anthropic Messages.

import {
  type Answer,
  type Ask,
  type Call,
  type DialectClient,
  type Finish,
  type Message,
  type Report,
  readAnswer,
  reporter,
} from './answer.ts'
import { at, isObjectText, isShape, listAt, parsed, type Shape, shapesAt, textAt } from './json.ts'
import { readStream } from './sse.ts'

export const messagesClient: DialectClient = {
  name: 'messages',
  path: '/messages',
  headers: { 'anthropic-version': '2023-06-01' },
  body,
  isVisible: ({ type, content_block: block }) =>
    type === 'content_block_delta' || (type === 'content_block_start' && at(block, 'type') !== 'text'),
  read: (reply, form) =>
    readAnswer(reply, form, {
      whole: readWhole,
      stream: (answer) => readStream(answer, new EventReader(answer)),
    }),
}

function body(ask: Ask): Shape {
  const { model, form, messages, tools, maxTokens = 1_024, more } = ask
  const system = systemTexts(ask)
  const choice = toolChoice(ask)
  return {
    model,
    max_tokens: maxTokens,
    ...(system.length > 0 ? { system: system.join('\n') } : {}),
    messages: messagesOf(messages),
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
    ...(choice ? { tool_choice: choice } : {}),
    ...more,
  }
}

const systemTexts = ({ system, messages }: Ask): string[] => [
  ...(system === undefined ? [] : [system]),
  ...messages.flatMap((message) =>
    message.role === 'system' || message.role === 'developer' ? [message.text] : [],
  ),
]

function toolChoice({ choice, oneCallAtATime }: Ask): Shape | undefined {
  if (choice === undefined && !oneCallAtATime) return undefined
  if (choice === 'none') return { type: 'none' }
  const parallel = oneCallAtATime ? { disable_parallel_tool_use: true } : {}
  if (typeof choice === 'object') return { type: 'tool', name: choice.name, ...parallel }
  return { type: choice === 'required' ? 'any' : 'auto', ...parallel }
}

/** Adjacent tool results, and the user's text after them, are one message. */
function messagesOf(conversation: readonly Message[]): unknown[] {
  const messages: { role: string; content: unknown }[] = []
  const lastBlocks = () => {
    const last = messages.at(-1)
    const blocks = last?.role === 'user' && Array.isArray(last.content) ? last.content : undefined
    return blocks?.[0]?.type === 'tool_result' ? blocks : undefined
  }
  for (const entry of conversation) {
    if (entry.role === 'raw') messages.push(...(entry.items as typeof messages))
    else if (entry.role === 'result') {
      const block = {
        type: 'tool_result',
        tool_use_id: entry.id,
        content: entry.text,
        ...(entry.isError ? { is_error: true } : {}),
      }
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

const assistantBlocks = ({ text, calls = [] }: Extract<Message, { role: 'assistant' }>) => [
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
  const report = reporter(answer)
  const value = parsed(answer.reply.text)
  if (!isShape(value)) return report('shape', 'the body is not a JSON object')
  takeError(answer, value)
  if (answer.reply.status !== 200) return
  if (value.type !== 'message') report('shape', `type is ${JSON.stringify(value.type)}`)
  if (value.role !== 'assistant') report('role', `role is ${JSON.stringify(value.role)}`)
  for (const field of ['id', 'model']) if (textAt(value, field) === '') report('shape', `no ${field}`)
  if (!Array.isArray(value.content)) report('shape', 'content is not a list')
  for (const block of shapesAt(value, 'content')) takeBlock(answer, block, report)
  takeFinish(answer, value.stop_reason)
  if (answer.finish === undefined) report('finish', `stop_reason is ${JSON.stringify(value.stop_reason)}`)
  if (isShape(value.usage)) {
    answer.usages = 1
    answer.usage = usageOf(value.usage)
  }
  answer.ended = true
  answer.echo = [{ role: 'assistant', content: value.content }]
}

function takeBlock(answer: Answer, block: Shape, report: Report): void {
  if (block.type === 'text') answer.text += textAt(block, 'text')
  if (block.type === 'thinking') answer.reasoning += textAt(block, 'thinking')
  if (block.type !== 'tool_use') return
  const id = textAt(block, 'id')
  const name = textAt(block, 'name')
  if (id === '' || name === '') report('call', 'a tool_use without id or name')
  if (!isShape(block.input)) report('call', `input is not an object: ${JSON.stringify(block.input)}`)
  const text = JSON.stringify(block.input ?? null)
  answer.calls.push({ id, name, arguments: text, pieces: [text] })
}

class EventReader {
  readonly #answer: Answer
  readonly #report: Report
  readonly #blocks: Shape[] = []
  #open: { block: Shape; pieces: string[] } | undefined
  #usage: Shape = {}
  #begun = false

  constructor(answer: Answer) {
    this.#answer = answer
    this.#report = reporter(answer)
  }

  take(name: string | undefined, data: string): void {
    const value = parsed(data)
    if (!isShape(value)) {
      if (data !== '') this.#report('frame', `data that is not a JSON object: ${data.slice(0, 80)}`)
      return
    }
    if (value.type !== name) this.#report('name', `event ${name} holds ${value.type}`)
    if (this.#answer.ended || this.#answer.error) this.#report('end', `${value.type} after the end`)
    if (value.type === 'ping') return
    if (value.type === 'error') return takeError(this.#answer, value)
    if (this.#begun === (value.type === 'message_start')) this.#report('order', `${value.type} out of place`)
    this.#on(value)
  }

  #on(value: Shape): void {
    switch (value.type) {
      case 'message_start':
        this.#begun = true
        this.#usage = { ...(at(value, 'message', 'usage') as Shape | undefined) }
        if (textAt(value, 'message', 'id') === '' || textAt(value, 'message', 'model') === '')
          this.#report('shape', 'message_start without id or model')
        if (textAt(value, 'message', 'role') !== 'assistant')
          this.#report('role', 'message_start without role')
        if (listAt(value, 'message', 'content').length > 0)
          this.#report('shape', 'message_start with content')
        return
      case 'content_block_start':
        if (this.#open) this.#report('order', `block ${value.index} begins inside another`)
        if (value.index !== this.#blocks.length)
          this.#report('index', `block ${value.index} where ${this.#blocks.length} comes next`)
        this.#open = { block: { ...(value.content_block as Shape) }, pieces: [] }
        return
      case 'content_block_delta':
        return this.#delta(value)
      case 'content_block_stop':
        return this.#stop(value)
      case 'message_delta':
        if (this.#open) this.#report('order', 'message_delta inside a block')
        takeFinish(this.#answer, at(value, 'delta', 'stop_reason'))
        if (isShape(value.usage)) this.#answer.usages++
        this.#usage = { ...this.#usage, ...(value.usage as Shape | undefined) }
        return
      case 'message_stop':
        this.#answer.ended = true
        return
      default:
        this.#report('shape', `an event of type ${value.type}`)
    }
  }

  #delta({ index, delta }: Shape): void {
    const open = this.#open
    if (index !== this.#blocks.length)
      this.#report('index', `a delta of block ${index} while block ${this.#blocks.length} is open`)
    if (!open) return this.#report('order', `a delta of block ${index}, which is not open`)
    const { block } = open
    if (at(delta, 'type') === 'text_delta') block.text = textAt(block, 'text') + textAt(delta, 'text')
    else if (at(delta, 'type') === 'thinking_delta')
      block.thinking = textAt(block, 'thinking') + textAt(delta, 'thinking')
    else if (at(delta, 'type') === 'signature_delta') block.signature = textAt(delta, 'signature')
    else if (at(delta, 'type') === 'input_json_delta') {
      if (block.type !== 'tool_use') this.#report('call', `arguments in a block of type ${block.type}`)
      open.pieces.push(textAt(delta, 'partial_json'))
    }
  }

  #stop({ index }: Shape): void {
    const open = this.#open
    this.#open = undefined
    if (index !== this.#blocks.length)
      this.#report('index', `block ${index} ends while block ${this.#blocks.length} is open`)
    if (!open) return this.#report('order', `block ${index} ends but is not open`)
    const { block, pieces } = open
    if (block.type === 'text') this.#answer.text += textAt(block, 'text')
    if (block.type === 'thinking') this.#answer.reasoning += textAt(block, 'thinking')
    if (block.type === 'tool_use') this.#call(block, pieces)
    this.#blocks.push(block)
  }

  #call(block: Shape, pieces: string[]): void {
    const joined = pieces.join('')
    // Without deltas, the SDK takes the input of content_block_start.
    const text = joined === '' ? JSON.stringify(block.input ?? {}) : joined
    const call: Call = { id: textAt(block, 'id'), name: textAt(block, 'name'), arguments: text, pieces }
    if (call.id === '' || call.name === '') this.#report('call', 'a tool_use without id or name')
    if (!isObjectText(text))
      this.#report('call', `input of ${call.name} is not a JSON object: ${text.slice(0, 80)}`)
    block.input = parsed(text) ?? {}
    this.#answer.calls.push(call)
  }

  end(): void {
    const answer = this.#answer
    if (answer.reply.cut) this.#report('end', 'the connection broke')
    answer.echo = [{ role: 'assistant', content: this.#blocks }]
    if (typeof this.#usage.output_tokens === 'number') answer.usage = usageOf(this.#usage)
    if (answer.error) return
    if (!answer.ended) this.#report('end', 'no message_stop')
    if (this.#open) this.#report('order', 'a block was never closed')
    if (answer.finish === undefined)
      this.#report('finish', `stop_reason is ${JSON.stringify(answer.rawFinish)}`)
  }
}
