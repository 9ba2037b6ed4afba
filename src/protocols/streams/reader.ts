// What every wire reader looks like: upstream messages in, batches of events out. Plain state machines, no I/O.
// Readers never throw: a failure is a `turn-error` behind what came before it, the same for every chunking.

import { type Fields, hasTooManyValues, isObject, mostJsonValues, parseJson } from '../../base/json.ts'
import { BlockWriter } from '../../core/blocks.ts'
import { GatewayError } from '../../core/errors.ts'
import type { FinishReason, TurnEvent } from '../../core/events.ts'
import type { DeltaShape } from '../../core/fast-path.ts'
import { TurnBudget } from '../../core/turn-budget.ts'
import type { SseMessage } from './sse.ts'

export interface ReaderOptions {
  /** Names this turn; also the stem of call ids where an upstream gives none, or one twice. */
  turnId: string
  /** The model to report when the upstream names none. */
  model: string
  /** The configured name of the backend, for messages. */
  backend: string
  wholeArguments: boolean
  /** What may be kept of the turn; without it, as much as any turn may keep. */
  budget?: TurnBudget | undefined
  note(text: string): void
}

/** With these reasons the last call may have been cut off. */
export const isCut = (reason: FinishReason) => reason === 'length' || reason === 'content-filter'

export abstract class TurnReader<Options extends ReaderOptions = ReaderOptions> {
  protected readonly options: Options
  protected readonly budget: TurnBudget
  protected readonly blocks: BlockWriter
  protected ended = false
  /** Counts what moved the turn on, whether or not it showed: buffered arguments do, pings do not. */
  progress = 0

  constructor(options: Options) {
    this.options = options
    this.budget = options.budget ?? new TurnBudget()
    this.blocks = new BlockWriter({
      budget: this.budget,
      stem: `call_${options.turnId.replace(/^turn_/, '')}`,
    })
  }

  /** Silence is no stall yet: nothing has come, and models think unseen before they begin. */
  get mayBeSilent(): boolean {
    return !this.blocks.begun
  }

  /** The shape of an event that would only add to the open text block. Readers without the fast path have none. */
  get textDeltaShape(): DeltaShape | undefined {
    return undefined
  }

  /** The upstream has said how the turn ends: whatever happens to the connection now, the turn is complete. */
  abstract readonly settled: boolean
  protected abstract onMessage(data: string): void
  /** `text` is what the answer was read from. */
  protected abstract onWhole(answer: Fields, text?: string): void
  /** Ends a settled turn. */
  protected abstract finish(): void

  push(messages: readonly SseMessage[]): TurnEvent[] {
    try {
      for (const { data } of messages) {
        if (this.ended || data === '') continue
        this.progress++
        this.onMessage(data)
      }
    } catch (error) {
      this.#fail(error)
    }
    return this.blocks.take()
  }

  /** The stream is over. Gives the terminal event: an error unless the upstream's own terminal has come. */
  end(): TurnEvent[] {
    return this.#guarded(() => {
      if (this.ended) return
      if (!this.settled) throw this.malformed('the end of its stream in the middle of the answer')
      this.finish()
    })
  }

  /** A non-streamed answer, parsed. */
  whole(answer: unknown, text?: string): TurnEvent[] {
    return this.#guarded(() => {
      const alone = unlisted(answer)
      if (!isObject(alone)) throw this.malformed('an answer that is not a JSON object')
      this.onWhole(alone, text)
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

  /** How the turn really ended: calls make it `tool-calls` whatever was said, and without any it cannot be. */
  protected conclude(stated: FinishReason): FinishReason {
    const { calls, hasText } = this.blocks
    if (calls > 0) return stated === 'stop' || stated === 'other' ? 'tool-calls' : stated
    if (stated !== 'tool-calls') return stated
    if (!hasText) throw this.malformed('an end that announces tool calls, but no tool call')
    this.options.note('the upstream announced tool calls and sent none')
    return 'stop'
  }

  protected parse(data: string): Fields {
    const value = unlisted(parseJson(data))
    if (isObject(value)) return value
    if (hasTooManyValues(data)) throw this.#tooMany()
    throw this.malformed('an event that is not a JSON object', data)
  }

  /** It would be as many the next time. */
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

/** Gemini's compatible API sends an error as a list of one. */
const unlisted = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 1 && isObject(value[0]) && value[0].error !== undefined
    ? value[0]
    : value
