// A strict client of OpenAI Chat Completions.

import {
  type Answer,
  type Ask,
  bearer,
  type Call,
  type DialectClient,
  type Finish,
  type Message,
  type PastCall,
  type Report,
  readAnswer,
  reporter,
} from './answer.ts'
import { at, isObjectText, isShape, listAt, parsed, type Shape, shapesAt, textAt } from './json.ts'
import { readStream } from './sse.ts'

export const chatClient: DialectClient = {
  name: 'chat',
  url: (base) => `${base}/chat/completions`,
  headers: {},
  keyHeaders: bearer,
  body,
  isVisible,
  read: (reply, form) =>
    readAnswer(reply, form, {
      whole: readWhole,
      stream: (answer) => readStream(answer, new ChunkReader(answer)),
    }),
}

function body(ask: Ask): Shape {
  const { model, form, system, messages, tools, choice, oneCallAtATime, maxTokens, usage, more } = ask
  return {
    model,
    messages: [
      ...(system === undefined ? [] : [{ role: 'system', content: system }]),
      ...messages.flatMap(toWire),
    ],
    stream: form === 'stream',
    ...(form === 'stream' && usage ? { stream_options: { include_usage: true } } : {}),
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...(tools ? { tools: tools.map((tool) => ({ type: 'function', function: functionOf(tool) })) } : {}),
    ...(choice === undefined
      ? {}
      : {
          tool_choice:
            typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } },
        }),
    ...(oneCallAtATime ? { parallel_tool_calls: false } : {}),
    ...more,
  }
}

const functionOf = ({ name, description, schema }: NonNullable<Ask['tools']>[number]) => ({
  name,
  ...(description === undefined ? {} : { description }),
  parameters: schema,
})

function toWire(message: Message): unknown[] {
  if (message.role === 'raw') return [...message.items]
  if (message.role === 'result') return [{ role: 'tool', tool_call_id: message.id, content: message.text }]
  if (message.role !== 'assistant') return [{ role: message.role, content: message.text }]
  const calls = message.calls?.map(pastCall)
  return [{ role: 'assistant', content: message.text ?? null, ...(calls ? { tool_calls: calls } : {}) }]
}

const pastCall = ({ id, name, arguments: text }: PastCall) => ({
  id,
  type: 'function',
  function: { name, arguments: text },
})

function isVisible(chunk: Shape): boolean {
  const delta = at(chunk, 'choices', 0, 'delta')
  if (textAt(delta, 'content') !== '' || listAt(delta, 'tool_calls').length > 0) return true
  return typeof at(delta, 'reasoning_content') === 'string'
}

const finishes = new Set<unknown>(['stop', 'length', 'tool_calls', 'content_filter'])

function takeFinish(answer: Answer, reason: unknown): void {
  if (typeof reason !== 'string') return
  answer.rawFinish = reason
  if (finishes.has(reason)) answer.finish = reason as Finish
}

export function takeError(answer: Answer, value: unknown): void {
  if (!isShape(at(value, 'error'))) return
  const error = at(value, 'error')
  answer.error = {
    message: textAt(error, 'message'),
    type: textAt(error, 'type'),
    code: String(at(error, 'code') ?? ''),
  }
}

function takeUsage(answer: Answer, usage: unknown): void {
  if (!isShape(usage)) return
  answer.usages++
  const cached = at(usage, 'prompt_tokens_details', 'cached_tokens')
  answer.usage = {
    input: Number(usage.prompt_tokens),
    output: Number(usage.completion_tokens),
    ...(typeof cached === 'number' ? { cached } : {}),
  }
  if (Number(usage.total_tokens) !== answer.usage.input + answer.usage.output)
    reporter(answer)('usage', 'total_tokens is not the sum of its parts')
}

