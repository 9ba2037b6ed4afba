// Chat Completions stream → TurnEvents, from any server that calls itself OpenAI-compatible. This module and tool-calls.ts repair
// what such servers get wrong; a test shows each oddity.

import { keepSpelling } from '../../base/exact-json.ts'
import { type Fields, isObject } from '../../base/json.ts'
import { GatewayError } from '../../core/errors.ts'
import type { FinishReason, Usage } from '../../core/events.ts'
import type { DeltaShape } from '../../core/fast-path.ts'
import { isBaseRefusal } from '../errors/refusal.ts'
import { DeltaShapes } from '../streams/delta-shapes.ts'
import type { LaneStep } from '../streams/lane.ts'
import { isCut, type ReaderOptions, TurnReader } from '../streams/reader.ts'
import { ChunkLane } from './chunk-lane.ts'
import { fromChatError } from './errors.ts'
import { breakdowns, isOwnWord, reasons, wordOf } from './finish-reasons.ts'
import { KeptReasoning } from './kept-reasoning.ts'
import type { KeptTurn } from './kept-turn.ts'
import type { ReasoningField } from './reasoning-out.ts'
import { ToolCallTracker } from './tool-calls.ts'
import { fromChatUsage } from './usage-in.ts'

type ChatPiece = 'content' | 'reasoning_content' | 'reasoning' | 'arguments'

interface ChatReaderOptions extends ReaderOptions {
  /** The answer that an error inside an answer holds; undefined if it holds none. */
  rescue?: ((body: Fields) => Fields | undefined) | undefined
}

export class ChatReader extends TurnReader<ChatReaderOptions> {
  readonly #calls: ToolCallTracker
  #started = false
  /** The answer is not streamed. */
  #isWhole = false
  #rawReason: string | undefined
  #usage: Usage | undefined
  #done = false
  readonly #thought: KeptReasoning
  readonly #shapes: DeltaShapes<ChatPiece>
  /** The index of the call in the learned shape of arguments. */
  #callIndex: unknown
  readonly #chunks: ChunkLane | undefined

  constructor(options: ChatReaderOptions, shapes = new DeltaShapes<ChatPiece>()) {
    super(options)
    this.#shapes = shapes
    this.#thought = new KeptReasoning(options.note)
    this.#calls = new ToolCallTracker(this.blocks, options, this.budget, this.repairs)
    if (options.lane?.form === 'message') this.#chunks = new ChunkLane(this.budget, this.repairs)
  }

  protected override get laneStep(): LaneStep {
    return this.#chunks?.step(!this.#calls.isIdle) ?? super.laneStep
  }

  /** What the server wants back with the calls of this turn; undefined if nothing. */
  get kept(): KeptTurn | undefined {
    const { extras: callExtras, ownIds } = this.#calls
    const { message, thinking } = this.#thought
    const isSilent = thinking === undefined && Object.keys(message).length === 0
    if (callExtras.size === 0 && ownIds.size === 0 && isSilent) return undefined
    return thinking === undefined
      ? { message, callExtras, ownIds }
      : { message, thinking, callExtras, ownIds }
  }

  /** The field of this server's reasoning; undefined if it sent none. */
  get reasoningField(): ReasoningField | undefined {
    return this.#thought.field
  }

  /** `[DONE]` is optional: a finish_reason also ends the turn. */
  get settled(): boolean {
    return this.#done || this.#rawReason !== undefined
  }

  override get textDeltaShape(): DeltaShape | undefined {
    const isOpen = this.#rawReason === undefined && this.#calls.isIdle && this.blocks.isTextOpen
    return isOpen && this.#isPlain ? this.#shapes.of('content') : undefined
  }

