// Calls the instance that holds a session. It either answers or counts as gone: every protocol failure means gone, so the
// conversation can continue elsewhere.

import { BoundedMap } from '../base/bounded-map.ts'
import { isObject, parseJson } from '../base/json.ts'
import type { Delivery } from '../core/backend.ts'
import { GatewayError } from '../core/errors.ts'
import { isTerminal } from '../core/events.ts'
import type { Log } from '../observe/log.ts'
import { createUpstreamClient, type UpstreamClient, type UpstreamResponse } from '../upstream/client.ts'
import { RelayLines } from './relay-lines.ts'
import {
  inspectorPath,
  type KeptTexts,
  type RelayedInspection,
  type RelayedResponse,
  type RelayedResults,
  type RelayedTurn,
  type RelayLine,
  readDeliveries,
  readKeptTexts,
  readLine,
  responsesPath,
  resultsPath,
  turnsPath,
  writeMessage,
} from './relay-messages.ts'
import { peerHeader, signRequest } from './signature.ts'

/** The instance no longer has the session, or cannot be reached. */
export class PeerGone extends Error {
  override readonly name = 'PeerGone'
  /** The instance has the session, but keeps it for another request. */
  readonly kept: boolean
  readonly answered: boolean

  constructor(message: string, options: { cause?: unknown; kept?: boolean; answered?: boolean } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.kept = options.kept ?? false
    this.answered = options.answered ?? false
  }
}

interface RelayClientOptions {
  secret: string
  log: Log
  /** The timeout for the start of the answer. An instance starts before it has events. */
  openMs?: number
  /** The timeout between two lines of an answer. */
  silenceMs?: number
}

const connectTimeoutMs = 2_000
/** Long conversations need time to be sent and read. */
const slowestBytesPerMs = 5_000
const longestLineBytes = 32 * 1024 * 1024
const longestShortAnswer = 1024 * 1024
/** The limit of answers that an instance stores, encoded as JSON twice. */
const longestKept = 128 * 1024 * 1024
const drainMs = 1_000
const warnAgainMs = 60_000
/** The limit of pools; an instance that is gone leaves only an idle one. */
const maxPeers = 64

