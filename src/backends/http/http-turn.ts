// One turn over HTTP, streamed or whole, for any protocol whose reader takes server-sent events or one JSON answer.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { hasTooManyValues, mostJsonValues, parseJson } from '../../base/json.ts'
import type { Signal } from '../../base/signal.ts'
import { GatewayError } from '../../core/errors.ts'
import type { TurnEvent } from '../../core/events.ts'
import { type TakeTextDelta, TextDeltaMatcher, type TextDeltaSource } from '../../core/fast-path.ts'
import type { TurnTap } from '../../core/tap.ts'
import type { PulledBatches } from '../../core/turn.ts'
import type { UpstreamRefusal } from '../../protocols/errors/upstream-error.ts'
import type { TurnReader } from '../../protocols/streams/reader.ts'
import { createSseReader, type SseReader } from '../../protocols/streams/sse.ts'
import type { ByteSource } from '../../upstream/byte-source.ts'
import type { UpstreamClient, UpstreamResponse } from '../../upstream/client.ts'
import { retryAfter } from '../../upstream/retry-after.ts'

export interface HttpTurn {
  client: UpstreamClient
  path: string
  headers: Record<string, string>
  body: string
  stream: boolean
  reader: TurnReader
  signal: Signal
  tap?: TurnTap | undefined
  /** How long the upstream may send nothing that moves the turn on, once it has begun to answer. */
  progressMs: number
  /** How long it may take to begin, or to think unseen. */
  firstByteMs: number
  backend: string
  toError(refusal: UpstreamRefusal): GatewayError
  /** What is asked in its place, where a refusal says how it would be taken; the caller sees to an end. */
  cure?(error: GatewayError): Pick<HttpTurn, 'headers' | 'body'> | undefined
  /** Sees each batch before it is given, and may give another. */
  onEvents?(events: TurnEvent[]): TurnEvent[] | undefined
  /** True while `onEvents` has no use for text: its deltas may take the fast path. */
  ignoresText?(): boolean
}

const maxErrorBytes = 64 * 1024
/** As bytes, text, values and events it takes several times as much, and all of that is to stay within what a turn may keep. */
const maxAnswerBytes = 16 * 1024 * 1024
const drainMs = 1_000
/** To write such a body and to encode it for the wire take long each: others are served in between. */
const largeBody = 256 * 1024

export function httpTurn(turn: HttpTurn): HttpBatches {
  return new HttpBatches(turn)
}

type Give = (result: IteratorResult<TurnEvent[]>) => void

const over: IteratorResult<TurnEvent[]> = { done: true, value: undefined }
const givenUp = () => new Error('turn given up')

/**
 * By hand, and not as a generator: this way a batch costs no promise, or one, however many functions it goes through. One batch is
 * asked for at a time; `return` may come at any.
 */
export class HttpBatches implements PulledBatches, TextDeltaSource, AsyncIterableIterator<TurnEvent[]> {
  readonly #turn: HttpTurn
  readonly #clock: ProgressClock
  #sse: SseReader | undefined
  #body: ByteSource | undefined
  #state: 'new' | 'asking' | 'streaming' | 'over' = 'new'
  #givenUp = false
  #takeTextDelta: TakeTextDelta | undefined
  readonly #matcher = new TextDeltaMatcher()
  /** Who waits for the next batch. */
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

  /** Whoever has heard enough says so: the upstream need not go on. */
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
      const response = await this.#ask(turn)
      // The answer may have been on its way already when it was given up.
      if (this.#givenUp) throw givenUp()
      this.#body = response.body
      this.#state = 'streaming'
      const type = String(response.headers['content-type'] ?? '')
      // A server that ignores `stream` answers in the other form; some errors under status 200 are JSON as well.
      if (type.includes('text/event-stream')) return await new Promise(this.#await)
      const events = await readWhole(response, turn)
      this.#close(true)
      return { done: false, value: this.#given(events) }
    } catch (error) {
      this.#close(false)
      if (this.#givenUp) return over
      throw clock.expired ?? error
    }
  }

  /** The answer to the request, or to the one that a refusal asks for. */
  async #ask({ headers, body }: Pick<HttpTurn, 'headers' | 'body'>): Promise<UpstreamResponse> {
    const turn = this.#turn
    const response = await turn.client.request({
      method: 'POST',
      path: turn.path,
      headers: {
        'content-type': 'application/json',
        accept: turn.stream ? 'text/event-stream' : 'application/json',
        ...headers,
      },
      body,
      signal: turn.signal,
      onCancelable: this.#clock.onCancelable,
      tap: turn.tap,
    })
    if (response.status === 200) return response
    const error = await failure(response, turn)
    const cured = this.#givenUp ? undefined : turn.cure?.(error)
    if (!cured) throw error
    return this.#ask(cured)
  }

  /** Gives the next batch as soon as there is one. */
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
    // Nothing may follow: whoever gets it may ask for the next one at once.
    if (result) this.#give(result)
  }