  /** Chunks of a known shape pass through the lane as they are. */
  get #isPlain(): boolean {
    return this.#chunks?.isPlain ?? true
  }

  protected onMessage(data: string): void {
    const before = this.blocks.pending
    const kind = this.#rawReason === undefined && this.#isPlain ? this.#shapes.find(data) : undefined
    // A field that not all clients know is repeated under its other name.
    if (kind !== undefined && !(kind === 'reasoning' && this.#chunks)) {
      const { text } = this.#shapes
      this.#onPiece(kind, text)
      this.#release(before)
      if (kind === 'arguments') this.#chunks?.onArguments(this.#callIndex, text)
      else this.#chunks?.onText()
    } else if (data.trim() === '[DONE]') {
      if (!this.#started) throw this.malformed('an empty stream')
      this.#done = true
      this.finish()
      this.#release(before)
      this.#chunks?.onDone()
    } else this.#onWholeChunk(data, before)
  }

  /** `before`: the number of events before those of the last message. */
  #release(before: number): void {
    if (!this.#chunks) return
    const ended = this.blocks.endedSince(before)
    this.#chunks.release(ended, ended.length > 0 && this.blocks.hasTextBeforeCalls(before))
  }

  #onWholeChunk(data: string, before: number): void {
    const chunk = this.parse(data)
    const isAfterEnd = this.#rawReason !== undefined
    this.#onChunk(chunk, data)
    this.#learn(chunk, data)
    const finish = isAfterEnd ? undefined : this.#finishWord
    this.#release(before)
    this.#chunks?.onChunk(chunk, { isAfterEnd, finish })
  }

  /** The finish reason as clients know it; null if it announces calls that did not come. */
  get #finishWord(): string | null | undefined {
    const raw = this.#rawReason
    if (raw === undefined) return undefined
    const stated = reasons.get(raw) ?? 'stop'
    if (this.blocks.calls > 0) return stated === 'stop' ? 'tool_calls' : wordOf(stated)
    if (stated !== 'tool-calls') return wordOf(stated)
    return this.blocks.hasText ? 'stop' : null
  }

  #onPiece(kind: ChatPiece, text: string): void {
    if (kind === 'content') this.#onContent(text)
    else if (kind === 'arguments')
      this.#calls.onDelta({ index: this.#callIndex, function: { arguments: text } }, 0)
    else this.#onReasoning(kind, text)
  }

  /** Learns the shape of a chunk that contains only a delta of text, reasoning or arguments: the next chunks will look like it. */
  #learn({ choices, usage, error }: Fields, data: string): void {
    if (!this.#shapes.isLearning) return
    const [choice] = Array.isArray(choices) && choices.length === 1 ? choices : []
    if (usage != null || error != null || !isObject(choice)) return
    const { index, delta, finish_reason: reason, usage: counted, error: broken } = choice
    if ((index ?? 0) !== 0 || reason != null || counted != null || broken != null || !isObject(delta)) return
    const said = Object.entries(delta).filter(
      ([name, value]) => name !== 'role' && value != null && value !== '',
    )
    const [[name, value] = []] = said
    if (said.length !== 1 || name === undefined) return
    if (name === 'content' || name === 'reasoning_content' || name === 'reasoning')
      this.#shapes.learn(name, data, name, value)
    else if (name === 'tool_calls') this.#learnArguments(value, data)
  }

  #learnArguments(calls: unknown, data: string): void {
    const [call] = Array.isArray(calls) && calls.length === 1 ? calls : []
    if (!isObject(call) || !Number.isInteger(call.index) || !isObject(call.function)) return
    if (call.id || call.function.name || call.extra_content != null) return
    // Pieces of a known shape are read without a look at these: what is wrong with them must have been noted.
    const isEmpty = call.id === '' || call.function.name === ''
    if (isEmpty && !this.repairs.has('empty-call-name')) return
    if (this.#shapes.learn('arguments', data, 'arguments', call.function.arguments))
      this.#callIndex = call.index
  }

  protected onWhole(answer: Fields, text = ''): void {
    this.#isWhole = true
    this.#onChunk(answer, text)
    if (!this.#started) throw this.malformed('an answer without choices')
    this.#done = true
    this.finish()
  }

  /** `text` is the chunk's JSON text. */
  #onChunk(chunk: Fields, text: string): void {
    if ((chunk.error !== undefined && chunk.error !== null) || isBaseRefusal(chunk)) {
      const rescued = this.#mayRescue ? this.options.rescue?.(chunk) : undefined
      if (rescued) return this.#onChunk(rescued, '')
      throw fromChatError({ backend: this.options.backend, status: 200, body: chunk })
    }
    this.#readUsage(chunk.usage)
    const choice = Array.isArray(chunk.choices)
      ? chunk.choices.find((entry) => isObject(entry) && (entry.index ?? 0) === 0)
      : undefined
    if (!choice) return
    if (isObject(choice.error))
      throw fromChatError({ backend: this.options.backend, status: 200, body: choice })
    this.#start(chunk)
    this.#readUsage(choice.usage)
    // Servers that do not really stream put the whole message in place of the delta.
    const isMessage = !isObject(choice.delta)
    const delta = isMessage ? choice.message : choice.delta
    if (isObject(delta) && this.#rawReason === undefined) {
      if (isMessage && !this.#isWhole) this.repairs.add('whole-message')
      if (Array.isArray(delta.tool_calls) && delta.tool_calls.some(hasObjectInput)) keepSpelling(text, chunk)
      this.#onDelta(delta, isMessage)
    }
    // After a finish_reason only usage belongs to the turn.
    else if (isObject(delta) && hasOutput(delta)) this.repairs.add('output-after-end')
    if (
      this.#rawReason === undefined &&
      typeof choice.finish_reason === 'string' &&
      choice.finish_reason !== ''
    ) {
      if (breakdowns.has(choice.finish_reason)) {
        throw new GatewayError(
          'upstream-unavailable',
          `${this.options.backend}: the upstream broke off its answer (finish_reason "${choice.finish_reason}").`,
        )
      }
      this.#rawReason = choice.finish_reason
      this.#calls.flush(isCut(this.#stated))
    }
  }

  /** The client has seen no part of a call, and none of the server's own chunks. */
  get #mayRescue(): boolean {
    return this.#rawReason === undefined && !this.#chunks && this.#calls.isIdle && this.blocks.calls === 0
  }

  #start(chunk: Fields): void {
    if (this.#started) return
    this.#started = true
    const id = typeof chunk.id === 'string' && chunk.id !== '' ? chunk.id : this.options.turnId
    const model = typeof chunk.model === 'string' && chunk.model !== '' ? chunk.model : this.options.model
    this.blocks.push({ type: 'turn-start', id, model })
  }

  readonly #say = (text: string) => this.blocks.text(text)
  readonly #refuse = (text: string) => this.blocks.text(text, { refusal: true })
  readonly #think = (text: string) => this.blocks.reasoning(text)

  #onDelta(delta: Fields, isMessage: boolean): void {
    if (Array.isArray(delta.reasoning_details)) this.#thought.addDetails(delta.reasoning_details)
    if (!this.#onReasoning('reasoning_content', delta.reasoning_content))
      this.#onReasoning('reasoning', delta.reasoning)
    this.#onContent(delta.content)
    if (typeof delta.refusal === 'string' && delta.refusal !== '') {
      this.#calls.whenIdle(this.#refuse, delta.refusal)
    }
    if (Array.isArray(delta.tool_calls)) {
      for (const [at, call] of delta.tool_calls.entries()) {
        if (!isObject(call)) continue
        if (this.#isWhole) this.#calls.onWholeCall(call)
        else this.#calls.onDelta(call, at, isMessage)
      }
    }
    if (isObject(delta.function_call)) this.#calls.onLegacyCall(delta.function_call)
  }

  /** Servers that fill both reasoning fields send the same text in both. */
  #onReasoning(field: ReasoningField, text: unknown): boolean {
    if (typeof text !== 'string' || text === '') return false
    this.#thought.add(field, text)
    this.#calls.whenIdle(this.#think, text)
    return true
  }

  #onContent(content: unknown): void {
    if (typeof content === 'string') {
      if (content === '') return
      this.#calls.whenIdle(this.#say, content)
    } else if (Array.isArray(content)) {
      // Mistral: parts, including thinking.
      if (content.length > 0) this.repairs.add('content-parts')
      for (const part of content) {
        if (isObject(part) && part.type === 'thinking') this.#onThinkingPart(part.thinking)
        else if (isObject(part) && typeof part.text === 'string') this.#onContent(part.text)
        else this.repairs.add('odd-part')
      }
    }
  }

  #onThinkingPart(thinking: unknown): void {
    const texts = Array.isArray(thinking)
      ? thinking.map((part) => (isObject(part) ? part.text : part))
      : [thinking]
    const text = texts.filter((entry) => typeof entry === 'string').join('')
    if (text === '') return
    this.#thought.add('parts', text)
    this.#calls.whenIdle(this.#think, text)
  }

  #readUsage(value: unknown): void {
    // Some servers send usage in every chunk; the last one is the total.
    if (isObject(value)) this.#usage = fromChatUsage(value)
  }

  get #stated(): FinishReason {
    return this.#rawReason === undefined ? 'stop' : (reasons.get(this.#rawReason) ?? 'other')
  }

  protected finish(): void {
    this.#start({})
    this.#calls.flush(isCut(this.#stated))
    this.blocks.close()
    const reason = this.conclude(this.#stated)
    this.#noteEnd(reason)
    this.ended = true
    const raw = this.#rawReason === undefined ? {} : { rawReason: this.#rawReason }
    this.blocks.push({ type: 'turn-end', reason, ...raw, ...(this.#usage ? { usage: this.#usage } : {}) })
  }

  #noteEnd(reason: FinishReason): void {
    const raw = this.#rawReason
    if (raw === undefined) this.repairs.add('no-finish')
    else if (reason === 'tool-calls' && this.#stated !== reason) this.repairs.add('finish-of-calls')
    else if (!isOwnWord(raw, this.#calls.hasLegacyCall)) this.repairs.add('odd-finish')
    if (!this.#done) this.repairs.add('no-done')
  }
}

/** Text, reasoning or a call. */
const hasOutput = ({ content, reasoning, reasoning_content: shown, refusal, tool_calls: calls }: Fields) =>
  [content, reasoning, shown, refusal, calls].some(
    (said) => (typeof said === 'string' || Array.isArray(said)) && said.length > 0,
  )

/** Ollama's form: arguments as an object. */
const hasObjectInput = (call: unknown) =>
  isObject(call) && isObject(call.function) && isObject(call.function.arguments)
