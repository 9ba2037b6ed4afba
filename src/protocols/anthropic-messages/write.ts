// TurnEvents → the event stream of the Messages API. Blocks are numbered in the order of their output, one open at a time.
// https://docs.anthropic.com/en/api/messages-streaming
// In a lane the upstream's own messages are forwarded, with the model as the client named it.
//
// Thinking is streamed if the client asked for it. Otherwise only thinking with a proof is sent, because the client must send it back
// with the tool results. The proof arrives at the end of a block, so the block is held back until then.

import type { Fields } from '../../base/json.ts'
import { jsonString } from '../../base/json-string.ts'
import { replaceMember } from '../../base/json-text.ts'
import { TextBuffer } from '../../base/text-buffer.ts'
import type { TurnEvent, Usage, WebEvent } from '../../core/events.ts'
import type { Framing } from '../../core/fast-path.ts'
import { TurnBudget, textCost } from '../../core/turn-budget.ts'
import { notesComment } from '../streams/notes-comment.ts'
import { sseText } from '../streams/sse-out.ts'
import { messagesStop, messagesUsage } from './answer.ts'
import { toClientId } from './client-ids.ts'
import { dialect } from './dialect.ts'
import { messagesErrorBody } from './errors.ts'
import { searchBlocks } from './search-blocks.ts'
import { webBlocks, webUsage } from './web-blocks.ts'

export interface MessagesWriterOptions {
  id: string
  /** The model as the client named it. */
  model: string
  showsThinking: boolean
  /** The id of the request in an error. */
  requestId: string
  /** whole: a call is sent once, complete. streamed: its arguments are sent as they arrive. */
  toolArguments: 'whole' | 'streamed'
  /** Notes that were added after the response header was sent. */
  lateNotes(): string[]
  /** The memory budget for thinking that is held back. */
  budget?: TurnBudget | undefined
}

type OpaqueEvent = Extract<TurnEvent, { type: 'opaque' }>
type TurnEnd = Extract<TurnEvent, { type: 'turn-end' }>
type ReasoningEnd = Extract<TurnEvent, { type: 'reasoning-end' }>