  /** Undefined while nothing is there to be given. */
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
    const prefix = this.#takeTextDelta && ignoresText?.() ? this.#sse?.eventPrefix : undefined
    const shape = prefix === undefined ? undefined : reader.textDeltaShape
    const isExpected = prefix !== undefined && shape !== undefined
    if (isExpected) this.#matcher.expect(prefix, shape)
    return isExpected
  }

  /** A connection that breaks after the upstream has said how the turn ends has done its work. */
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
    const events =
      bytes === null ? [...reader.push(sse.end()), ...reader.end()] : reader.push(sse.push(bytes))
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

async function readWhole(response: UpstreamResponse, turn: HttpTurn): Promise<TurnEvent[]> {
  const { bytes, cut } = await response.body.readAll(maxAnswerBytes)
  const text = (cut ? bytes.subarray(0, maxErrorBytes) : bytes).toString('utf8')
  const json = cut ? undefined : parseJson(text)
  if (json !== undefined) return turn.reader.whole(json, text)
  const upstream = { status: response.status, excerpt: text }
  if (cut)
    throw new GatewayError(
      'upstream-protocol',
      `${turn.backend}: the upstream sent an answer of more than 16 MiB; ask for less at once, or with "stream": true.`,
      { upstream, retryable: false },
    )
  if (hasTooManyValues(text))
    throw new GatewayError(
      'upstream-protocol',
      `${turn.backend}: the upstream sent an answer of more than ${mostJsonValues} JSON values.`,
      { upstream: { status: response.status, excerpt: text.slice(0, maxErrorBytes) }, retryable: false },
    )
  const what = text === '' ? 'an empty answer' : 'an answer that is not JSON'
  throw new GatewayError(
    'upstream-protocol',
    `${turn.backend}: the upstream sent ${what}; is its "baseUrl" right?`,
    { upstream },
  )
}

async function failure(response: UpstreamResponse, turn: HttpTurn): Promise<GatewayError> {
  const excerpt = await readExcerpt(response)
  if (response.status >= 300 && response.status < 400) {
    return new GatewayError(
      'upstream-protocol',
      `${turn.backend}: the upstream redirects (HTTP ${response.status}), which is never followed; correct "baseUrl".`,
      {
        retryable: false,
        upstream: { status: response.status, excerpt },
      },
    )
  }
  return turn.toError({
    backend: turn.backend,
    status: response.status,
    body: parseJson(excerpt),
    excerpt,
    retryAfterMs: retryAfter(response.headers),
  })
}

export async function readExcerpt(response: UpstreamResponse): Promise<string> {
  const { bytes } = await response.body.readAll(maxErrorBytes)
  return bytes.toString('utf8')
}

/** Of a timer; beyond that the process itself was held up. */
const mostLatenessMs = 50

/**
 * Bytes are not progress: pings can flow for ever. This clock is reset only by what moves the turn on. That takes down the time
 * and nothing else; its one timer looks at it when it would be due, and waits on.
 */
class ProgressClock {
  readonly #turn: HttpTurn
  #cancel: ((reason: Error) => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #patienceMs = 0
  #movedAt = 0
  #dueAt = 0
  #seen = 0
  #held = false
  expired: GatewayError | undefined

  constructor(turn: HttpTurn) {
    this.#turn = turn
  }

  start(): void {
    this.#movedAt = performance.now()
    this.#patienceMs = this.#turn.firstByteMs
    this.#wait(this.#patienceMs)
  }

  readonly onCancelable = (cancel: (reason: Error) => void): void => {
    this.#cancel = cancel
  }

  cancel(reason: Error): void {
    this.#cancel?.(reason)
  }

  /** Something came that shows nothing: has it moved the turn on? */
  check(reader: TurnReader, now?: number): void {
    if (reader.progress === this.#seen) return
    this.#movedAt = now ?? performance.now()
    this.#look(reader)
  }

  /** While the client takes what came, at its own pace, the upstream is not to blame. */
  hold(reader: TurnReader): void {
    this.#held = true
    this.#look(reader)
  }

  #look({ progress, mayBeSilent }: TurnReader): void {
    this.#seen = progress
    const { progressMs, firstByteMs } = this.#turn
    const patienceMs = mayBeSilent ? Math.max(progressMs, firstByteMs) : progressMs
    const isShorter = patienceMs < this.#patienceMs
    this.#patienceMs = patienceMs
    if (isShorter) this.#wait(patienceMs)
  }

  release(): void {
    this.#held = false
    this.#movedAt = performance.now()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer)
    this.#dueAt = performance.now() + ms
    this.#timer = setTimeout(this.#onDue, ms)
  }

  readonly #onDue = (): void => {
    const now = performance.now()
    const remainingMs = this.#movedAt + this.#patienceMs - now
    if (this.#held || remainingMs > 0) return this.#wait(this.#held ? this.#patienceMs : remainingMs)
    // A process that was held up finds its timers due before it has read what came meanwhile.
    const lateMs = now - this.#dueAt
    if (lateMs > mostLatenessMs) return this.#wait(Math.min(lateMs, this.#patienceMs))
    this.expired = new GatewayError(
      'timeout',
      `${this.#turn.backend}: no progress from the upstream for ${this.#patienceMs / 1000} s.`,
      // The upstream has had the request for all that time: once more would be paid for once more.
      { retryable: false },
    )
    this.cancel(this.expired)
  }
}
