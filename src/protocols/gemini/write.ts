// TurnEvents → the chunks of streamGenerateContent: as SSE (`alt=sse`), or as one JSON array. What real clients insist on is in
// docs/wire-cases.md: one space after `data:`, no comments, no event names, no `[DONE]`, blank lines as the only keep-alive. The
// constant part of a chunk is built once per turn; only the delta is encoded. In a lane the service's own chunks are forwarded, with the
// model as the client named it.

import { isObject, parseJson } from '../../base/json.ts'
import { jsonString } from '../../base/json-string.ts'
import { replaceMember } from '../../base/json-text.ts'
import { TextBuffer } from '../../base/text-buffer.ts'
import { GatewayError } from '../../core/errors.ts'
import type { TurnEvent } from '../../core/events.ts'
import type { Framing } from '../../core/fast-path.ts'
import { TurnBudget, textCost } from '../../core/turn-budget.ts'
import type { AnswerOptions } from './answer.ts'
import {
  callPart,
  closing,
  filteredText,
  finishReason,
  opening,
  signaturePart,
  textPart,
  usageMetadata,
} from './chunk.ts'
import { dialect } from './dialect.ts'
import { geminiErrorBody } from './errors.ts'
import { SignatureWriter } from './signature-writer.ts'

export interface GeminiWriterOptions extends AnswerOptions {
  form: 'sse' | 'array'
  /** Notes that were added after the response header was sent. */
  lateNotes(): string[]
  /** The memory budget for thoughts, which a signature may have to carry. */
  budget?: TurnBudget | undefined
  /** The client repeats a turn for every 5xx: one that no retry can mend is a 400. */
  repeatsServerErrors?: boolean | undefined
}

type OpaqueEvent = Extract<TurnEvent, { type: 'opaque' }>
type TurnEnd = Extract<TurnEvent, { type: 'turn-end' }>

/** White space in JSON and between events. Gemini CLI fails at anything else. */
export const geminiKeepAlive = '\n'

export class GeminiWriter {
  readonly #options: GeminiWriterOptions
  readonly #budget: TurnBudget
  readonly #signatures: SignatureWriter
  readonly #isArray: boolean
  /** Before and after the parts of a chunk. */
  readonly #before: string
  #after = ''
  #textFraming: Framing = { before: '', after: '' }
  #id = ''
  #hasChunks = false
  #hasOutput = false
  #refused = false
  #thought = new TextBuffer()
  #parting: string | undefined
  #isLane = false
  /** A forwarded chunk had the finish reason, or says why there is no answer. */
  #isEnded = false

  constructor(options: GeminiWriterOptions) {
    this.#options = options
    this.#budget = options.budget ?? new TurnBudget()
    this.#signatures = new SignatureWriter(options.model)
    this.#isArray = options.form === 'array'
    this.#before = this.#isArray ? opening : `data: ${opening}`
    this.#setId(options.id)
  }

