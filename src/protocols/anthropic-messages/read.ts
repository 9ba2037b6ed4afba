// Anthropic Messages stream → TurnEvents. https://docs.anthropic.com/en/api/messages-streaming
// Only `message_stop` ends the turn. Unknown events and blocks are skipped, as the documentation asks. Calls of server tools are not
// the client's calls.

import { keepSpelling, writeExact } from '../../base/exact-json.ts'
import { type Fields, isObject } from '../../base/json.ts'
import { replaceMember } from '../../base/json-text.ts'
import type { DeltaShape } from '../../core/fast-path.ts'
import { repeatedIdNote } from '../../core/history.ts'
import { argumentsNote, type RepairKind } from '../../core/repairs.ts'
import { textCost } from '../../core/turn-budget.ts'
import { cutCallNote, longestInput, readToolInput } from '../requests/tool-input.ts'
import { DeltaShapes } from '../streams/delta-shapes.ts'
import { createLaneStep, type LaneStep } from '../streams/lane.ts'
import { isCut, type ReaderOptions, TurnReader } from '../streams/reader.ts'
import { AnswerStop } from './answer-stop.ts'
import { fromAnthropicError } from './errors.ts'
import { inputTexts, isEmptyInput, OpenCall } from './open-call.ts'
import { AnthropicUsage } from './usage-in.ts'

interface AnthropicReaderOptions extends ReaderOptions {
  /** The client's name of a tool, from its upstream name. */
  toolName(name: string): string
  /** The service changed the request: each entry says where and why. */
  onTransformations?(entries: readonly unknown[]): void
}

type AnthropicPiece = 'text' | 'thinking' | 'call'

/** Delta types that append to the content of their block. */
const pieces = new Map<unknown, { kind: AnthropicPiece; name: string }>([
  ['text_delta', { kind: 'text', name: 'text' }],
  ['input_json_delta', { kind: 'call', name: 'partial_json' }],
  ['thinking_delta', { kind: 'thinking', name: 'thinking' }],
])

export class AnthropicReader extends TurnReader<AnthropicReaderOptions> {
  readonly #usage = new AnthropicUsage()
  #started = false
  #isBlockOpen = false
  #kind: AnthropicPiece | 'other' = 'other'
  /** The index of the open block. */
  #index: unknown
  /** The index of the block in the learned shape of arguments. */
  #callIndex: unknown
  readonly #callIndexes = new Set<unknown>()
  readonly #shapes: DeltaShapes<AnthropicPiece>
  #call: OpenCall | undefined
  #signature: string | undefined
  readonly #stop = new AnswerStop()
  /** The message that was just read belongs to a call, or to a block that only this dialect has. */
  #isOfCall = false
  #isOfOwnBlock = false
  readonly #step = createLaneStep()
  /** A second `message_start`. */
  #isRepeated = false
  /** The client must see other events than the upstream's for this call. */
  #isReplaced = false
  /** The id of the call that has just begun, if the client must see another than the upstream's. */
  #newId: string | undefined
  /** Goes out in place of the message that was just read. */
  #corrected: string | undefined

  constructor(options: AnthropicReaderOptions, shapes = new DeltaShapes<AnthropicPiece>()) {
    super(options)
    this.#shapes = shapes
  }

  get settled(): boolean {
    return this.ended
  }

  /** During hidden thinking, and while the service holds arguments back until a value is whole, it sends only pings. */
  override get mayBeSilent(): boolean {
    return super.mayBeSilent || this.#kind === 'thinking' || this.#kind === 'call'
  }

  override get textDeltaShape(): DeltaShape | undefined {
    return this.#kind === 'text' && this.blocks.isTextOpen ? this.#shapes.of('text') : undefined
  }

  protected override get laneStep(): LaneStep {
    const step = this.#step
    step.holds = this.options.wholeArguments && this.#call !== undefined
    step.ofCall = this.#isOfCall
    step.replaced = this.#isReplaced
    step.visible = this.#isOfOwnBlock
    step.withheld = this.#isRepeated
    step.data = this.#corrected
    this.#corrected = undefined
    this.#isReplaced = false
    this.#isRepeated = false
    return step
  }

  protected onMessage(data: string): void {
    this.#isOfCall = this.#kind === 'call'
    const kind = this.#shapes.find(data)
    if (kind !== undefined && kind === this.#kind && (kind !== 'call' || this.#callIndex === this.#index))
      return this.#onPiece(kind, this.#shapes.text)
    this.#onEvent(this.parse(data), data)
  }

  #onPiece(kind: AnthropicPiece, piece: unknown): void {
    if (kind === 'text') this.#onText(piece)
    else if (kind === 'call') this.#onArguments(piece)
    else this.blocks.reasoning(textOf(piece))
  }

