// One HTTP/2 connection of the pool: its stream limit, the liveness of its peer, and its retirement.
// Every emitter keeps its error listener forever: a late error without a listener would end the process.

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
  /** All trusted certificate authorities; Node's own if absent. */
  ca: string[] | undefined
  connectTimeoutMs: number
  maxStreams: number
  pingIntervalMs: number
  pingTimeoutMs: number
  idleMs: number
}

interface ConnectionEvents {
  /** The number of streams that it can take has changed. */
  onRoom(): void
  /** The connection is closed, and all its streams have failed or ended. */
  onGone(connection: Http2Connection, failure: GatewayError): void
}

/** Unread bytes per stream. With a round trip of 100 ms this still allows more than 1 MB per second. */
const streamWindowBytes = 128 * 1024
const connectionWindowBytes = 4 * 1024 * 1024
/** Node's default is 10 MB. A few large requests that wait for the peer's window exceed it. */
const maxSessionMegabytes = 1_000
/** The time for the last bytes of a connection without streams. */
const retireMs = 1_000

export class Http2Connection {
  readonly #settings: ConnectionSettings
  readonly #failures: Http2Failures
  readonly #events: ConnectionEvents
  readonly #exchanges = new Set<Http2Exchange>()
  readonly #connecting = new AbortController()
  readonly #connectTimer: NodeJS.Timeout
  /** Resolves when the socket is closed, or if there was none. */
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
    // Includes the peer's first SETTINGS, so that requests in the queue wait no longer than this.
    this.#connectTimer = setTimeout(() => {
      const late = Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' })
      this.destroy(failures.unreachable(late))
    }, settings.connectTimeoutMs)
    this.#connect().catch((error) => this.destroy(failures.unreachable(error)))
  }

  /** It takes streams, now or once it is connected. */
  get usable(): boolean {
    return !this.#leaving && !this.#gone
  }

  /** The stream limit; unknown until the peer's first SETTINGS. */
  get limit(): number | undefined {
    return this.#peerLimit === undefined ? undefined : Math.min(this.#settings.maxStreams, this.#peerLimit)
  }

  get active(): number {
    return this.#exchanges.size
  }

  /** The number of streams that can be opened now: one while the limit is unknown. */
  get room(): number {
    const session = this.#session
    if (!this.usable || !session || session.connecting || session.closed || session.destroyed) return 0
    return Math.max(0, (this.limit ?? 1) - this.#exchanges.size)
  }

  /** Call only if there is room. Throws for headers that HTTP/2 does not allow. */
  open(headers: Record<string, string>, signal: AbortSignal): Http2Exchange {
    const session = this.#session as http2.ClientHttp2Session
    // Not `stream.close`: it would send the end of the request first, as if the request were complete.
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

  /** Closes the connection. All its streams fail with `failure`. */
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
    // After this call Bun 1.3 no longer enlarges the window of any stream: each answer would stop after 256 KiB.
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

  /** No stream is open: the connection does not keep the process alive, and is retired after the idle time. */
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

  /** Takes no new streams. Open streams continue, and the connection closes with the last one. */
  #leave(): void {
    if (!this.usable) return
    this.#leaving = true
    if (this.#exchanges.size === 0) this.#retire()
    this.#events.onRoom()
  }

  /** Pending bytes may still be sent. Node does not always finish that by itself, so there is a timeout. */
  #retire(): void {
    this.#session?.close()
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(() => this.destroy(this.#explainLoss()), retireMs).unref()
  }
}
