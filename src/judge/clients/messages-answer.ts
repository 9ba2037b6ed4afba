// Answers of Anthropic Messages, read by the strict client.

import { type Answer, type Call, type Finish, type Report, reporter } from './answer.ts'
import { at, isObjectText, isShape, listAt, parsed, type Shape, shapesAt, textAt } from './json.ts'

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

export function readWhole(answer: Answer): void {
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

interface Block {
  content: Shape
  pieces: string[]
  isOpen: boolean
}

export class EventReader {
  readonly #answer: Answer
  readonly #report: Report
  /** In the order in which they began, as in the content of the message. */
  readonly #blocks: Block[] = []
  /** Blocks may overlap: the index alone says to which one a delta belongs. */
  readonly #byIndex = new Map<unknown, Block>()
  /** How many blocks are open. */
  #open = 0
  #usage: Shape = {}
  #begun = false

  constructor(answer: Answer) {
    this.#answer = answer
    this.#report = reporter(answer)
  }

  take(name: string | undefined, data: string): void {
    // Known clients choose events by their names, so they pass over Chat's mark.
    if (name === undefined && data === '[DONE]') return this.#report('exact', 'the end mark of Chat')
    const value = parsed(data)
    if (!isShape(value)) {
      if (data !== '') this.#report('frame', `data that is not a JSON object: ${data.slice(0, 80)}`)
      return
    }
    if (value.type !== name) this.#report('name', `event ${name} holds ${value.type}`)
    if (this.#answer.ended || this.#answer.error) this.#report('end', `${value.type} after the end`)
    if (value.type === 'ping') return
    if (value.type === 'error') return this.#fail(value)
    if (this.#begun === (value.type === 'message_start')) this.#report('order', `${value.type} out of place`)
    this.#on(value)
  }

  #on(value: Shape): void {
    switch (value.type) {
      case 'message_start':
        return this.#begin(value)
      case 'content_block_start':
        return this.#start(value)
      case 'content_block_delta':
        return this.#delta(value)
      case 'content_block_stop':
        return this.#stop(value)
      case 'message_delta':
        if (this.#open > 0) this.#report('order', 'message_delta inside a block')
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

  /** Only message_stop ends a message: an error takes the stop_reason before it back. */
  #fail(value: Shape): void {
    takeError(this.#answer, value)
    if (!this.#answer.ended) this.#answer.finish = undefined
  }

  #begin(value: Shape): void {
    this.#begun = true
    this.#usage = { ...(at(value, 'message', 'usage') as Shape | undefined) }
    if (textAt(value, 'message', 'id') === '' || textAt(value, 'message', 'model') === '')
      this.#report('shape', 'message_start without id or model')
    if (textAt(value, 'message', 'role') !== 'assistant') this.#report('role', 'message_start without role')
    if (listAt(value, 'message', 'content').length > 0) this.#report('shape', 'message_start with content')
  }

  #start({ index, content_block: content }: Shape): void {
    // Anthropic sends one block after the other, but every known client keeps them apart by their index.
    if (this.#open > 0) this.#report('exact', `block ${index} begins inside another`)
    if (index !== this.#blocks.length)
      this.#report('index', `block ${index} where ${this.#blocks.length} comes next`)
    const block: Block = { content: isShape(content) ? { ...content } : {}, pieces: [], isOpen: true }
    this.#open++
    this.#blocks.push(block)
    this.#byIndex.set(index, block)
  }

  /** The open block of this index. */
  #blockAt(index: unknown, what: string): Block | undefined {
    const block = this.#byIndex.get(index)
    if (!block) this.#report('index', `${what} of block ${index}, which never began`)
    else if (!block.isOpen) this.#report('order', `${what} of block ${index}, which has ended`)
    return block?.isOpen ? block : undefined
  }

  #delta({ index, delta }: Shape): void {
    const block = this.#blockAt(index, 'a delta')
    if (!block) return
    const { content, pieces } = block
    if (at(delta, 'type') === 'text_delta') content.text = textAt(content, 'text') + textAt(delta, 'text')
    else if (at(delta, 'type') === 'thinking_delta')
      content.thinking = textAt(content, 'thinking') + textAt(delta, 'thinking')
    else if (at(delta, 'type') === 'signature_delta') content.signature = textAt(delta, 'signature')
    else if (at(delta, 'type') === 'input_json_delta') {
      if (content.type !== 'tool_use') this.#report('call', `arguments in a block of type ${content.type}`)
      pieces.push(textAt(delta, 'partial_json'))
    }
  }

  #stop({ index }: Shape): void {
    const block = this.#blockAt(index, 'the end')
    if (!block) return
    block.isOpen = false
    this.#open--
  }

  #takeCall(content: Shape, pieces: string[]): void {
    const joined = pieces.join('')
    // Without deltas, the SDK takes the input of content_block_start.
    const text = joined === '' ? JSON.stringify(content.input ?? {}) : joined
    const call: Call = { id: textAt(content, 'id'), name: textAt(content, 'name'), arguments: text, pieces }
    if (call.id === '' || call.name === '') this.#report('call', 'a tool_use without id or name')
    if (!isObjectText(text))
      this.#report('call', `input of ${call.name} is not a JSON object: ${text.slice(0, 80)}`)
    content.input = parsed(text) ?? {}
    this.#answer.calls.push(call)
  }

  end(): void {
    const answer = this.#answer
    if (answer.reply.cut) this.#report('end', 'the connection broke')
    const complete = this.#blocks.filter(({ isOpen }) => !isOpen)
    for (const { content, pieces } of complete) {
      if (content.type === 'text') answer.text += textAt(content, 'text')
      if (content.type === 'thinking') answer.reasoning += textAt(content, 'thinking')
      if (content.type === 'tool_use') this.#takeCall(content, pieces)
    }
    answer.echo = [{ role: 'assistant', content: complete.map(({ content }) => content) }]
    if (typeof this.#usage.output_tokens === 'number') answer.usage = usageOf(this.#usage)
    if (answer.error) return
    if (!answer.ended) this.#report('end', 'no message_stop')
    if (this.#open > 0) this.#report('order', 'a block was never closed')
    if (answer.finish === undefined)
      this.#report('finish', `stop_reason is ${JSON.stringify(answer.rawFinish)}`)
  }
}
