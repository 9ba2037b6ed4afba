// One turn over HTTP, streamed or whole, for any protocol that answers with server-sent events or one JSON value.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Fields } from '../../base/json.ts'
import type { Signal } from '../../base/signal.ts'
import type { GatewayError } from '../../core/errors.ts'
import type { TurnEvent } from '../../core/events.ts'
import { type TakeTextDelta, TextDeltaMatcher, type TextDeltaSource } from '../../core/fast-path.ts'
import type { TurnTap } from '../../core/tap.ts'
import type { PulledBatches } from '../../core/turn.ts'
import type { UpstreamRefusal } from '../../protocols/errors/upstream-error.ts'
import type { TurnReader } from '../../protocols/streams/reader.ts'
import { createSseReader, type SseReader } from '../../protocols/streams/sse.ts'
import type { ByteSource } from '../../upstream/byte-source.ts'
import type { UpstreamClient, UpstreamResponse } from '../../upstream/client.ts'
import { ProgressClock, type ProgressLimits } from './progress-clock.ts'
import { readRefusal, readWhole } from './read-answer.ts'

export interface HttpTurn extends ProgressLimits {
  client: UpstreamClient
  path: string
  headers: Record<string, string>
  body: string | Buffer
  stream: boolean
  reader: TurnReader
  signal: Signal
  tap?: TurnTap | undefined
  toError(refusal: UpstreamRefusal): GatewayError
  /** The answer that the last refusal holds, as JSON; undefined if it holds none. */
  rescue?(): Fields | undefined
  /** The request to send instead, if the refusal shows how to correct it. The implementer limits the number of corrections. */
  cure?(error: GatewayError): Attempt | undefined
  /** Gets the headers of every answer, refusals included. */
  onAnswerHeaders?(headers: UpstreamResponse['headers']): void
  /** Gets the JSON text of every event, except of text deltas on the fast path, and of a whole answer, before it is read. */
  onJson?(text: string): void
  /** Gets each batch before it is returned, and may replace it. */
  onEvents?(events: TurnEvent[]): TurnEvent[] | undefined
  /** True while `onEvents` has no use for text: its deltas may take the fast path. */
  ignoresText?(): boolean
}

/** Another path comes with its own reader. */
type Attempt = Pick<HttpTurn, 'headers' | 'body'> & Partial<Pick<HttpTurn, 'path' | 'reader'>>

const drainMs = 1_000
/** Serializing a larger body and encoding it for the wire both take long: other work runs in between. */
const largeBody = 256 * 1024

export function httpTurn(turn: HttpTurn): HttpBatches {
  return new HttpBatches(turn)
}

type Give = (result: IteratorResult<TurnEvent[]>) => void

const over: IteratorResult<TurnEvent[]> = { done: true, value: undefined }
const givenUp = () => new Error('turn given up')

/**
 * Not a generator: with callbacks a batch costs at most one promise, however many functions it passes through. Only one batch may be
 * requested at a time; `return` may be called at any time.
 */
class HttpBatches implements PulledBatches, TextDeltaSource, AsyncIterableIterator<TurnEvent[]> {
  #turn: HttpTurn
  readonly #clock: ProgressClock
  #sse: SseReader | undefined
  #body: ByteSource | undefined
  #state: 'new' | 'asking' | 'streaming' | 'over' = 'new'
  #givenUp = false
  #takeTextDelta: TakeTextDelta | undefined
  readonly #matcher = new TextDeltaMatcher()
  /** The callbacks of the pending `pull`. */
  #give: Give = () => undefined
  #refuse: (error: unknown) => void = () => undefined

  constructor(turn: HttpTurn) {
    this.#turn = turn
    this.#clock = new ProgressClock(turn)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<TurnEvent[]>> {
    return new Promise((resolve, reject) => this.pull(resolve, reject))
  }

