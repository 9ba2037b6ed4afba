// TurnEvents → the events of a Responses stream. Each block is one item. Blocks follow each other, so the index of the next item is
// the number of finished items. In a lane the service's own events are forwarded (forwarded-stream.ts).

import { jsonString } from '../../base/json-string.ts'
import { TextBuffer } from '../../base/text-buffer.ts'
import type { GatewayError } from '../../core/errors.ts'
import type { FinishReason, TurnEvent, Usage } from '../../core/events.ts'
import { costOf } from '../../core/held-events.ts'
import { TurnBudget, textCost } from '../../core/turn-budget.ts'
import { notesComment } from '../streams/notes-comment.ts'
import { CustomTextReader } from './custom-text-reader.ts'
import { dialect } from './dialect.ts'
import { errorEvent } from './errors.ts'
import { EventNumbers, ForwardedStream, timesWritten } from './forwarded-stream.ts'
import {
  callItem,
  contentPart,
  type Item,
  itemId,
  messageItem,
  reasoningItem,
  shownItem,
  summaryPart,
} from './items-out.ts'
import {
  type FinishedResponse,
  isIncomplete,
  type ResponseOptions,
  responseBegun,
  responseEnded,
  responseFailed,
} from './response-out.ts'
import { searchItems } from './search-items.ts'
import { webItem } from './web-items.ts'

export interface ResponsesWriterOptions extends ResponseOptions {
  /** whole: a call is sent once, complete. streamed: its arguments are sent as they arrive. */
  toolArguments: 'whole' | 'streamed'
  /** Notes that were added after the response header was sent. */
  lateNotes(): string[]
  /** The memory budget for the whole answer, which the last event repeats. */
  budget?: TurnBudget | undefined
}

export const responsesKeepAlive = ': keepalive\n'

const inProgress = 'response.in_progress'

/** A keep-alive in a recorded stream: such an event in a write of its own. An answer begins with it in one write with `created`. */
export const isResponsesKeepAlive = (text: string) => text.startsWith(`event: ${inProgress}\n`)

type Of<T extends TurnEvent['type']> = Extract<TurnEvent, { type: T }>

const argumentsOf = ({ type }: Item) =>
  type === 'custom_tool_call' ? 'custom_tool_call_input' : 'function_call_arguments'

const isContent = ({ type }: TurnEvent) => type.startsWith('text-') || type.startsWith('reasoning-')

const keptOf = (event: TurnEvent) => timesWritten * ('delta' in event ? textCost(event.delta) : costOf(event))

export class ResponsesWriter {
  readonly #options: ResponsesWriterOptions
  readonly #budget: TurnBudget
  readonly #items: Item[] = []
  readonly #numbers = new EventNumbers()
  #begun = false
  #text = new TextBuffer()
  #refusal = false
  /** Text that has ended while its item has not: the next event shows whether it was cut off. */
  #held: string | undefined
  /** The arguments of the open call are being streamed. */
  #callShows = false
  /** Set if the open call is of a custom tool: reads its text. */
  #customText: CustomTextReader | undefined
  #customShown = ''
  #deltaType = ''
  #deltaFields = ''
  #isLane = false
  readonly #forwarded: ForwardedStream
  #finished: FinishedResponse | undefined

  constructor(options: ResponsesWriterOptions) {
    this.#options = options
    this.#budget = options.budget ?? new TurnBudget()
    this.#forwarded = new ForwardedStream(options, this.#numbers, this.#items, this.#budget)
  }

  /** The whole answer, after a successful end. */
  get finished(): FinishedResponse | undefined {
    return this.#finished ?? this.#forwarded.finished
  }

