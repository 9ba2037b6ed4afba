// The timeline of an answer, read from the writes to the client: five dialects, streamed or whole.

import { type Fields, isObject } from '../base/json.ts'
import { answerEvents } from './answer-events.ts'
import type { ClientSide } from './client-side.ts'
import type { TimelineSegment } from './timeline-segment.ts'

const previewLength = 200

/** `longest`: of each text, in characters. */
export function timelineOf(
  { writes }: Pick<ClientSide, 'writes'>,
  longest = previewLength,
): TimelineSegment[] {
  const line = new Line(longest)
  for (const { event, at } of answerEvents(writes)) line.see(event, at)
  return line.segments
}

type Kind = TimelineSegment['kind']

class Line {
  readonly segments: TimelineSegment[] = []
  readonly #calls = new Map<string, TimelineSegment>()
  readonly #longest: number

  constructor(longest: number) {
    this.#longest = longest
  }

  see(event: unknown, at: number): void {
    if (!isObject(event)) return
    if (Array.isArray(event.choices)) this.#chat(event.choices, at)
    else if (typeof event.type === 'string' && event.type.startsWith('response.')) this.#responses(event, at)
    else if (event.object === 'response') this.#items(event.output, at)
    else if (Array.isArray(event.candidates)) this.#gemini(event.candidates, at)
    else if (typeof event.done === 'boolean') this.#ollama(event, at)
    else this.#messages(event, at)
  }

  /** Of `/api/generate`, the text is not in a message. */
  #ollama(event: Fields, at: number): void {
    const said = isObject(event.message) ? event.message : event
    this.#text('reasoning', said.thinking, at)
    this.#text('text', said.content ?? said.response, at)
    for (const { id, function: inner } of list(said.tool_calls)) {
      if (!isObject(inner)) continue
      const key = `call ${this.#calls.size}`
      this.#call(key, { id, name: inner.name, at })
      this.#extendCall(key, JSON.stringify(inner.arguments ?? {}), at)
    }
  }

  #chat(choices: readonly unknown[], at: number): void {
    const [choice] = choices
    const said = isObject(choice) ? (choice.delta ?? choice.message) : undefined
    if (!isObject(said)) return
    this.#text('reasoning', said.reasoning_content, at)
    this.#text('text', said.content ?? said.refusal, at)
    for (const [order, call] of list(said.tool_calls).entries()) {
      const inner = isObject(call.function) ? call.function : isObject(call.custom) ? call.custom : {}
      this.#call(String(call.index ?? order), { id: call.id, name: inner.name, at })
      this.#extendCall(String(call.index ?? order), inner.arguments ?? inner.input, at)
    }
  }

  #gemini([candidate]: readonly unknown[], at: number): void {
    const content = isObject(candidate) ? candidate.content : undefined
    for (const part of list(isObject(content) ? content.parts : undefined)) {
      this.#text(part.thought === true ? 'reasoning' : 'text', part.text, at)
      if (!isObject(part.functionCall)) continue
      const { id, name, args } = part.functionCall
      const key = `call ${this.#calls.size}`
      this.#call(key, { id, name, at })
      this.#extendCall(key, JSON.stringify(args ?? {}), at)
    }
  }

  #messages(event: Fields, at: number): void {
    const key = String(event.index ?? '')
    if (event.type === 'message')
      for (const [order, block] of list(event.content).entries()) this.#block(`${order}`, block, at)
    if (event.type === 'content_block_start' && isObject(event.content_block))
      this.#block(key, event.content_block, at)
    const { delta } = event
    if (event.type !== 'content_block_delta' || !isObject(delta)) return
    this.#text('text', delta.text, at)
    this.#text('reasoning', delta.thinking, at)
    this.#extendCall(key, delta.partial_json, at)
  }

  #block(key: string, block: Fields, at: number): void {
    this.#text('text', block.text, at)
    this.#text('reasoning', block.thinking, at)
    if (block.type !== 'tool_use') return
    this.#call(key, { id: block.id, name: block.name, at })
    if (isObject(block.input) && Object.keys(block.input).length > 0)
      this.#extendCall(key, JSON.stringify(block.input), at)
  }

  #responses({ type, item, delta, item_id, response }: Fields, at: number): void {
    if (type === 'response.output_text.delta' || type === 'response.refusal.delta')
      this.#text('text', delta, at)
    else if (/^response\.reasoning\w*\.delta$/.test(String(type))) this.#text('reasoning', delta, at)
    else if (type === 'response.output_item.added' && isObject(item) && /call$/.test(String(item.type)))
      this.#call(String(item.id), { id: item.call_id, name: item.name, at })
    else if (/\.delta$/.test(String(type))) this.#extendCall(String(item_id), delta, at)
    else if (type === 'response.completed' && this.segments.length === 0 && isObject(response))
      this.#items(response.output, at)
  }

  /** The items of a whole answer. */
  #items(output: unknown, at: number): void {
    for (const item of list(output)) {
      for (const part of list(item.content)) this.#text('text', part.text ?? part.refusal, at)
      for (const part of list(item.summary)) this.#text('reasoning', part.text, at)
      if (!/call$/.test(String(item.type))) continue
      this.#call(String(item.id), { id: item.call_id, name: item.name, at })
      this.#extendCall(String(item.id), item.arguments ?? item.input, at)
    }
  }

  #text(kind: Kind, text: unknown, at: number): void {
    if (typeof text !== 'string' || text === '') return
    const last = this.segments.at(-1)
    this.#extend(last?.kind === kind ? last : this.#begin(kind, at), text, at)
  }

  #call(key: string, { id, name, at }: { id: unknown; name: unknown; at: number }): void {
    if (typeof name !== 'string' || name === '') return
    const call = Object.assign(this.#begin('tool-call', at), { callId: String(id ?? ''), name })
    this.#calls.set(key, call)
  }

  #extendCall(key: string, text: unknown, at: number): void {
    const call = this.#calls.get(key)
    if (call && typeof text === 'string') this.#extend(call, text, at)
  }

  #begin(kind: Kind, at: number): TimelineSegment {
    const segment: TimelineSegment = { kind, from: at, to: at, characters: 0, preview: '' }
    this.segments.push(segment)
    return segment
  }

  #extend(segment: TimelineSegment, text: string, at: number): void {
    segment.to = at
    segment.characters += text.length
    const room = this.#longest - segment.preview.length
    if (room > 0) segment.preview += text.slice(0, room)
  }
}

const list = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isObject) : [])
