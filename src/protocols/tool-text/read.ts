// The turn of a model that writes text → the turn that its text means: the same events, with the calls taken out of the
// text. A state machine over batches of events; it can be asked to go on with a second answer.

import { BlockWriter } from '../../core/blocks.ts'
import { GatewayError } from '../../core/errors.ts'
import type { FinishReason, TurnEvent, Usage } from '../../core/events.ts'
import { isObject, parseJson } from '../json.ts'
import { isCut } from '../reader.ts'
import { cutCallNote } from '../tool-input.ts'
import { type ToolTextOptions, ToolTextParser } from './parse.ts'
import type { Call, Piece } from './pieces.ts'
import { TextBuffer } from './text-buffer.ts'

export interface TextTurnOptions extends ToolTextOptions {
  /** Names the turn, and so its calls. */
  turnId: string
  /** False: the first call of an answer is the last. */
  parallelCalls: boolean
  /** A call has to come. */
  callRequired: boolean
  /** An answer with a call that cannot be read is asked for again. */
  secondTry: boolean
  /** Gives strings of arguments their own spelling back. */
  unescape(text: string): string
  note(text: string): void
}

/** What to ask for again. */
export type Complaint =
  | { type: 'malformed'; said: string; problem: string; taken: number }
  | { type: 'no-call'; said: string }

type Malformed = Extract<Piece, { type: 'malformed' }>

const againNote = 'a tool call that could not be read was asked for again'
const unreadableNote = 'a tool call could not be read and is shown as text'

export class TextTurnReader {
  readonly #options: TextTurnOptions
  readonly #blocks = new BlockWriter()
  #parser: ToolTextParser
  #said = new TextBuffer()
  #isRefusal = false
  #malformed: Malformed[] = []
  /** What the first answer had of these, as long as the second has nothing better. */
  #unanswered: readonly Malformed[] = []
  readonly #made: Call[] = []
  #attempt = 0
  #usage: Usage | undefined
  /** How the first answer ended, for when there is no second. */
  #firstEnd: Extract<TurnEvent, { type: 'turn-end' }> | undefined
  /** The turn is over. */
  ended = false
  complaint: Complaint | undefined

  constructor(options: TextTurnOptions) {
    this.#options = options
    this.#parser = new ToolTextParser(options)
  }

  push(batch: readonly TurnEvent[]): TurnEvent[] {
    for (const event of batch) {
      if (this.ended || this.complaint) break
      this.#on(event)
    }
    return this.#blocks.take()
  }

  /** The complaint was made: what comes next is the answer to it. */
  goOn(): void {
    this.#attempt++
    this.complaint = undefined
    this.#unanswered = this.#malformed
    this.#malformed = []
    this.#said = new TextBuffer()
    this.#parser = new ToolTextParser(this.#options)
    this.#options.note(againNote)
  }