function readWhole(answer: Answer): void {
  const report = reporter(answer)
  const value = parsed(answer.reply.text)
  if (!isShape(value)) return report('shape', 'the body is not a JSON object')
  takeError(answer, value)
  if (answer.reply.status !== 200) return
  const choice = at(value, 'choices', 0)
  const message = at(choice, 'message')
  if (value.object !== 'chat.completion') report('shape', `object is ${JSON.stringify(value.object)}`)
  for (const field of ['id', 'model']) if (textAt(value, field) === '') report('shape', `no ${field}`)
  if (!Number.isInteger(value.created)) report('shape', 'created is not an integer')
  if (at(choice, 'index') !== 0) report('shape', 'choices[0].index is not 0')
  if (textAt(message, 'role') !== 'assistant') report('role', 'choices[0].message.role is not assistant')
  answer.text = textAt(message, 'content')
  answer.reasoning = textAt(message, 'reasoning_content') || textAt(message, 'reasoning')
  answer.calls = shapesAt(message, 'tool_calls').map((call) => wholeCall(call, report))
  takeFinish(answer, at(choice, 'finish_reason'))
  if (answer.finish === undefined) report('finish', `finish_reason is ${JSON.stringify(answer.rawFinish)}`)
  takeUsage(answer, value.usage)
  answer.ended = true
  answer.echo = [message]
}

function wholeCall(call: Shape, report: Report): Call {
  const id = textAt(call, 'id')
  const name = textAt(call, 'function', 'name')
  const text = at(call, 'function', 'arguments')
  if (id === '') report('call', 'a call without id')
  if (name === '') report('call', 'a call without function.name')
  if (call.type !== 'function') report('call', `a call of type ${JSON.stringify(call.type)}`)
  if (typeof text !== 'string') report('call', 'function.arguments is not a string')
  const whole = typeof text === 'string' ? text : JSON.stringify(text ?? null)
  return { id, name, arguments: whole, pieces: [whole] }
}

/** The limit of openai-node. */
const maxCalls = 128

class ChunkReader {
  readonly #answer: Answer
  readonly #report: Report
  readonly #calls: (Call | undefined)[] = []
  #first: Shape | undefined
  #done = 0
  #afterDone = 0
  #deltas = 0
  #roles = 0
  /** Usage came before finish_reason. */
  #isUsageEarly = false

  constructor(answer: Answer) {
    this.#answer = answer
    this.#report = reporter(answer)
  }