  #setId(id: string): void {
    this.#id = id
    this.#after = this.#closing(undefined) + (this.#isArray ? '' : '\n\n')
    this.#textFraming = { before: `${this.#before}{"text":"`, after: `"}${this.#after}` }
  }

  #closing(reason: string | undefined, more?: string): string {
    return closing({ id: this.#id, model: this.#options.model }, reason, more)
  }

  /** The events as text of the stream; empty if none of them is visible in this dialect. */
  push(events: readonly TurnEvent[]): string {
    let out = ''
    for (let at = 0; at < events.length; at++) {
      const event = events[at] as TurnEvent
      if (event.type === 'opaque' && this.#isLane && event.form === 'message') {
        at += event.covers
        out += this.#forward(event)
      } else out += this.#write(event)
    }
    return out
  }

  #forward({ data }: OpaqueEvent): string {
    this.#isEnded ||= saysEnd(data)
    const named = replaceMember(data, ['modelVersion'], jsonString(this.#options.model))
    return this.#isArray ? `${this.#separator()}${named}` : `data: ${named}\n\n`
  }

  textDelta(text: string): string {
    const { before, after } = this.#textFraming
    this.#onOutput()
    return `${this.#separator()}${before}${text}${after}`
  }

  get textDeltaFraming(): Framing | undefined {
    return this.#isArray ? undefined : this.#textFraming
  }

  /** The error once more, bare: Gemini CLI passes over a frame with an error, and reads a bare object if it comes in a read of its own. */
  parting(): string | undefined {
    return this.#parting
  }

  #write(event: TurnEvent): string {
    switch (event.type) {
      case 'turn-start':
        this.#isLane = event.lane === dialect
        // Chunks that are written between the service's own have its id.
        if (this.#isLane) this.#setId(event.id)
        return ''
      case 'text-start':
        this.#refused ||= event.refusal === true
        return ''
      case 'text-delta':
        this.#onOutput()
        return this.#chunk(`{"text":${jsonString(event.delta)}}`)
      case 'reasoning-delta':
        this.#budget.spend(textCost(event.delta))
        this.#thought.append(event.delta)
        return this.#options.showsThoughts
          ? this.#chunk(`{"text":${jsonString(event.delta)},"thought":true}`)
          : ''
      case 'reasoning-end':
        this.#signatures.onThought({ ...event, text: this.#takeThought() })
        return ''
      case 'tool-call-end': {
        const part = callPart(event, this.#signatures.take())
        this.#onOutput()
        return this.#chunk(part)
      }
      case 'turn-end':
        return this.#end(event)
      case 'turn-error':
        return this.#fail(event.error)
      default:
        return ''
    }
  }

  #onOutput(): void {
    this.#hasOutput = true
    this.#signatures.onOutput()
  }

  #takeThought(): string {
    const thought = this.#thought.toString()
    this.#budget.refund(textCost(thought))
    if (thought !== '') this.#thought = new TextBuffer()
    return thought
  }

  /** In an array, a comma follows every chunk but the last. */
  #separator(): string {
    if (!this.#isArray) return ''
    if (this.#hasChunks) return ',\n'
    this.#hasChunks = true
    return '['
  }

  #chunk(part: string): string {
    return `${this.#separator()}${this.#before}${part}${this.#after}`
  }

  #end({ reason, usage }: TurnEnd): string {
    if (this.#isEnded) return this.#endLane()
    const signature = this.#signatures.take()
    const isWithheld = reason === 'content-filter' && !this.#hasOutput
    const part = signature === undefined ? textPart(isWithheld ? filteredText : '') : signaturePart(signature)
    const parts = signature !== undefined && isWithheld ? `${textPart(filteredText)},${part}` : part
    const more = `,"usageMetadata":${JSON.stringify(usageMetadata(usage))}${this.#noted()}`
    const end = this.#closing(finishReason(reason, this.#refused), more)
    return `${this.#separator()}${this.#before}${parts}${end}${this.#isArray ? ']\n' : '\n\n'}`
  }

  /** The service's own end went out before: only notes are left to say. */
  #endLane(): string {
    const noted = this.#noted()
    const chunk =
      noted === '' ? '' : this.#separator() + this.#before + textPart('') + this.#closing(undefined, noted)
    if (this.#isArray) return `${chunk}]\n`
    return chunk === '' ? '' : `${chunk}\n\n`
  }

  /** Clients pass over members that they do not know. A comment would end the stream for Gemini CLI. */
  #noted(): string {
    const notes = this.#options.lateNotes()
    return notes.length === 0 ? '' : `,"dragomanNotes":${JSON.stringify(notes)}`
  }

  #fail(error: GatewayError): string {
    const isFinal = this.#options.repeatsServerErrors && error.status >= 500 && !error.retryable
    const shown = isFinal
      ? new GatewayError(error.code, error.message, { ...error, said: undefined, status: 400 })
      : error
    const body = JSON.stringify(geminiErrorBody(shown))
    const noted = `${body.slice(0, -1)}${this.#noted()}}`
    if (this.#isArray) return `${this.#separator()}${noted}]\n`
    this.#parting = body
    return `data: ${noted}\n\n`
  }
}

/** Most chunks are told apart without parsing them. The names may also be those of a tool's arguments. */
function saysEnd(data: string): boolean {
  if (!/"(?:finishReason|promptFeedback)"/.test(data)) return false
  const chunk = parseJson(data)
  if (!isObject(chunk)) return false
  const [candidate] = Array.isArray(chunk.candidates) ? chunk.candidates : []
  return isObject(candidate) ? Boolean(candidate.finishReason) : chunk.promptFeedback !== undefined
}