  protected onWhole(answer: Fields, text?: string): void {
    if (answer.type === 'error') this.#onEvent(answer)
    if (!Array.isArray(answer.content)) throw this.malformed('an answer without content')
    this.#onMessageStart(answer)
    const hasCalls = answer.content.some((block) => isObject(block) && block.type === 'tool_use')
    const inputs = text === undefined || !hasCalls ? [] : inputTexts(text)
    for (const [at, block] of answer.content.entries()) {
      if (!isObject(block)) continue
      this.#onBlockStart(block, inputs[at])
      if (typeof block.signature === 'string') this.#signature = block.signature
      this.#onBlockStop()
    }
    this.#stop.read(answer)
    if (text !== undefined) this.#correctStop(text, ['stop_reason'])
    this.finish()
  }

  /** `data` is the event's JSON text. */
  #onEvent(event: Fields, data = ''): void {
    this.#isOfCall &&= String(event.type).startsWith('content_block')
    switch (event.type) {
      case 'content_block_delta':
        return this.#onDelta(isObject(event.delta) ? event.delta : {}, event.index, data)
      case 'message_start':
        return this.#onMessageStart(isObject(event.message) ? event.message : {})
      case 'content_block_start':
        this.#index = event.index
        keepSpelling(data, event)
        this.#onBlockStart(isObject(event.content_block) ? event.content_block : {})
        if (this.#newId !== undefined)
          this.#corrected = replaceMember(data, ['content_block', 'id'], JSON.stringify(this.#newId))
        this.#newId = undefined
        return
      case 'content_block_stop':
        return this.#onBlockStop()
      case 'message_delta':
        if (isObject(event.delta)) this.#stop.read(event.delta)
        this.#correctStop(data, ['delta', 'stop_reason'])
        this.#onTransformations(event.input_transformations)
        return this.#usage.merge(event.usage)
      case 'message_stop':
        return this.finish()
      case 'ping':
        this.progress--
        return
      case 'error':
        throw fromAnthropicError({ backend: this.options.backend, status: 200, body: event })
    }
  }

