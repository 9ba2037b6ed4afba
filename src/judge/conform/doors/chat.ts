// OpenAI Chat Completions as a strict client speaks and reads it.

import {
  type Answer,
  type Ask,
  type Call,
  type Door,
  type Finish,
  type PastCall,
  type Rule,
  readAnswer,
  type Said,
} from '../answer.ts'
import { at, isObjectText, isShape, listAt, parsed, type Shape, shapesAt, textAt } from '../look.ts'
import { readEvents } from '../sse.ts'

export const chatDoor: Door = {
  name: 'chat',
  path: '/chat/completions',
  headers: {},
  body,
  read: (reply, form) => readAnswer(reply, form, { whole: readWhole, stream: readStream }),
}

function body({ model, form, said, tools, choice, maxTokens, usage, more }: Ask): Shape {
  return {
    model,
    messages: said.flatMap(message),
    ...(form === 'stream' ? { stream: true } : {}),
    ...(form === 'stream' && usage ? { stream_options: { include_usage: true } } : {}),
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...(tools ? { tools: tools.map((tool) => ({ type: 'function', function: functionOf(tool) })) } : {}),
    ...(choice === undefined
      ? {}
      : {
          tool_choice:
            typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } },
        }),
    ...more,
  }
}

const functionOf = ({ name, description, schema }: NonNullable<Ask['tools']>[number]) => ({
  name,
  ...(description === undefined ? {} : { description }),
  parameters: schema,
})

function message(said: Said): unknown[] {
  if (said.role === 'raw') return [...said.items]
  if (said.role === 'result') return [{ role: 'tool', tool_call_id: said.id, content: said.text }]
  if (said.role !== 'assistant') return [{ role: said.role, content: said.text }]
  const calls = said.calls?.map(pastCall)
  return [{ role: 'assistant', content: said.text ?? null, ...(calls ? { tool_calls: calls } : {}) }]
}

const pastCall = ({ id, name, arguments: text }: PastCall) => ({
  id,
  type: 'function',
  function: { name, arguments: text },
})

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
    answer.troubles.push({ rule: 'usage', says: 'total_tokens is not the sum of its parts' })
}

function readWhole(answer: Answer): void {
  const say = (rule: Rule, says: string): void => void answer.troubles.push({ rule, says })
  const value = parsed(answer.reply.text)
  if (!isShape(value)) return say('shape', 'the body is no JSON object')
  takeError(answer, value)
  if (answer.reply.status !== 200) return
  const choice = at(value, 'choices', 0)
  const said = at(choice, 'message')
  if (value.object !== 'chat.completion') say('shape', `object is ${JSON.stringify(value.object)}`)
  for (const field of ['id', 'model']) if (textAt(value, field) === '') say('shape', `no ${field}`)
  if (!Number.isInteger(value.created)) say('shape', 'created is no whole number')
  if (at(choice, 'index') !== 0) say('shape', 'choices[0].index is not 0')
  if (textAt(said, 'role') !== 'assistant') say('role', 'choices[0].message.role is not assistant')
  answer.text = textAt(said, 'content')
  answer.reasoning = textAt(said, 'reasoning_content') || textAt(said, 'reasoning')
  answer.calls = shapesAt(said, 'tool_calls').map((call) => wholeCall(call, say))
  takeFinish(answer, at(choice, 'finish_reason'))
  if (answer.finish === undefined) say('finish', `finish_reason is ${JSON.stringify(answer.rawFinish)}`)
  takeUsage(answer, value.usage)
  answer.ended = true
  answer.own = [said]
}

function wholeCall(call: Shape, say: (rule: Rule, says: string) => void): Call {
  const id = textAt(call, 'id')
  const name = textAt(call, 'function', 'name')
  const text = at(call, 'function', 'arguments')
  if (id === '') say('call', 'a call without id')
  if (name === '') say('call', 'a call without function.name')
  if (call.type !== 'function') say('call', `a call of type ${JSON.stringify(call.type)}`)
  if (typeof text !== 'string') say('call', 'function.arguments is no text')
  const whole = typeof text === 'string' ? text : JSON.stringify(text ?? null)
  return { id, name, arguments: whole, pieces: [whole] }
}

function readStream(answer: Answer): void {
  const { events, comments, troubles } = readEvents(answer.reply.text)
  answer.comments = comments
  for (const says of troubles) answer.troubles.push({ rule: 'frame', says })
  const reader = new ChunkReader(answer)
  for (const { name, data } of events) reader.take(name, data)
  reader.end()
}

/** openai-node takes no more. */
const mostCalls = 128

