// One HTTP/2 connection of the pool: how many streams it may carry, whether its peer is alive, when it is left.
// Every emitter keeps its error listener for good: an error that comes late must find one, else it ends the process.

import http2 from 'node:http2'
import type { Socket } from 'node:net'
import type { GatewayError } from '../core/errors.ts'
import { Http2Exchange } from './http2-exchange.ts'
import type { Http2Failures } from './http2-failures.ts'
import { openSocket } from './open-socket.ts'
import { PingClock } from './ping-clock.ts'

export interface ConnectionSettings {
  url: URL
  proxy: URL | undefined
  /** All authorities to trust; the usual ones when absent. */
  ca: string[] | undefined
  connectTimeoutMs: number
  maxStreams: number
  pingIntervalMs: number
  pingTimeoutMs: number
  idleMs: number
}

export interface ConnectionEvents {
  /** It can take streams, or more of them, or takes none any more. */
  onRoom(): void
  /** It is out of use, and all its streams have failed or ended. */
  onGone(connection: Http2Connection, failure: GatewayError): void
}

/** What may come unread; at 100 ms to the peer it is still more than 1 MB a second. */
const streamWindowBytes = 128 * 1024
const connectionWindowBytes = 4 * 1024 * 1024
/** Node's own limit is 10 MB, of which a few large requests that wait for the peer's window take more. */
const maxSessionMegabytes = 1_000
/** For the last bytes of a connection without streams. */
const retireMs = 1_000

export class Http2Connection {
  readonly #settings: ConnectionSettings
  readonly #failures: Http2Failures
  readonly #events: ConnectionEvents
  readonly #exchanges = new Set<Http2Exchange>()
  readonly #connecting = new AbortController()
  readonly #connectTimer: NodeJS.Timeout
  /** Its socket is closed, or there never was one. */
  readonly closed: Promise<void>
  #onClosed: () => void = () => undefined
  #socket: Socket | undefined
  #session: http2.ClientHttp2Session | undefined
  #pings: PingClock | undefined
  #idleTimer: NodeJS.Timeout | undefined
  #peerLimit: number | undefined
  #goaway: number | undefined
  #leaving = false
  #gone = false

