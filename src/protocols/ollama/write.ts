// TurnEvents → the lines of Ollama's stream. What real clients insist on: no blank line, one call on a line and no text beside it, calls
// only when they are complete, exactly one line that is `done`, and that one last. The constant part of a line is built once per turn.

import type { GatewayError } from '../../core/errors.ts'
import type { TurnEvent } from '../../core/events.ts'
import type { Framing } from '../../core/fast-path.ts'
import { ollamaErrorBody } from './errors.ts'
import {
  type AnswerOptions,
  callText,
  ending,
  filteredNote,
  filteredText,
  hasLineBreak,
  onOneLine,
  opening,
  saying,
  text,
} from './line.ts'

export interface OllamaWriterOptions extends AnswerOptions {
  /** Notes that were added after the response header was sent. */
  lateNotes(): string[]
}

type TurnEnd = Extract<TurnEvent, { type: 'turn-end' }>

const unfinished = ',"done":false}\n'
/** Stands for the text where the constant parts are cut. */
const place = '""'

export class OllamaWriter {
  readonly #options: OllamaWriterOptions
  readonly #opening: string
  readonly #textFraming: Framing
  #calls = 0
  #hasOutput = false

  constructor(options: OllamaWriterOptions) {
    this.#options = options
    this.#opening = opening(options)
    const empty = this.#line(place)
    const at = empty.lastIndexOf(place) + 1
    this.#textFraming = { before: empty.slice(0, at), after: empty.slice(at) }
  }

  /** The events as lines; empty if none of them is visible in this dialect. */
  push(events: readonly TurnEvent[]): string {
    let out = ''
    for (const event of events) out += this.#write(event)
    return out
  }

  textDelta(delta: string): string | undefined {
    if (hasLineBreak(delta)) return undefined
    const { before, after } = this.#textFraming
    this.#hasOutput = true
    return `${before}${delta}${after}`
  }

  get textDeltaFraming(): Framing {
    return this.#textFraming
  }

  /** A line that says nothing: this dialect has neither comments nor blank lines. */
  keepAlive(): string {
    return this.#line(place)
  }

  #write(event: TurnEvent): string {
    switch (event.type) {
      case 'text-delta':
        if (event.delta === '') return ''
        this.#hasOutput = true
        return this.#line(text(event.delta))
      case 'reasoning-delta':
        if (event.delta === '' || !this.#options.showsThinking) return ''
        return this.#line(place, `,"thinking":${text(event.delta)}`)
      case 'tool-call-end':
        this.#hasOutput = true
        return this.#line(place, `,"tool_calls":[${callText(event, this.#calls++)}]`)
      case 'turn-end':
        return this.#end(event)
      case 'turn-error':
        return this.#fail(event.error)
      default:
        return ''
    }
  }

  #line(content: string, more?: string): string {
    return `${this.#opening}${saying(this.#options.form, content, more)}${unfinished}`
  }

  #end({ reason, usage }: TurnEnd): string {
    const isFiltered = reason === 'content-filter'
    const withheld = isFiltered && !this.#hasOutput ? this.#line(text(filteredText)) : ''
    const notes = this.#options.lateNotes()
    if (isFiltered && this.#hasOutput) notes.push(filteredNote)
    const last = `${this.#opening}${saying(this.#options.form, place)},${ending(reason, usage, this.#options)}`
    return `${withheld}${last}${noted(notes)}}\n`
  }

  #fail(error: GatewayError): string {
    const body = onOneLine(JSON.stringify(ollamaErrorBody(error)))
    return `${body.slice(0, -1)}${noted(this.#options.lateNotes())}}\n`
  }
}

/** Clients pass over members that they do not know. */
const noted = (notes: readonly string[]) =>
  notes.length === 0 ? '' : `,"dragoman_notes":${onOneLine(JSON.stringify(notes))}`

const quiet =
  /^\{"model":"(?:[^"\\]|\\.)*","created_at":"[^"]{1,40}","(?:message":\{"role":"assistant","content":""\}|response":""),"done":false\}\n$/

export const isOllamaKeepAlive = (written: string): boolean => quiet.test(written)