class ChunkReader {
  readonly #answer: Answer
  readonly #calls: (Call | undefined)[] = []
  #first: Shape | undefined
  #done = 0
  #behind = 0
  #deltas = 0
  #roles = 0
  /** Usage came before a reason for the end did. */
  #early = false

  constructor(answer: Answer) {
    this.#answer = answer
  }

  #say(rule: Rule, says: string): void {
    this.#answer.troubles.push({ rule, says })
  }

  take(name: string | undefined, data: string): void {
    if (this.#done > 0) this.#behind++
    if (data === '[DONE]') {
      this.#done++
      return
    }
    const value = parsed(data)
    if (!isShape(value)) {
      if (data !== '') this.#say('frame', `data that is no JSON object: ${data.slice(0, 80)}`)
      return
    }
    if (isShape(value.error)) return takeError(this.#answer, value)
    if (name !== undefined) this.#say('name', `an event named ${name}: Chat has no names`)
    this.#chunk(value)
  }

  #chunk(value: Shape): void {
    const answer = this.#answer
    this.#first ??= value
    if (value.object !== 'chat.completion.chunk')
      this.#say('shape', `object is ${JSON.stringify(value.object)}`)
    if (textAt(value, 'id') === '' || textAt(value, 'model') === '')
      this.#say('shape', 'a chunk without id or model')
    if (!Number.isInteger(value.created)) this.#say('shape', 'created is no whole number')
    for (const field of ['id', 'model', 'created'])
      if (value[field] !== this.#first[field])
        this.#say('constant', `${field} changed from ${this.#first[field]} to ${value[field]}`)
    if (!Array.isArray(value.choices)) this.#say('shape', 'a chunk without choices')
    const choices = shapesAt(value, 'choices')
    if (isShape(value.usage) && choices.length > 0) this.#say('usage', 'usage in a chunk with choices')
    if (isShape(value.usage) && answer.rawFinish === undefined) this.#early = true
    takeUsage(answer, value.usage)
    for (const choice of choices) this.#choice(choice)
  }

  #choice(choice: Shape): void {
    const answer = this.#answer
    const delta = choice.delta
    if (choice.index !== 0) this.#say('shape', `choices[].index is ${JSON.stringify(choice.index)}`)
    if (!isShape(delta)) return this.#say('shape', 'a choice without delta')
    if (answer.rawFinish !== undefined) this.#say('order', 'a choice behind finish_reason')
    if (delta.role !== undefined) {
      this.#roles++
      if (delta.role !== 'assistant' || this.#deltas > 0)
        this.#say('role', `role ${JSON.stringify(delta.role)} in delta ${this.#deltas + 1}`)
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
          this.#say('call', `${field} of call ${index} changed from ${was} to ${JSON.stringify(now)}`)
      }
      if (typeof text === 'string') known.pieces.push(text)
      return
    }
    if (index !== this.#calls.length) this.#say('index', `call ${index} in place of ${this.#calls.length}`)
    const id = textAt(delta, 'id')
    const name = textAt(delta, 'function', 'name')
    if (id === '') this.#say('call', `call ${index} begins without id`)
    if (name === '') this.#say('call', `call ${index} begins without function.name`)
    if (at(delta, 'type') !== 'function') this.#say('call', `call ${index} begins without type`)
    this.#calls[index] = { id, name, arguments: '', pieces: typeof text === 'string' ? [text] : [] }
  }

  /** As it should be, where it is not: the calls are still read, by their ids. */
  #indexOf(delta: unknown): number {
    const index = at(delta, 'index')
    if (typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < mostCalls) return index
    this.#say('index', `tool_calls[].index is ${JSON.stringify(index)}`)
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
    if (this.#done !== 1 || this.#behind > 0)
      this.#say('end', this.#done === 0 ? 'no [DONE]' : '[DONE] is not once, and last')
    if (answer.reply.cut) this.#say('end', 'the connection broke')
    answer.ended = this.#done > 0
    if (answer.error) return
    if (this.#early && answer.rawFinish !== undefined) this.#say('usage', 'usage before finish_reason')
    if (this.#roles === 0) this.#say('role', 'no delta says role: assistant')
    if (answer.finish === undefined)
      this.#say('finish', `finish_reason is ${JSON.stringify(answer.rawFinish)}`)
    for (const { arguments: text, name } of answer.calls)
      if (!isObjectText(text))
        this.#say('call', `arguments of ${name} are no JSON object: ${text.slice(0, 80)}`)
    const calls = answer.calls.map(pastCall)
    answer.own = [
      { role: 'assistant', content: answer.text || null, ...(calls.length > 0 ? { tool_calls: calls } : {}) },
    ]
  }
}
