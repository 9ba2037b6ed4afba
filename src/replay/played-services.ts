// The HTTP services of a tape, in place of connections: each request gets its recorded response, read by read.

import { setImmediate as nextRound } from 'node:timers/promises'
import { errorFrom } from '../core/error-facts.ts'
import type { UpstreamFrame } from '../tapes/frame.ts'
import type { PlayedDispatcher, PlayedHandler } from '../upstream/played.ts'
import { arrivalMs, type Playback } from './playback.ts'
import type { ScriptedExchange, Step } from './script.ts'

/** Headers of the connection, and lengths that masked secrets may have changed. */
const ownHeaders = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'])

export class PlayedServices implements PlayedDispatcher {
  readonly #playback: Playback

  constructor(playback: Playback) {
    this.#playback = playback
  }

  dispatch({ path, method }: { path: string; method: string }, handler: PlayedHandler): boolean {
    const exchange = this.#next(method, path)
    const player = new ExchangePlayer(handler, this.#playback)
    void (exchange ? player.play(exchange) : this.#refuse(player, method, path))
    return true
  }

  async destroy(): Promise<void> {
    // There are no connections.
  }

  #next(method: string, path: string): ScriptedExchange | undefined {
    const found = this.#playback.attempt?.exchanges.find(
      (one) => !one.isTaken && one.method === method && withoutQuery(one.path) === withoutQuery(path),
    )
    if (found) found.isTaken = true
    return found
  }

  /** Answers a request that the tape lacks: the recorded attempt failed in the gateway first, or the turn never sent it. */
  async #refuse(player: ExchangePlayer, method: string, path: string): Promise<void> {
    const { attempt } = this.#playback
    const failure = attempt?.failure
    if (path.endsWith(newChatPath)) return player.answer(200, newChat)
    // Model listings and similar requests are no part of a turn.
    if (method !== 'POST' || isProcedure.test(path)) return player.answer(404, notOnTape)
    if (failure) return player.fail(errorFrom(failure.message, { ...failure.error }))
    this.#playback.remark(`the gateway requested ${path} more often than on the tape`)
    return player.answer(404, notOnTape)
  }
}

/** A unary call of Cursor's services. */
const isProcedure = /Service\/\w+$/
const withoutQuery = (path: string) => path.split('?', 1)[0]
const notOnTape = '{"error":"not on the tape"}'

/** The recorded turn may have used an existing chat: then the tape has no request that creates one. */
const newChatPath = '/api/v2/chats/new'
const newChat = JSON.stringify({ success: true, data: { id: 'replayed' } })

/** Plays one response. */
class ExchangePlayer {
  readonly #handler: PlayedHandler
  readonly #playback: Playback
  #isOver = false
  /** True while the reader has not taken the bytes of a read. */
  #isPaused = false
  #onResume: () => void = () => undefined

  constructor(handler: PlayedHandler, playback: Playback) {
    this.#handler = handler
    this.#playback = playback
  }

  get aborted(): boolean {
    return this.#isOver
  }

  get paused(): boolean {
    return this.#isPaused
  }

  readonly reason = null

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.#onResume()
  }

  abort(reason: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    this.resume()
    this.#playback.source.notify()
    queueMicrotask(() => this.#handler.onResponseError(this, reason))
  }

  async answer(status: number, body: string): Promise<void> {
    await this.#begin()
    if (this.#isOver) return
    this.#handler.onResponseStart(this, status, { 'content-type': 'application/json' })
    this.#handler.onResponseData(this, Buffer.from(body))
    this.#end()
  }

  async fail(error: Error): Promise<void> {
    await this.#begin()
    this.#fail(error)
  }

  async play({ place, steps, isExact }: ScriptedExchange): Promise<void> {
    this.#playback.reach(place)
    await this.#begin()
    let lastAt: number | undefined
    for (const { read, place: at } of readsOf(steps, isExact)) {
      const [{ frame }] = read as [Step<UpstreamFrame>]
      await this.#playback.pause(lastAt === undefined ? 0 : frame.at - lastAt)
      lastAt = frame.at
      if (this.#isOver) return
      this.#playback.reach(at)
      if (frame.do === 'response') this.#handler.onResponseStart(this, frame.status, headersOf(frame.headers))
      else if (frame.do === 'data') await this.#give(read)
      else if (frame.do === 'end') return this.#end()
      else if (frame.do === 'error') return this.#break(frame)
      await nextRound()
    }
    // The recorded turn ended before this exchange did.
    this.#playback.reachEnd()
  }

  async #begin(): Promise<void> {
    this.#handler.onRequestStart(this, {})
    await nextRound()
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#handler.onResponseEnd(this, {})
  }

  #fail(error: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#handler.onResponseError(this, error)
  }

  /** Resolves once the reader has taken the bytes. */
  async #give(read: readonly Step<UpstreamFrame>[]): Promise<void> {
    const { source } = this.#playback
    const deltas = source.textDeltas
    this.#isPaused = true
    this.#handler.onResponseData(this, Buffer.concat(read.map(({ frame }) => bytesOf(frame))))
    // On the fast path the reader does not resume: a counted text delta shows that it has the bytes.
    if (source.textDeltas > deltas) this.#isPaused = false
    if (!this.#isPaused) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, arrivalMs)
      this.#onResume = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#onResume = () => undefined
    this.#isPaused = false
  }

  /** Repeats the recorded end of an exchange: a failed connection, or a failure of the gateway's own. A canceled exchange just stops. */
  #break({ message, cause = causeIn(message), error }: Extract<UpstreamFrame, { do: 'error' }>): void {
    if (cause !== undefined) return this.#fail(Object.assign(new Error(cause), { code: cause }))
    const isSilence = error === undefined && /\bno progress\b/.test(message)
    const facts = isSilence ? ({ code: 'timeout' } as const) : error
    if (facts && facts.code !== 'canceled') return this.#fail(errorFrom(message, facts))
    this.#playback.reachEnd()
  }
}

/** Old tapes have the cause only in the message. */
const causeIn = (message: string) =>
  /(?:could not be reached|broke before the answer was complete) \((\w+)\)/.exec(message)?.[1]

interface Read {
  place: Step<UpstreamFrame>['place']
  read: Step<UpstreamFrame>[]
}

/** The pieces of each read. Old tapes do not mark joined pieces: there, pieces of the same moment count as one read. */
function readsOf(steps: readonly Step<UpstreamFrame>[], isExact: boolean): Read[] {
  const reads: Read[] = []
  for (const step of steps) {
    const last = reads.at(-1)
    const before = last?.read.at(-1)
    if (last && before && isJoined(step, before, isExact)) {
      last.read.push(step)
      last.place = step.place
    } else reads.push({ place: step.place, read: [step] })
  }
  return reads
}

function isJoined(
  { frame, place }: Step<UpstreamFrame>,
  before: Step<UpstreamFrame>,
  isExact: boolean,
): boolean {
  if (frame.do !== 'data' || before.frame.do !== 'data') return false
  if (isExact) return frame.joined === true
  return frame.at === before.frame.at && place.frame === before.place.frame + 1
}

function bytesOf(frame: UpstreamFrame): Buffer {
  if ('text' in frame) return Buffer.from(frame.text)
  return 'base64' in frame ? Buffer.from(frame.base64, 'base64') : Buffer.alloc(0)
}

const headersOf = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.has(name.toLowerCase())))