  take(name: string | undefined, data: string): void {
    if (this.#done > 0) this.#afterDone++
    if (data === '[DONE]') {
      this.#done++
      return
    }
    const value = parsed(data)
    if (!isShape(value)) {
      if (data !== '') this.#report('frame', `data that is not a JSON object: ${data.slice(0, 80)}`)
      return
    }
    if (isShape(value.error)) return takeError(this.#answer, value)
    if (name !== undefined) this.#report('name', `an event named ${name}: Chat events have no names`)
    this.#chunk(value)
  }

  #chunk(value: Shape): void {
    const answer = this.#answer
    this.#first ??= value
    if (value.object !== 'chat.completion.chunk')
      this.#report('shape', `object is ${JSON.stringify(value.object)}`)
    if (textAt(value, 'id') === '' || textAt(value, 'model') === '')
      this.#report('shape', 'a chunk without id or model')
    if (!Number.isInteger(value.created)) this.#report('shape', 'created is not an integer')
    for (const field of ['id', 'model', 'created'])
      if (value[field] !== this.#first[field])
        this.#report('constant', `${field} changed from ${this.#first[field]} to ${value[field]}`)
    if (!Array.isArray(value.choices)) this.#report('shape', 'a chunk without choices')
    const choices = shapesAt(value, 'choices')
    if (isShape(value.usage) && choices.length > 0) this.#report('usage', 'usage in a chunk with choices')
    if (isShape(value.usage) && answer.rawFinish === undefined) this.#isUsageEarly = true
    takeUsage(answer, value.usage)
    for (const choice of choices) this.#choice(choice)
  }

  #choice(choice: Shape): void {
    const answer = this.#answer
    const delta = choice.delta
    if (choice.index !== 0) this.#report('shape', `choices[].index is ${JSON.stringify(choice.index)}`)
    if (!isShape(delta)) return this.#report('shape', 'a choice without delta')
    if (answer.rawFinish !== undefined) this.#report('order', 'a choice after finish_reason')
    if (delta.role !== undefined) {
      this.#roles++
      if (delta.role !== 'assistant' || this.#deltas > 0)
        this.#report('role', `role ${JSON.stringify(delta.role)} in delta ${this.#deltas + 1}`)
    }
    this.#deltas++
    answer.text += textAt(delta, 'content')
    answer.reasoning += textAt(delta, 'reasoning_content') || textAt(delta, 'reasoning')
    for (const call of listAt(delta, 'tool_calls')) this.#call(call)
    takeFinish(answer, choice.finish_reason)
  }

  #call(delta: unknown): void {
    const index = this.#indexOf(delta)
    const text = at(delta, 'function', 'arguments')
    const known = this.#calls[index]
    if (known) {
      for (const [field, was] of [
        ['id', known.id],
        ['name', known.name],
      ] as const) {
        const now = field === 'id' ? at(delta, 'id') : at(delta, 'function', 'name')
        if (now !== undefined && now !== was)
          this.#report('call', `${field} of call ${index} changed from ${was} to ${JSON.stringify(now)}`)
      }
      if (typeof text === 'string') known.pieces.push(text)
      return
    }
    if (index !== this.#calls.length)
      this.#report('index', `call ${index} where ${this.#calls.length} comes next`)
    const id = textAt(delta, 'id')
    const name = textAt(delta, 'function', 'name')
    if (id === '') this.#report('call', `call ${index} begins without id`)
    if (name === '') this.#report('call', `call ${index} begins without function.name`)
    if (at(delta, 'type') !== 'function') this.#report('call', `call ${index} begins without type`)
    this.#calls[index] = { id, name, arguments: '', pieces: typeof text === 'string' ? [text] : [] }
  }

  /** The index, or the one it should have: a call with a wrong index is still read, by its id. */
  #indexOf(delta: unknown): number {
    const index = at(delta, 'index')
    if (typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < maxCalls) return index
    this.#report('index', `tool_calls[].index is ${JSON.stringify(index)}`)
    const id = textAt(delta, 'id')
    if (id === '') return Math.max(0, this.#calls.length - 1)
    const known = this.#calls.findIndex((call) => call?.id === id)
    return known < 0 ? this.#calls.length : known
  }

  end(): void {
    const answer = this.#answer
    answer.calls = this.#calls
      .filter((call) => call !== undefined)
      .map((call) => ({ ...call, arguments: call.pieces.join('') }))
    if (this.#done !== 1 || this.#afterDone > 0)
      this.#report('end', this.#done === 0 ? 'no [DONE]' : '[DONE] must come once, at the end')
    if (answer.reply.cut) this.#report('end', 'the connection broke')
    answer.ended = this.#done > 0
    if (answer.error) return
    if (this.#isUsageEarly && answer.rawFinish !== undefined)
      this.#report('usage', 'usage before finish_reason')
    if (this.#roles === 0) this.#report('role', 'no delta says role: assistant')
    if (answer.finish === undefined)
      this.#report('finish', `finish_reason is ${JSON.stringify(answer.rawFinish)}`)
    for (const { arguments: text, name } of answer.calls)
      if (!isObjectText(text))
        this.#report('call', `arguments of ${name} are not a JSON object: ${text.slice(0, 80)}`)
    const calls = answer.calls.map(pastCall)
    answer.echo = [
      { role: 'assistant', content: answer.text || null, ...(calls.length > 0 ? { tool_calls: calls } : {}) },
    ]
  }
}