  /** There was no second answer. */
  giveUp(error: unknown): TurnEvent[] {
    const failure = GatewayError.from(error)
    if (this.#attempt === 0 || failure.code === 'canceled')
      this.#close({ type: 'turn-error', error: failure })
    else {
      this.#options.note(`asking again failed (${failure.code})`)
      this.#conclude(this.#firstEnd?.reason ?? 'stop', this.#firstEnd?.rawReason)
    }
    return this.#blocks.take()
  }

  #on(event: TurnEvent): void {
    switch (event.type) {
      case 'turn-start':
        if (this.#attempt === 0) this.#blocks.push(event)
        break
      case 'text-start':
        this.#isRefusal = event.refusal === true
        break
      case 'text-delta':
        this.#onText(event.delta)
        break
      case 'reasoning-delta':
        this.#blocks.reasoning(event.delta)
        break
      case 'reasoning-end':
        if (event.signature !== undefined || event.redacted !== undefined) {
          const { signature, redacted } = event
          this.#blocks.endReasoning({
            ...(signature === undefined ? {} : { signature }),
            ...(redacted === undefined ? {} : { redacted }),
          })
        }
        break
      case 'tool-call-end':
        // A server that makes calls of its own, although it was offered no tools.
        this.#call({ type: 'call', name: event.name, input: event.input, changes: [] })
        break
      case 'turn-end':
        this.#onEnd(event)
        break
      case 'turn-error':
        for (const end of this.giveUp(event.error)) this.#blocks.push(end)
        break
    }
  }

  #onText(delta: string): void {
    this.#said.append(delta)
    if (this.#isRefusal) this.#blocks.text(delta, { refusal: true })
    else this.#onPieces(this.#parser.push(delta))
    if (this.ended || !this.#parser.stopped) return
    this.#options.note('the model went on to make up results of its calls; the answer was cut there')
    this.#conclude('tool-calls')
  }

  #onPieces(pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      if (this.ended) return
      if (piece.type === 'text') this.#blocks.text(piece.text)
      else if (piece.type === 'reasoning') this.#blocks.reasoning(piece.text)
      else if (piece.type === 'call') this.#call(piece)
      else if (piece.type === 'malformed') this.#malformed.push(piece)
      else this.#options.note(cutCallNote)
    }
  }

  #call(call: Call): void {
    const { note, parallelCalls, turnId } = this.#options
    const input = respelt(call.input, this.#options.unescape)
    // A second answer often repeats what was taken from the first: that would run twice.
    if (
      this.#attempt > 0 &&
      this.#made.some((made) => made.name === call.name && sameJson(made.input, input))
    ) {
      note('a call that was repeated in the second answer was left out')
      return
    }
    for (const change of call.changes) note(`${call.name}: ${change}`)
    this.#blocks.startCall(`call_${turnId.replace(/^turn_/, '')}_${this.#blocks.calls}`, call.name)
    this.#blocks.endCall(input)
    this.#made.push({ ...call, input })
    this.#unanswered = []
    if (!parallelCalls) this.#conclude('tool-calls')
  }

  #onEnd(end: Extract<TurnEvent, { type: 'turn-end' }>): void {
    this.#usage = added(this.#usage, end.usage)
    const cut = isCut(end.reason)
    this.#onPieces(this.#parser.end(cut))
    if (this.ended) return
    this.#firstEnd ??= end
    const { secondTry, callRequired } = this.#options
    if (secondTry && this.#attempt === 0 && !cut) {
      const said = this.#said.toString()
      const [first] = this.#malformed
      if (first)
        this.complaint = { type: 'malformed', said, problem: first.problem, taken: this.#made.length }
      else if (callRequired && this.#made.length === 0) this.complaint = { type: 'no-call', said }
      if (this.complaint) return
    }
    this.#conclude(end.reason, end.rawReason)
  }

  #conclude(stated: FinishReason, rawReason?: string): void {
    for (const { source } of this.#malformed.length > 0 ? this.#malformed : this.#unanswered) {
      this.#options.note(unreadableNote)
      this.#blocks.text(source)
    }
    const { calls } = this.#blocks
    if (this.#options.callRequired && calls === 0) this.#options.note('the model made no tool call')
    const reason =
      calls > 0 ? (isCut(stated) ? stated : 'tool-calls') : stated === 'tool-calls' ? 'stop' : stated
    const usage = this.#usage
    this.#close({
      type: 'turn-end',
      reason,
      ...(rawReason === undefined ? {} : { rawReason }),
      ...(usage ? { usage } : {}),
    })
  }

  #close(event: TurnEvent): void {
    this.#blocks.close()
    this.#blocks.push(event)
    this.ended = true
  }
}

function respelt(input: string, spell: (text: string) => string): string {
  if (spell(input) === input) return input
  const value = parseJson(input)
  return isObject(value) ? JSON.stringify(mapStrings(value, spell)) : input
}

function mapStrings(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value)
  if (Array.isArray(value)) return value.map((entry) => mapStrings(entry, map))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, mapStrings(entry, map)]))
}

const sameJson = (a: string, b: string) =>
  a === b || JSON.stringify(parseJson(a)) === JSON.stringify(parseJson(b))

/** Both answers were paid for. */
function added(first: Usage | undefined, second: Usage | undefined): Usage | undefined {
  if (!first || !second) return second ?? first
  const sum = { ...second }
  for (const [key, value] of Object.entries(first) as [keyof Usage, number | boolean][]) {
    if (key === 'estimated') sum.estimated = true
    else sum[key] = (sum[key] ?? 0) + (value as number)
  }
  return sum
}