  pull(give: Give, refuse: (error: unknown) => void): void {
    if (this.#state === 'over') return give(over)
    if (this.#state === 'new') return void this.#begin().then(give, refuse)
    if (this.#state === 'asking') return refuse(new Error('one batch at a time'))
    this.#clock.release()
    this.#await(give, refuse)
  }

  offerTextDeltas(take: TakeTextDelta): void {
    if (this.#turn.ignoresText) this.#takeTextDelta = take
  }

  /** Ends the turn early and cancels the upstream request. */
  return(): Promise<IteratorResult<TurnEvent[]>> {
    this.#givenUp = true
    if (this.#state === 'asking') this.#clock.cancel(givenUp())
    this.#close(false)
    return Promise.resolve(over)
  }

  async #begin(): Promise<IteratorResult<TurnEvent[]>> {
    const turn = this.#turn
    const clock = this.#clock
    this.#state = 'asking'
    clock.start()
    try {
      if (turn.body.length > largeBody) await nextTurn()
      const response = await this.#ask()
      // The turn may have been given up while the answer was on its way.
      if (this.#givenUp) throw givenUp()
      if ('rescued' in response) {
        this.#close(true)
        return { done: false, value: this.#given(this.#turn.reader.whole(response.rescued)) }
      }
      this.#body = response.body
      this.#state = 'streaming'
      const type = String(response.headers['content-type'] ?? '')
      // A server that ignores `stream` answers with JSON or SSE regardless; some errors with status 200 are JSON too.
      if (type.includes('text/event-stream')) return await new Promise(this.#await)
      const events = await readWhole(response, this.#turn)
      this.#close(true)
      return { done: false, value: this.#given(events) }
    } catch (error) {
      this.#close(false)
      if (this.#givenUp) return over
      throw clock.expired ?? error
    }
  }

  /** The response to the request, or to the corrected one. */
  async #ask(): Promise<UpstreamResponse | { rescued: Fields }> {
    const turn = this.#turn
    const response = await turn.client.request({
      method: 'POST',
      path: turn.path,
      headers: {
        'content-type': 'application/json',
        accept: turn.stream ? 'text/event-stream' : 'application/json',
        ...turn.headers,
      },
      body: turn.body,
      signal: turn.signal,
      onCancelable: this.#clock.onCancelable,
      tap: turn.tap,
    })
    turn.onAnswerHeaders?.(response.headers)
    if (response.status === 200) return response
    const error = await readRefusal(response, turn)
    const rescued = this.#givenUp ? undefined : turn.rescue?.()
    if (rescued) return { rescued }
    const cured = this.#givenUp ? undefined : turn.cure?.(error)
    if (!cured) throw error
    this.#turn = Object.assign({}, turn, cured)
    return this.#ask()
  }

  /** Calls back with the next batch, synchronously if it is there. */
  readonly #await = (give: Give, refuse: (error: unknown) => void): void => {
    this.#give = give
    this.#refuse = refuse
    this.#onReadable()
  }

  readonly #onReadable = (): void => {
    let result: IteratorResult<TurnEvent[]> | undefined
    try {
      result = this.#readOn(this.#body as ByteSource)
    } catch (error) {
      this.#close(false)
      return this.#givenUp ? this.#give(over) : this.#refuse(this.#clock.expired ?? error)
    }
    // Must be the last statement: the callback may pull the next batch synchronously.
    if (result) this.#give(result)
  }

  /** Undefined while there are no events. */
  #readOn(body: ByteSource): IteratorResult<TurnEvent[]> | undefined {
    for (;;) {
      const bytes = this.#takeOrEnd(body)
      if (bytes === undefined) {
        body.whenReadable(this.#onReadable, this.#expectsTextDelta() ? this.#onFastRead : undefined)
        return undefined
      }
      const events = this.#read(bytes)
      if (events.length > 0) return { done: false, value: this.#given(events) }
      if (bytes === null) return over
    }
  }

  /** The fast path: true if the read was a text delta and has been taken as one. */
  readonly #onFastRead = (bytes: Buffer): boolean => {
    const text = this.#matcher.match(bytes)
    if (text === undefined) return false
    const now = performance.now()
    if (!this.#takeTextDelta?.(text, this.#matcher.framing, now)) return false
    this.#turn.reader.progress++
    this.#clock.check(this.#turn.reader, now)
    return true
  }

  #expectsTextDelta(): boolean {
    const { reader, ignoresText } = this.#turn
    const prefix = this.#takeTextDelta && ignoresText?.() ? this.#sse?.eventPrefix() : undefined
    const shape = prefix === undefined ? undefined : reader.textDeltaShape
    const isExpected = prefix !== undefined && shape !== undefined
    if (isExpected) this.#matcher.expect(prefix, shape)
    return isExpected
  }

  /** A connection that breaks after the turn is settled counts as its end. */
  #takeOrEnd(body: ByteSource): Buffer | null | undefined {
    try {
      return body.take()
    } catch (error) {
      if (this.#turn.reader.settled) return null
      throw error
    }
  }

  #read(bytes: Buffer | null): TurnEvent[] {
    const { reader } = this.#turn
    this.#sse ??= createSseReader()
    const sse = this.#sse
    const messages = bytes === null ? sse.end() : sse.push(bytes)
    if (this.#turn.onJson) for (const { data } of messages) this.#turn.onJson(data)
    const events = bytes === null ? [...reader.push(messages), ...reader.end()] : reader.push(messages)
    if (events.length > 0) this.#clock.hold(reader)
    else this.#clock.check(reader)
    const isComplete = events.at(-1)?.type === 'turn-end'
    if (isComplete || bytes === null) this.#close(isComplete)
    return events
  }

  #given(events: TurnEvent[]): TurnEvent[] {
    return this.#turn.onEvents?.(events) ?? events
  }

  #close(isComplete: boolean): void {
    if (this.#state === 'over') return
    this.#state = 'over'
    this.#clock.stop()
    if (isComplete) this.#body?.drain(drainMs)
    else this.#body?.cancel(givenUp())
  }
}