  /** The events as SSE text; empty if none of them is visible in this dialect. */
  push(events: readonly TurnEvent[]): string {
    let out = ''
    for (let at = 0; at < events.length; at++) {
      const event = events[at] as TurnEvent
      if (event.type === 'opaque' && this.#isLane && event.form === 'message') {
        out += this.#forwarded.push(event, this.#begun)
        this.#begun = true
        at += event.covers
        continue
      }
      // The service's own message of it is held back with a call.
      if (this.#isLane && isContent(event)) continue
      if (event.type !== 'turn-error') this.#budget.spend(keptOf(event))
      out += this.#endHeldText(event) + this.#write(event)
    }
    return out
  }

  /** An item that comes whole. No other may be open. */
  whole(item: Item): string {
    return this.#added(item) + this.#done(item)
  }

  textDelta(text: string): string | undefined {
    const cost = timesWritten * textCost(text)
    if (!this.#budget.fits(cost)) return undefined
    this.#budget.spend(cost)
    this.#text.append(text)
    return this.#delta(text)
  }

  #write(event: TurnEvent): string {
    switch (event.type) {
      case 'turn-start':
        this.#isLane = event.lane === dialect
        return this.#begun || this.#isLane ? '' : this.#begin()
      case 'opaque':
        return ''
      case 'text-start':
        return this.#startText(event.refusal === true && !this.#options.hidesRefusals)
      case 'text-delta':
        this.#text.append(event.delta)
        return this.#delta(event.delta)
      case 'text-end':
        this.#held = this.#taken()
        return ''
      case 'reasoning-start':
        this.#deltasAre('response.reasoning_summary_text.delta', this.#summary)
        return this.#added(reasoningItem(this.#id('reasoning'), '', this.#options.model, {}))
      case 'reasoning-delta':
        return this.#reasoning(event.delta)
      case 'reasoning-end':
        return this.#endReasoning(event)
      case 'tool-call-start':
        return this.#streams(event.name) ? this.#startCall(event) : ''
      case 'tool-call-delta':
        return this.#callShows ? this.#argumentsDelta(event.delta) : ''
      case 'tool-call-end':
        return this.#endCall(event)
      case 'tool-search':
        return searchItems(event, this.#items.length, this.#options)
          .map((item) => this.whole(item))
          .join('')
      case 'web-use':
        return this.#webUse(event)
      case 'turn-end':
        return this.#end(event.reason, event.usage)
      case 'turn-error':
        return this.#fail(event.error)
    }
  }

  #webUse(event: Of<'web-use'>): string {
    const item = webItem(event, this.#items.length, this.#options)
    const at = this.#place(item.id)
    const steps = ['in_progress', 'searching', ...(item.status === 'completed' ? ['completed'] : [])]
    return (
      this.#added({ ...item, status: 'in_progress' }) +
      steps.map((step) => this.#event(`response.web_search_call.${step}`, at)).join('') +
      this.#done(item)
    )
  }

  #begin(): string {
    return this.opening() + this.keepAlive()
  }

  opening(): string {
    if (this.#begun) return ''
    this.#begun = true
    return this.#event('response.created', { response: responseBegun(this.#options) })
  }

  /** The response so far: of all events that may repeat, the one that every client knows. Some count events, not bytes. */
  keepAlive(): string {
    return this.#event(inProgress, { response: responseBegun(this.#options, this.#items) })
  }

  #startText(refusal: boolean): string {
    const at = this.#content
    this.#refusal = refusal
    this.#deltasAre(
      refusal ? 'response.refusal.delta' : 'response.output_text.delta',
      refusal ? at : { ...at, logprobs: [] },
    )
    return (
      this.#added(messageItem(at.item_id, [], 'in_progress')) +
      this.#event('response.content_part.added', { ...at, part: contentPart('', refusal) })
    )
  }

  #endHeldText(next: TurnEvent): string {
    const text = this.#held
    if (text === undefined) return ''
    this.#held = undefined
    const cut = next.type === 'turn-end' && isIncomplete(next.reason)
    const part = contentPart(text, this.#refusal)
    const at = this.#content
    const ended = this.#refusal
      ? this.#event('response.refusal.done', { ...at, refusal: text })
      : this.#event('response.output_text.done', { ...at, text, logprobs: [] })
    return (
      ended +
      this.#event('response.content_part.done', { ...at, part }) +
      this.#done(messageItem(at.item_id, [part], cut ? 'incomplete' : 'completed'))
    )
  }

  #reasoning(delta: string): string {
    const first = this.#text.length === 0
    this.#text.append(delta)
    const part = { ...this.#summary, part: summaryPart('') }
    return (first ? this.#event('response.reasoning_summary_part.added', part) : '') + this.#delta(delta)
  }

  #endReasoning(proof: Of<'reasoning-end'>): string {
    const at = this.#summary
    const text = this.#taken()
    const summary =
      text === ''
        ? ''
        : this.#event('response.reasoning_summary_text.done', { ...at, text }) +
          this.#event('response.reasoning_summary_part.done', { ...at, part: summaryPart(text) })
    return summary + this.#done(reasoningItem(at.item_id, text, this.#options.model, proof))
  }

  /** A search of tools has no events for its arguments. */
  #streams(name: string): boolean {
    return this.#options.toolArguments === 'streamed' && this.#options.names.toClient(name).kind !== 'search'
  }