  #onMessageStart(message: Fields): void {
    const text = (value: unknown, otherwise: string) =>
      typeof value === 'string' && value !== '' ? value : otherwise
    this.#usage.merge(message.usage)
    this.#onTransformations(message.input_transformations)
    if (this.#started) {
      this.#isRepeated = true
      this.repairs.add('repeated-start')
      return
    }
    this.#started = true
    const { usage } = this.#usage
    this.blocks.push({
      type: 'turn-start',
      id: text(message.id, this.options.turnId),
      model: text(message.model, this.options.model),
      ...(usage ? { usage } : {}),
    })
  }

  #startLate(): void {
    if (this.#started) return
    this.#noteRead('no-start')
    this.#onMessageStart({})
  }

  #onTransformations(entries: unknown): void {
    if (Array.isArray(entries) && entries.length > 0) this.options.onTransformations?.(entries)
  }

  /** In a lane, `conclude` comes too late: the client would read the service's own stop reason. */
  #correctStop(data: string, path: readonly string[]): void {
    if (!this.options.lane) return
    const { calls, hasText } = this.blocks
    const right = this.#stop.correction({ hasCalls: calls > 0 || this.#call !== undefined, hasText })
    if (right === undefined) return
    this.#corrected = replaceMember(data, path, JSON.stringify(right))
    if (right === 'tool_use') this.repairs.add('finish-of-calls')
  }

  /** `input`: the JSON text of the block's input, if known. */
  #onBlockStart(block: Fields, input?: string): void {
    this.#startLate()
    if (this.#isBlockOpen) this.#noteRead('open-block')
    this.#isBlockOpen = true
    this.#settleCall(false)
    this.#isOfOwnBlock = false
    switch (block.type) {
      case 'text':
        this.#kind = 'text'
        if (Array.isArray(block.citations) && block.citations.length > 0) this.#onCitation()
        if (typeof block.text === 'string') this.#onText(block.text)
        return
      case 'thinking':
        this.#kind = 'thinking'
        this.blocks.reasoning(typeof block.thinking === 'string' ? block.thinking : '')
        return
      case 'redacted_thinking':
        this.#kind = 'other'
        this.blocks.endReasoning({ redacted: textOf(block.data) })
        return
      case 'tool_use':
        return this.#onCallStart(block, input)
      default:
        // server_tool_use, web_search_tool_result, compaction…: only the lane has them and their deltas.
        this.#kind = 'other'
        this.#isOfOwnBlock = true
        this.#noteRead('odd-part')
    }
  }

  #onCallStart(block: Fields, input = writeExact(block.input)): void {
    const [callId, given] = [textOf(block.id), textOf(block.name)]
    if (callId === '' || given === '') throw this.malformed('a tool call without id or name')
    this.#kind = 'call'
    if (this.#index !== undefined) this.#callIndexes.add(this.#index)
    const name = this.options.toolName(given)
    this.#call = new OpenCall(name, isEmptyInput(block.input) ? '' : input)
    this.#isOfCall = true
    this.#stop.onCall(block)
    const id = this.blocks.startCall(callId, name)
    if (id === callId) return
    // Streamed arguments pass as they are, so only the start of the call is written anew.
    const { wholeArguments, lane } = this.options
    if (wholeArguments || lane?.form !== 'message') this.#isReplaced = true
    else this.#newId = id
    this.options.note(repeatedIdNote)
  }

  #onDelta(delta: Fields, index: unknown, data: string): void {
    const piece = pieces.get(delta.type)
    if (piece?.kind === 'call') this.#checkOwner(index, delta.partial_json)
    if (piece !== undefined && piece.kind === this.#kind) {
      if (this.#shapes.learn(piece.kind, data, piece.name, delta[piece.name]) && piece.kind === 'call')
        this.#callIndex = index
      this.#onPiece(piece.kind, delta[piece.name])
    } else if (delta.type === 'signature_delta' && this.#kind === 'thinking')
      this.#signature = textOf(delta.signature)
    else if (delta.type === 'citations_delta') this.#onCitation()
    else if (piece !== undefined && !(this.#isBlockOpen && this.#isOfOwnBlock) && delta[piece.name] !== '')
      this.#noteRead('stray-delta')
  }

  /** What is wrong in the answer, and passes a client of the same dialect as it is. */
  #noteRead(kind: RepairKind | undefined): void {
    if (kind !== undefined && !this.options.lane) this.repairs.add(kind)
  }

  /** Blocks arrive one after the other. Arguments of another block, or of an ended one, must not be added to this call. */
  #checkOwner(index: unknown, piece: unknown): void {
    if (typeof piece !== 'string' || piece.trim() === '') return
    const isOther = index !== undefined && this.#index !== undefined && index !== this.#index
    const isOpen = this.#call !== undefined && !this.#call.stopped && !isOther
    if (!isOpen && (this.#call !== undefined || this.#callIndexes.has(index)))
      throw this.malformed('arguments for a tool call that is not open')
  }

  #onCitation(): void {
    if (!this.options.lane) this.options.note('citations are not passed on')
  }

  #onText(text: unknown): void {
    if (typeof text === 'string') this.blocks.text(text)
  }

  #onArguments(piece: unknown): void {
    if (!this.#call || typeof piece !== 'string') return
    const call = this.#call
    if (call.length + piece.length > longestInput) throw this.malformed('a tool call of more than 8 MiB')
    this.budget.spend(textCost(piece))
    call.append(piece)
    if (this.options.wholeArguments) return
    const delta = call.passOn(piece)
    if (delta !== undefined) this.blocks.callDelta(delta)
  }

  #onBlockStop(): void {
    if (this.#kind === 'thinking') {
      this.blocks.endReasoning(this.#signature === undefined ? {} : { signature: this.#signature })
      this.#signature = undefined
    } else if (this.#kind === 'text') this.blocks.close()
    else if (this.#kind === 'call' && this.#call) {
      this.#call.stopped = true
      // Missing or broken arguments may mean that the answer was cut here. The stop reason decides.
      if (this.#call.length > 0 && readToolInput(this.#call.text).ok) this.#settleCall(false)
    }
    this.#kind = 'other'
    this.#isBlockOpen = false
  }

  /** Ends the open call. With `cut` it is dropped unless its arguments are complete. */
  #settleCall(cut: boolean): void {
    const call = this.#call
    if (!call) return
    this.#call = undefined
    const { text } = call
    this.budget.refund(textCost(text))
    const read = call.finalInput(cut)
    if (read === 'malformed') throw this.malformed(`malformed arguments for tool "${call.name}"`, text)
    if (read === 'cut') {
      this.#isReplaced = true
      return this.options.note(cutCallNote)
    }
    if (read.changed !== undefined) {
      this.#isReplaced = true
      this.options.note(argumentsNote(read.changed))
    }
    if (this.blocks.endCall(read.input, read.value)) this.#isReplaced = true
  }

  protected finish(): void {
    this.#startLate()
    const { stated, words } = this.#stop
    this.#settleCall(isCut(stated))
    this.blocks.close()
    const reason = this.conclude(stated)
    this.#noteRead(this.#stop.fault(reason))
    this.ended = true
    const { usage } = this.#usage
    this.blocks.push({ type: 'turn-end', reason, ...words, ...(usage ? { usage } : {}) })
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