const event = (type: string, fields: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`

export class MessagesWriter {
  readonly #options: MessagesWriterOptions
  #index = -1
  /** A block is open. */
  #open = false
  /** The constant part of the open block's deltas. */
  #prefix = ''
  readonly #budget: TurnBudget
  /** Thinking that is held back until its signature arrives. */
  #thought = new TextBuffer()
  #refused = false
  #isLane = false
  readonly #webUses: WebEvent[] = []

  constructor(options: MessagesWriterOptions) {
    this.#options = options
    this.#budget = options.budget ?? new TurnBudget()
  }

  /** The events as SSE text; empty if none of them is visible in this dialect. */
  push(events: readonly TurnEvent[]): string {
    let out = ''
    for (let at = 0; at < events.length; at++) {
      const entry = events[at] as TurnEvent
      if (entry.type === 'opaque' && this.#isLane && entry.form === 'message') {
        at += entry.covers
        // The service's own end covers the event of it.
        if (events[at]?.type === 'turn-end') out += notesComment(this.#options.lateNotes())
        out += this.#forward(entry)
      } else out += this.#write(entry)
    }
    return out
  }

  textDelta(text: string, { before, after }: Framing): string {
    return this.#isLane ? `${before}${text}${after}` : this.#delta(text)
  }

  #forward({ data, name }: OpaqueEvent): string {
    if (name === 'message_start')
      return sseText(replaceMember(data, ['message', 'model'], jsonString(this.#options.model)), name)
    if (name === 'content_block_start') this.#index++
    return sseText(data, name)
  }

  #write(entry: TurnEvent): string {
    switch (entry.type) {
      case 'turn-start':
        this.#isLane = entry.lane === dialect
        return this.#isLane ? '' : this.#start(entry.usage)
      case 'opaque':
        return ''
      case 'text-start':
        this.#refused ||= entry.refusal === true
        return this.#startText()
      case 'text-delta':
        return this.#delta(entry.delta)
      case 'text-end':
        return this.#stop()
      case 'reasoning-start':
        this.#takeThought()
        return ''
      case 'reasoning-delta':
        return this.#think(entry.delta)
      case 'reasoning-end':
        return this.#endThought(entry)
      case 'tool-call-start':
        return this.#streamed ? this.#startCall(entry.callId, entry.name) : ''
      case 'tool-call-delta':
        return this.#streamed ? this.#delta(entry.delta) : ''
      case 'tool-call-end':
        return this.#streamed
          ? this.#stop()
          : this.#startCall(entry.callId, entry.name) + this.#delta(entry.input) + this.#stop()
      case 'tool-search':
        return this.#serverCall(searchBlocks(entry))
      case 'web-use':
        this.#webUses.push(entry)
        return this.#serverCall(webBlocks(entry))
      case 'turn-end':
        return this.#end(entry)
      case 'turn-error':
        return `${notesComment(this.#options.lateNotes())}event: error\ndata: ${JSON.stringify(messagesErrorBody(entry.error, this.#options.requestId))}\n\n`
    }
  }

  get #streamed(): boolean {
    return this.#options.toolArguments === 'streamed'
  }

  /** These counts are preliminary: message_delta replaces them at the end of the turn. */
  #start(usage: Usage | undefined): string {
    const { id, model } = this.#options
    const message = {
      id,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: messagesUsage(usage),
    }
    return event('message_start', { message })
  }

  #startBlock(block: object, delta: string, field: string): string {
    const index = ++this.#index
    this.#open = true
    this.#prefix = `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":{"type":"${delta}","${field}":`
    return event('content_block_start', { index, content_block: block })
  }

  #delta(piece: string): string {
    return `${this.#prefix}${jsonString(piece)}}}\n\n`
  }

  #stop(): string {
    this.#open = false
    return event('content_block_stop', { index: this.#index })
  }

  #startText(): string {
    return this.#startBlock({ type: 'text', text: '' }, 'text_delta', 'text')
  }

  #startCall(callId: string, name: string): string {
    const block = { type: 'tool_use', id: toClientId(callId), name, input: {} }
    return this.#startBlock(block, 'input_json_delta', 'partial_json')
  }

  /** A call that the service itself answers, with its result. */
  #serverCall([{ input, ...call }, result]: [call: Fields, result: Fields]): string {
    const begun = this.#startBlock({ ...call, input: {} }, 'input_json_delta', 'partial_json')
    const called = begun + this.#delta(JSON.stringify(input)) + this.#stop()
    return called + this.#startBlock(result, '', '') + this.#stop()
  }

  #startThought(): string {
    return this.#startBlock({ type: 'thinking', thinking: '', signature: '' }, 'thinking_delta', 'thinking')
  }

  #think(piece: string): string {
    if (this.#options.showsThinking) return (this.#open ? '' : this.#startThought()) + this.#delta(piece)
    this.#budget.spend(textCost(piece))
    this.#thought.append(piece)
    return ''
  }

  #takeThought(): string {
    const thought = this.#thought.toString()
    this.#budget.refund(textCost(thought))
    if (thought !== '') this.#thought = new TextBuffer()
    return thought
  }

  #endThought({ signature, redacted }: ReasoningEnd): string {
    const held = this.#takeThought()
    if (redacted !== undefined) {
      const block = { type: 'redacted_thinking', data: redacted }
      return (this.#open ? this.#stop() : '') + this.#startBlock(block, '', '') + this.#stop()
    }
    if (signature === undefined) return this.#open ? this.#stop() : ''
    const begun = this.#open ? '' : this.#startThought()
    const thought = held === '' ? '' : this.#delta(held)
    const delta = { type: 'signature_delta', signature }
    const proof = event('content_block_delta', { index: this.#index, delta })
    return begun + thought + proof + this.#stop()
  }

  #end({ usage, ...end }: TurnEnd): string {
    if (this.#isLane) return notesComment(this.#options.lateNotes())
    // A call that was cut off in its arguments; the stop reason says so.
    const cut = this.#open ? this.#stop() : ''
    const stop = event('message_delta', {
      delta: messagesStop(end, this.#refused),
      usage: { ...messagesUsage(usage), ...webUsage(this.#webUses) },
    })
    return `${cut}${stop}${notesComment(this.#options.lateNotes())}${event('message_stop', {})}`
  }
}

export const messagesKeepAlive = event('ping', {})
