// TurnReader, the base class of all wire readers: upstream messages in, batches of events out. Plain state machines without I/O.
// Readers never throw. A failure becomes a `turn-error` after the events before it, independent of how the bytes were chunked.

import { type Fields, hasTooManyValues, isObject, mostJsonValues, parseJson } from '../../base/json.ts'
import { BlockWriter } from '../../core/blocks.ts'
import type { CallCheck } from '../../core/call-check.ts'
import { GatewayError } from '../../core/errors.ts'
import type { FinishReason, TurnEvent } from '../../core/events.ts'
import type { DeltaShape } from '../../core/fast-path.ts'
import { Repairs } from '../../core/repairs.ts'
import { TurnBudget } from '../../core/turn-budget.ts'
import { createLaneStep, Lane, type LaneStep } from './lane.ts'
import type { SseMessage } from './sse.ts'

export interface ReaderOptions {
  /** The turn's id; also the stem of generated call ids, for upstreams that send no id or repeat one. */
  turnId: string
  /** Reported if the upstream does not name its model. */
  model: string
  /** The configured name of the backend, for messages. */
  backend: string
  wholeArguments: boolean
  /** The dialect of a lane, and whether the answer is requested as a stream or whole. Absent: no lane. */
  lane?: { dialect: string; form: 'message' | 'answer' } | undefined
  /** Translates the whole input of a call back, for a tool whose schema was rewritten. Such turns have `wholeArguments`. */
  undoInput?: ((name: string, input: string) => string) | undefined
  /** Memory for the turn; the default budget if absent. */
  budget?: TurnBudget | undefined
  /** Checks the calls of the turn. Absent: they are not checked. */
  calls?: CallCheck | undefined
  note(text: string): void
}

/** The turn was truncated, so its last tool call may be incomplete. */
export const isCut = (reason: FinishReason) => reason === 'length' || reason === 'content-filter'

export abstract class TurnReader<Options extends ReaderOptions = ReaderOptions> {
  protected readonly options: Options
  protected readonly budget: TurnBudget
  protected readonly blocks: BlockWriter
  protected readonly repairs: Repairs
  protected ended = false
  readonly #lane: Lane | undefined
  /** Counts messages with content, visible or not: buffered arguments count, pings do not. */
  progress = 0

  constructor(options: Options) {
    this.options = options
    this.budget = options.budget ?? new TurnBudget()
    this.repairs = new Repairs(options.note)
    const lane = options.lane?.form === 'message' ? options.lane : undefined
    this.blocks = new BlockWriter({
      budget: this.budget,
      stem: `call_${options.turnId.replace(/^turn_/, '')}`,
      lane: lane?.dialect,
      calls: options.calls,
      undoInput: options.undoInput,
      isLive: lane?.form === 'message' && !options.wholeArguments,
    })
    if (lane) this.#lane = new Lane(lane.dialect, this.blocks, this.budget)
  }

  /** Silence is not a stall before the first output: models think without sending anything. */
  get mayBeSilent(): boolean {
    return !this.blocks.begun
  }

  /** The shape of an event that would only add to the open text block. Readers without the fast path have none. */
  get textDeltaShape(): DeltaShape | undefined {
    return undefined
  }

  /** About the message that was just read. Readers without a lane need not say it. */
  protected get laneStep(): LaneStep {
    return createLaneStep()
  }

  /** The upstream has sent the finish reason: the turn is complete even if the connection breaks now. */
  abstract readonly settled: boolean
  /** `name`: the name of the event, if it has one. */
  protected abstract onMessage(data: string, name?: string): void
  /** `text`: the JSON text of the answer. */
  protected abstract onWhole(answer: Fields, text?: string): void
  /** Ends a settled turn. */
  protected abstract finish(): void

  push(messages: readonly SseMessage[]): TurnEvent[] {
    try {
      for (const message of messages) {
        if (this.ended || message.data === '') continue
        this.progress++
        const at = this.blocks.pending
        this.onMessage(message.data, message.event)
        this.#lane?.pass(message, at, this.laneStep)
      }
    } catch (error) {
      this.#fail(error)
    }
    return this.blocks.take()
  }

  /** The stream is over. Returns the terminal event: an error unless the turn is settled. */
  end(): TurnEvent[] {
    return this.#guarded(() => {
      if (this.ended) return
      if (!this.settled) throw this.malformed('the end of its stream in the middle of the answer')
      this.finish()
    })
  }

  /** A non-streamed answer, parsed. `isUnasked`: a stream was asked for. */
  whole(answer: unknown, text?: string, isUnasked = false): TurnEvent[] {
    return this.#guarded(() => {
      const alone = unlisted(answer)
      if (!isObject(alone)) throw this.malformed('an answer that is not a JSON object')
      const at = this.blocks.pending
      const { lane } = this.options
      if (lane?.form === 'message') this.blocks.leaveLane()
      this.onWhole(alone, text)
      if (isUnasked) this.repairs.add('not-streamed')
      if (lane?.form !== 'answer' || text === undefined) return
      const { replaced, data = text } = this.laneStep
      if (replaced) return
      this.blocks.cover(at, [{ form: 'answer', lane: lane.dialect, data, name: undefined, visible: false }])
    })
  }

  #guarded(read: () => void): TurnEvent[] {
    try {
      read()
    } catch (error) {
      this.#fail(error)
    }
    return this.blocks.take()
  }

  #fail(error: unknown): void {
    this.ended = true
    this.blocks.push({ type: 'turn-error', error: GatewayError.from(error) })
  }

  /** The true finish reason: with tool calls `tool-calls` replaces `stop`, without any it is not possible. */
  protected conclude(stated: FinishReason): FinishReason {
    const { calls, hasText } = this.blocks
    if (calls > 0) return stated === 'stop' || stated === 'other' ? 'tool-calls' : stated
    if (stated !== 'tool-calls') return stated
    if (!hasText) throw this.malformed('an end that announces tool calls, but no tool call')
    this.repairs.add('announced-calls')
    return 'stop'
  }

  protected parse(data: string): Fields {
    const value = unlisted(parseJson(data))
    if (isObject(value)) return value
    if (hasTooManyValues(data)) throw this.#tooMany()
    throw this.malformed('an event that is not a JSON object', data)
  }

  /** Not retryable: the same answer would come again. */
  #tooMany(): GatewayError {
    const { backend } = this.options
    const message = `${backend}: the upstream sent an event of more than ${mostJsonValues} JSON values.`
    return new GatewayError('upstream-protocol', message, { retryable: false })
  }

  protected malformed(what: string, excerpt?: string): GatewayError {
    return new GatewayError('upstream-protocol', `${this.options.backend}: the upstream sent ${what}.`, {
      ...(excerpt === undefined ? {} : { upstream: { excerpt } }),
    })
  }
}

/** Gemini's OpenAI-compatible API sends an error as an array of one object. */
const unlisted = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 1 && isObject(value[0]) && value[0].error !== undefined
    ? value[0]
    : value