  #startCall(call: { callId: string; name: string }): string {
    const item = callItem({ ...call, input: '' }, this.#items.length, 'in_progress', this.#options)
    this.#callShows = true
    this.#customText = item.type === 'custom_tool_call' ? new CustomTextReader() : undefined
    this.#customShown = ''
    this.#deltasAre(`response.${argumentsOf(item)}.delta`, this.#place(item.id))
    return this.#added(item)
  }

  #argumentsDelta(delta: string): string {
    if (!this.#customText) return this.#delta(delta)
    const text = this.#customText.push(delta)
    this.#customShown += text
    return this.#delta(text)
  }

  /** Text that was sent is not taken back, not even if a call has its argument twice. */
  #endCustomText(item: Item): string {
    const text = String(item.input)
    if (!text.startsWith(this.#customShown)) item.input = this.#customShown
    return this.#delta(String(item.input).slice(this.#customShown.length))
  }

  #endCall(call: Of<'tool-call-end'>): string {
    const item = callItem(call, this.#items.length, 'completed', this.#options)
    if (item.type === 'tool_search_call')
      return this.#added({ ...item, status: 'in_progress' }) + this.#done(item)
    let shown = ''
    if (!this.#callShows) shown = this.#startCall(call) + this.#delta(String(item.input ?? item.arguments))
    else if (this.#customText) shown = this.#endCustomText(item)
    this.#callShows = false
    const { name, input, arguments: text } = item
    const whole = input === undefined ? { name, arguments: text } : { input }
    const at = this.#place(item.id)
    return shown + this.#event(`response.${argumentsOf(item)}.done`, { ...at, ...whole }) + this.#done(item)
  }

  #end(reason: FinishReason, usage: Usage | undefined): string {
    this.#finished = responseEnded(this.#options, this.#items, { reason, usage })
    const { response } = this.#finished
    return this.#comment() + this.#event(`response.${response.status}`, { response })
  }

  /** An open item gets no end and is not in the output. */
  #fail(error: GatewayError): string {
    const response = responseFailed(this.#options, this.#items, error)
    return (
      (this.#begun ? '' : this.#begin()) +
      this.#event('error', errorEvent(error)) +
      this.#comment() +
      this.#event('response.failed', { response })
    )
  }

  #comment(): string {
    return notesComment(this.#options.lateNotes())
  }

  #added(item: Item): string {
    return this.#event('response.output_item.added', { output_index: this.#items.length, item })
  }

  #done(item: Item): string {
    this.#forwarded.hasOwnItems = true
    const shown = shownItem(item, this.#options.includeProofs)
    const out = this.#event('response.output_item.done', { output_index: this.#items.length, item: shown })
    this.#items.push(item)
    return out
  }

  #taken(): string {
    const text = this.#text.toString()
    this.#text = new TextBuffer()
    return text
  }

  #id(type: 'message' | 'reasoning'): string {
    return itemId(type, this.#options.id, this.#items.length)
  }

  #place(id: string) {
    return { item_id: id, output_index: this.#items.length }
  }

  get #content() {
    return { ...this.#place(this.#id('message')), content_index: 0 }
  }

  get #summary() {
    return { ...this.#place(this.#id('reasoning')), summary_index: 0 }
  }

  /** The constant part of a block's deltas is built once. */
  #deltasAre(type: string, fields: Record<string, unknown>): void {
    this.#deltaType = type
    this.#deltaFields = JSON.stringify(fields).slice(1, -1)
  }

  #delta(delta: string): string {
    if (delta === '') return ''
    const type = this.#deltaType
    return `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.#numbers.next()},${this.#deltaFields},"delta":${jsonString(delta)}}\n\n`
  }

  #event(type: string, fields: Record<string, unknown>): string {
    const data = { type, sequence_number: this.#numbers.next(), ...fields }
    return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`
  }
}