export class RelayClient {
  readonly #options: RelayClientOptions
  readonly #openMs: number
  readonly #silenceMs: number
  readonly #peers = new BoundedMap<string, UpstreamClient>({
    maxEntries: maxPeers,
    // Its running requests may end.
    onEvicted: (peer) => void peer.close().catch(() => undefined),
  })
  #warnedAt = Number.NEGATIVE_INFINITY

  constructor(options: RelayClientOptions) {
    this.#options = options
    this.#openMs = options.openMs ?? 5_000
    this.#silenceMs = options.silenceMs ?? 15_000
  }

  /** The lines of the answer. Throws `PeerGone`, or the reason of `signal`. */
  async *turn(url: string, message: RelayedTurn, signal: AbortSignal): AsyncGenerator<RelayLine> {
    const body = writeMessage(message)
    const silence = new SilenceClock(this.#patienceFor(body), signal)
    let answer: UpstreamResponse | undefined
    let complete = false
    try {
      answer = await silence.while(this.#post(url, turnsPath, body, silence.signal))
      if (answer.status !== 200) throw await silence.while(this.#refusal(url, answer))
      silence.setPatience(this.#silenceMs)
      const lines = new RelayLines(longestLineBytes)
      for (;;) {
        const bytes = await silence.while(answer.body.read())
        if (bytes === null) break
        for (const text of lines.push(bytes)) {
          // The client is gone: discard what was read.
          if (signal.aborted) throw GatewayError.ofAbort(signal)
          const line = readOrThrow(text)
          complete ||= 'events' in line && line.events.some(isTerminal)
          yield line
        }
      }
    } catch (error) {
      if (signal.aborted) throw GatewayError.ofAbort(signal)
      throw error instanceof PeerGone
        ? error
        : new PeerGone('the connection to the instance broke', { cause: error })
    } finally {
      silence.stop()
      // Only the end of the body follows the last event. Cancelling there would look like a client that left.
      if (complete) answer?.body.drain(drainMs)
      else answer?.body.cancel(new Error('no longer wanted'))
    }
  }

  /** Throws `PeerGone`. */
  async results(url: string, message: RelayedResults): Promise<Delivery[]> {
    try {
      const body = writeMessage(message)
      const signal = AbortSignal.timeout(this.#patienceFor(body))
      const answer = await this.#post(url, resultsPath, body, signal)
      if (answer.status !== 200) throw await this.#refusal(url, answer)
      const { bytes } = await answer.body.readAll(longestShortAnswer)
      const deliveries = readDeliveries(parseJson(bytes.toString('utf8')))
      if (!deliveries) throw new PeerGone('the instance sent an unexpected answer')
      return deliveries
    } catch (error) {
      throw error instanceof PeerGone
        ? error
        : new PeerGone('the connection to the instance broke', { cause: error })
    }
  }

  /** Undefined if the response is not stored there. Throws `PeerGone`. */
  async response(url: string, message: RelayedResponse): Promise<KeptTexts | undefined> {
    try {
      const signal = AbortSignal.timeout(this.#silenceMs)
      const answer = await this.#post(url, responsesPath, writeMessage(message), signal)
      if (answer.status !== 200 && answer.status !== 404) throw await this.#refusal(url, answer)
      const { bytes } = await answer.body.readAll(longestKept)
      if (answer.status === 404) return undefined
      const kept = readKeptTexts(parseJson(bytes.toString('utf8')))
      if (!kept) throw new PeerGone('the instance sent an unexpected answer')
      return kept
    } catch (error) {
      throw error instanceof PeerGone
        ? error
        : new PeerGone('the connection to the instance broke', { cause: error })
    }
  }

  /** The answer of the instance's inspector, as it comes. */
  inspect(url: string, message: RelayedInspection, signal: AbortSignal): Promise<UpstreamResponse> {
    return this.#post(url, inspectorPath, JSON.stringify(message), signal)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#peers.values()].map((peer) => peer.close()))
    this.#peers.clear()
  }

  #patienceFor(body: string): number {
    return this.#openMs + Math.ceil(body.length / slowestBytesPerMs)
  }

  async #post(url: string, path: string, body: string, signal: AbortSignal): Promise<UpstreamResponse> {
    return this.#peer(url).request({
      method: 'POST',
      path,
      headers: {
        'content-type': 'application/json',
        [peerHeader]: signRequest(this.#options.secret, { method: 'POST', path, body }),
      },
      body,
      signal,
    })
  }

  #peer(url: string): UpstreamClient {
    const known = this.#peers.get(url)
    if (known) return known
    const peer = createUpstreamClient(url, { name: 'peer', timeoutMs: connectTimeoutMs })
    this.#peers.set(url, peer)
    return peer
  }

  async #refusal(url: string, { status, body }: UpstreamResponse): Promise<PeerGone> {
    const { bytes } = await body.readAll(longestShortAnswer)
    const said = parseJson(bytes.toString('utf8'))
    if (status === 401) this.#warnOfRefusal(url)
    return new PeerGone(`the instance answered ${status}`, {
      answered: status === 410,
      kept: status === 410 && isObject(said) && said.kept === true,
    })
  }

  /** Warns at intervals: every turn would warn until the settings are corrected. */
  #warnOfRefusal(url: string): void {
    if (performance.now() - this.#warnedAt < warnAgainMs) return
    this.#warnedAt = performance.now()
    this.#options.log.warn(
      'another instance refused the signature; check that "sessions.peerSecret" and the clocks agree',
      { url },
    )
  }
}

function readOrThrow(text: string): RelayLine {
  const line = readLine(text)
  if (line) return line
  throw new PeerGone('the instance sent a line that cannot be parsed')
}

/**
 * A silence timeout that runs only while a line is awaited: a slow client of this instance is not the peer's silence. One timer at
 * a time.
 */
class SilenceClock {
  readonly #silent = new AbortController()
  #timer: NodeJS.Timeout
  readonly signal: AbortSignal
  #waiting = false

  constructor(patienceMs: number, outer: AbortSignal) {
    this.signal = AbortSignal.any([outer, this.#silent.signal])
    this.#timer = this.#start(patienceMs)
  }

  setPatience(patienceMs: number): void {
    this.stop()
    this.#timer = this.#start(patienceMs)
  }

  async while<T>(wait: Promise<T>): Promise<T> {
    this.#waiting = true
    this.#timer.refresh()
    try {
      return await wait
    } finally {
      this.#waiting = false
    }
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #start(patienceMs: number): NodeJS.Timeout {
    const timer = setTimeout(() => {
      if (this.#waiting) this.#silent.abort(new Error('silent'))
      else timer.refresh()
    }, patienceMs)
    return timer
  }
}