  constructor(settings: ConnectionSettings, failures: Http2Failures, events: ConnectionEvents) {
    this.#settings = settings
    this.#failures = failures
    this.#events = events
    this.closed = new Promise((resolve) => {
      this.#onClosed = resolve
    })
    // Covers the peer's first SETTINGS too: whoever waits for room waits no longer than this.
    this.#connectTimer = setTimeout(() => {
      const late = Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' })
      this.destroy(failures.unreachable(late))
    }, settings.connectTimeoutMs)
    this.#connect().catch((error) => this.destroy(failures.unreachable(error)))
  }

  /** It may take streams, now or as soon as it stands. */
  get usable(): boolean {
    return !this.#leaving && !this.#gone
  }

  /** How many streams it carries at most; unknown until the peer's first SETTINGS. */
  get limit(): number | undefined {
    return this.#peerLimit === undefined ? undefined : Math.min(this.#settings.maxStreams, this.#peerLimit)
  }

  get active(): number {
    return this.#exchanges.size
  }

  /** How many streams can be opened now: one while the limit is unknown. */
  get room(): number {
    const session = this.#session
    if (!this.usable || !session || session.connecting || session.closed || session.destroyed) return 0
    return Math.max(0, (this.limit ?? 1) - this.#exchanges.size)
  }

  /** Only while there is room. Throws for headers that HTTP/2 does not allow. */
  open(headers: Record<string, string>, signal: AbortSignal): Http2Exchange {
    const session = this.#session as http2.ClientHttp2Session
    // `stream.close` would send the end of the request first, as if it were complete.
    const stop = new AbortController()
    const exchange = new Http2Exchange({
      stream: session.request(headers, { endStream: false, signal: stop.signal }),
      signal,
      reset: () => stop.abort(),
      explain: (code) => (session.destroyed ? this.#explainLoss() : this.#failures.reset(code)),
      onClose: (closed) => this.#release(closed),
    })
    if (this.#exchanges.size === 0) this.#wake()
    this.#exchanges.add(exchange)
    return exchange
  }

  /** All its streams fail with this. */
  destroy(failure: GatewayError): void {
    if (this.#gone) return
    this.#gone = true
    clearTimeout(this.#connectTimer)
    clearTimeout(this.#idleTimer)
    this.#pings?.dispose()
    this.#connecting.abort(failure)
    for (const exchange of this.#exchanges) exchange.fail(failure)
    this.#session?.destroy()
    const socket = this.#socket
    if (!socket || socket.closed) this.#onClosed()
    else socket.once('close', this.#onClosed).destroy()
    this.#events.onGone(this, failure)
  }

  async #connect(): Promise<void> {
    const { url, proxy, ca } = this.#settings
    const socket = await openSocket({ url, proxy, ca, signal: this.#connecting.signal })
    socket.on('error', () => undefined)
    if (this.#gone) {
      socket.destroy()
      return
    }
    this.#socket = socket
    const session = http2.connect(url.origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: streamWindowBytes },
      maxSessionMemory: maxSessionMegabytes,
    })
    this.#session = session
    session.on('error', (error) => this.destroy(this.#explainLoss(error)))
    session.once('close', () => this.destroy(this.#explainLoss()))
    session.on('goaway', (code) => {
      this.#goaway = code
      this.#leave()
    })
    session.on('remoteSettings', ({ maxConcurrentStreams }) => this.#onSettings(maxConcurrentStreams))
    session.once('connect', () => this.#onConnect(session, socket))
  }

  #onConnect(session: http2.ClientHttp2Session, socket: Socket): void {
    if (this.#gone) return
    const { pingIntervalMs, pingTimeoutMs } = this.#settings
    // Bun 1.3 enlarges no stream's window any more once this was called: each answer would end at its first 256 KiB.
    if (!('bun' in process.versions)) session.setLocalWindowSize(connectionWindowBytes)
    this.#pings = new PingClock({
      session,
      socket,
      intervalMs: pingIntervalMs,
      timeoutMs: pingTimeoutMs,
      onSilent: () => this.destroy(this.#failures.silent(pingTimeoutMs)),
    })
    this.#rest()
    this.#events.onRoom()
  }

  #onSettings(maxConcurrentStreams = Number.POSITIVE_INFINITY): void {
    if (this.#gone) return
    const first = this.#peerLimit === undefined
    if (first && maxConcurrentStreams === 0) return this.destroy(this.#failures.noStreams())
    clearTimeout(this.#connectTimer)
    this.#peerLimit = maxConcurrentStreams
    this.#events.onRoom()
  }

  #explainLoss(error?: Error): GatewayError {
    const spokeHttp2 = this.#peerLimit !== undefined || this.#goaway !== undefined
    const saidSomething = this.#socket !== undefined && this.#socket.bytesRead > 0
    if (!spokeHttp2 && saidSomething) return this.#failures.noHttp2(error)
    return this.#failures.lost(this.#goaway, error)
  }

  #release(exchange: Http2Exchange): void {
    this.#exchanges.delete(exchange)
    if (this.#gone) return
    if (this.#exchanges.size === 0) this.#rest()
    this.#events.onRoom()
  }

  /** No stream is open: the process may end without it, and after a while it is left. */
  #rest(): void {
    this.#pings?.stop()
    this.#socket?.unref()
    if (this.#leaving) this.#retire()
    else this.#idleTimer = setTimeout(() => this.#leave(), this.#settings.idleMs).unref()
  }

  #wake(): void {
    clearTimeout(this.#idleTimer)
    this.#socket?.ref()
    this.#pings?.start()
  }

  /** Takes no new streams; those that are open go on, and with the last one it closes. */
  #leave(): void {
    if (!this.usable) return
    this.#leaving = true
    if (this.#exchanges.size === 0) this.#retire()
    this.#events.onRoom()
  }

  /** What is on its way may still go out. Node does not always get to the end of that by itself. */
  #retire(): void {
    this.#session?.close()
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(() => this.destroy(this.#explainLoss()), retireMs).unref()
  }
}
