// HTTP/2 connections to one origin, as many as the open streams need. Streams may stay open for minutes (a run that waits
// for its tools), so one connection is soon full: nobody waits for another's stream to end, a further connection is opened
// instead. No request is ever sent twice, and no redirect followed.

import { GatewayError } from '../core/errors.ts'
import { type ConnectOptions, trustedAuthorities } from './client.ts'
import { refuseForbidden } from './guard-address.ts'
import { type ConnectionSettings, Http2Connection } from './http2-connection.ts'
import type { Http2Exchange } from './http2-exchange.ts'
import { Http2Failures } from './http2-failures.ts'
import { proxyOfEnvironment } from './open-socket.ts'

export interface Http2PoolOptions extends ConnectOptions {
  /** For the connection and the peer's first SETTINGS together. */
  connectTimeoutMs?: number
  /** Per connection, if the peer allows as many. */
  maxStreams?: number
  /** Beyond this many connections `open` refuses. */
  maxConnections?: number
  pingIntervalMs?: number
  /** Never much below 5 s: opening hundreds of streams keeps an event loop busy for longer than a ping takes. */
  pingTimeoutMs?: number
  /** How long a connection without streams is kept. */
  idleMs?: number
}

export interface Http2Pool {
  readonly origin: string
  /** Connections that stand or are being made. */
  readonly connections: number
  /** Resolves as soon as the request's headers are on their way; rejects with a GatewayError. */
  open(headers: Record<string, string>, options: { signal: AbortSignal }): Promise<Http2Exchange>
  /** Open streams fail; resolves when all sockets are closed. */
  close(): Promise<void>
}

interface Waiter {
  headers: Record<string, string>
  signal: AbortSignal
  resolve(exchange: Http2Exchange): void
  reject(error: GatewayError): void
}

const defaultMaxConnections = 64

/** https by ALPN, http:// by prior knowledge. */
export function createHttp2Pool(origin: string, options: Http2PoolOptions = {}): Http2Pool {
  const url = new URL(origin)
  refuseForbidden(url.hostname)
  const proxy =
    options.proxy === undefined
      ? options.environmentProxy
        ? proxyOfEnvironment(url)
        : undefined
      : new URL(options.proxy)
  const settings: ConnectionSettings = {
    url,
    proxy,
    ca: trustedAuthorities(options.caFiles ?? []),
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    maxStreams: options.maxStreams ?? 80,
    pingIntervalMs: options.pingIntervalMs ?? 10_000,
    pingTimeoutMs: options.pingTimeoutMs ?? 5_000,
    idleMs: options.idleMs ?? 60_000,
  }
  const failures = new Http2Failures({
    name: options.name === undefined ? '' : `${options.name}: `,
    host: url.host,
    proxied: proxy !== undefined,
  })
  return new Pool(settings, failures, options.maxConnections ?? defaultMaxConnections)
}

class Pool implements Http2Pool {
  readonly origin: string
  readonly #settings: ConnectionSettings
  readonly #failures: Http2Failures
  readonly #maxConnections: number
  readonly #connections = new Set<Http2Connection>()
  readonly #waiters = new Set<Waiter>()
  /** What a new connection will carry, as far as the earlier ones tell. */
  #expectedLimit: number
  #closed = false

  constructor(settings: ConnectionSettings, failures: Http2Failures, maxConnections: number) {
    this.origin = settings.url.origin
    this.#settings = settings
    this.#failures = failures
    this.#maxConnections = maxConnections
    this.#expectedLimit = settings.maxStreams
  }

  get connections(): number {
    return this.#connections.size
  }

  async open(headers: Record<string, string>, { signal }: { signal: AbortSignal }): Promise<Http2Exchange> {
    if (signal.aborted) throw GatewayError.ofAbort(signal)
    if (this.#closed) throw this.#failures.closed()
    return new Promise((resolve, reject) => {
      const onAbort = () => waiter.reject(GatewayError.ofAbort(signal))
      const settle = () => {
        this.#waiters.delete(waiter)
        signal.removeEventListener('abort', onAbort)
      }
      const waiter: Waiter = {
        headers,
        signal,
        resolve: (exchange) => {
          settle()
          resolve(exchange)
        },
        reject: (error) => {
          settle()
          reject(error)
        },
      }
      signal.addEventListener('abort', onAbort, { once: true })
      this.#waiters.add(waiter)
      this.#dispatch()
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    const failure = this.#failures.closed()
    for (const waiter of this.#waiters) waiter.reject(failure)
    const connections = [...this.#connections]
    for (const connection of connections) connection.destroy(failure)
    await Promise.all(connections.map(({ closed }) => closed))
  }

  #dispatch(): void {
    for (const connection of this.#connections) this.#fill(connection)
    if (this.#closed) return
    let missing = this.#waiters.size - this.#expectedRoom()
    while (missing > 0 && this.#connections.size < this.#maxConnections) {
      this.#connect()
      missing -= this.#expectedLimit
    }
    // Better refused than kept waiting for a run of unknown length to end: the latest first.
    if (missing > 0) {
      const failure = this.#failures.full(this.#connections.size, this.#activeStreams())
      for (const waiter of [...this.#waiters].slice(-missing)) waiter.reject(failure)
    }
  }

  #fill(connection: Http2Connection): void {
    for (const waiter of this.#waiters) {
      if (connection.room === 0) return
      try {
        waiter.resolve(connection.open(waiter.headers, waiter.signal))
      } catch (error) {
        // A connection that closes in this moment has no room any more; anything else is about these headers.
        if (connection.room > 0) waiter.reject(GatewayError.from(error))
      }
    }
  }

  /** Streams that connections on their way will take, as far as one can tell. */
  #expectedRoom(): number {
    let room = 0
    for (const connection of this.#connections) {
      if (connection.usable && connection.limit === undefined)
        room += Math.max(0, this.#expectedLimit - connection.active)
    }
    return room
  }

  #activeStreams(): number {
    let active = 0
    for (const connection of this.#connections) active += connection.active
    return active
  }

  #connect(): void {
    const connection: Http2Connection = new Http2Connection(this.#settings, this.#failures, {
      onRoom: () => {
        if (connection.limit !== undefined) this.#expectedLimit = Math.max(1, connection.limit)
        this.#dispatch()
      },
      onGone: (gone, failure) => this.#onGone(gone, failure),
    })
    this.#connections.add(connection)
  }

  #onGone(connection: Http2Connection, failure: GatewayError): void {
    this.#connections.delete(connection)
    // It was being made for these; trying again is for their callers to decide.
    const lost = connection.limit === undefined ? this.#expectedLimit : 0
    for (const waiter of [...this.#waiters].slice(0, lost)) waiter.reject(failure)
    this.#dispatch()
  }
}
