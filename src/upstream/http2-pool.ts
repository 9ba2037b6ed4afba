// Pool of HTTP/2 connections to one origin. Streams may stay open for minutes (a run that waits for its tools), so a connection is soon
// full. The pool then opens another connection instead of waiting for a stream to end. It never sends a request twice and follows no
// redirects.

import { GatewayError } from '../core/errors.ts'
import { type ConnectOptions, trustedAuthorities } from './client.ts'
import { refuseForbidden } from './guard-address.ts'
import { type ConnectionSettings, Http2Connection } from './http2-connection.ts'
import type { Http2Exchange } from './http2-exchange.ts'
import { Http2Failures } from './http2-failures.ts'
import { proxyOfEnvironment } from './open-socket.ts'

export interface Http2PoolOptions extends ConnectOptions {
  /** Timeout for the connection and the peer's first SETTINGS together. */
  connectTimeoutMs?: number
  /** Per connection; the peer may allow fewer. */
  maxStreams?: number
  /** `open` rejects when all these connections are full. */
  maxConnections?: number
  pingIntervalMs?: number
  /** Not much below 5 s: opening hundreds of streams blocks an event loop for longer than a ping takes. */
  pingTimeoutMs?: number
  /** Idle time after which a connection without streams is closed. */
  idleMs?: number
}

interface Http2Pool {
  readonly origin: string
  /** Connections that are open or being opened. */
  readonly connections: number
  /** Resolves when the request's headers are being sent; rejects with a GatewayError. */
  open(headers: Record<string, string>, options: { signal: AbortSignal }): Promise<Http2Exchange>
  /** Fails open streams; resolves when all sockets are closed. */
  close(): Promise<void>
}

interface Waiter {
  headers: Record<string, string>
  signal: AbortSignal
  resolve(exchange: Http2Exchange): void
  reject(error: GatewayError): void
}

const defaultMaxConnections = 64

/** https uses ALPN, http uses prior knowledge. */
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
  /** The expected stream limit of a new connection, from earlier ones. */
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
    // Requests without room are rejected, the latest first: nothing tells when a running stream will end.
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
        // A connection that is just closing has no room left. Any other error is caused by these headers.
        if (connection.room > 0) waiter.reject(GatewayError.from(error))
      }
    }
  }

  /** The expected number of streams for connections that are being opened. */
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
    // A connection that was being opened fails the requests that waited for it; their callers decide on a retry.
    const lost = connection.limit === undefined ? this.#expectedLimit : 0
    for (const waiter of [...this.#waiters].slice(0, lost)) waiter.reject(failure)
    this.#dispatch()
  }
}
