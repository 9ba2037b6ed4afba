// The socket side: a Node server with every limit set on purpose.

import http from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type Exchange, nodeExchange } from './exchange.ts'
import { closeGently, defaultLingerLimits, type LingerLimits, lingerBehind } from './linger.ts'

export interface HttpServer {
  /** Resolves with the URL once connections are accepted. */
  listen(host: string, port: number): Promise<string>
  /** A connection that another process has accepted. */
  take(socket: Socket): void
  /** How many are open. */
  readonly connections: number
  /** How many of them are new and have yet to send what they were opened for. */
  readonly newcomers: number
  /** No new connections; resolves when the last one is gone. */
  stopAccepting(): Promise<void>
  closeIdle(): void
  closeAll(): void
}

export interface ServerLimits {
  headersTimeoutMs: number
  /** For the whole request, its body too. */
  requestTimeoutMs: number
  /** How often the two above are looked at. */
  checkEveryMs: number
  maxConnections: number
  /** So many more get an answer that says so; whoever comes then is cut off. */
  spareConnections: number
  linger: LingerLimits
}

const defaultLimits: ServerLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  checkEveryMs: 5_000,
  maxConnections: 1_000,
  spareConnections: 50,
  linger: defaultLingerLimits,
}

const maxHeaderSize = 16 * 1024

export const httpUrl = (host: string, port: number) =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`

export interface HttpServerOptions {
  limits?: Partial<ServerLimits> | undefined
  /** Called for the first request on a connection too many, and again once there has been room in between. */
  onFull?: (connections: number) => void
  /** Answers on connections that were taken; without it, they are answered like the others. */
  handleTaken?: (exchange: Exchange) => Promise<void>
}

export function createHttpServer(
  handle: (exchange: Exchange) => Promise<void>,
  { limits: given, onFull, handleTaken = handle }: HttpServerOptions = {},
): HttpServer {
  const limits = { ...defaultLimits, ...given }
  const { maxConnections, spareConnections } = limits
  const crowd = new Crowd(maxConnections, {
    // Whoever keeps a connection without using it makes room for those who would.
    makeRoom: () => server.closeIdleConnections(),
    onFull,
  })
  const taken = new WeakSet<Socket>()
  const newcomers = new Newcomers()
  const server = http.createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.checkEveryMs,
      maxHeaderSize,
      keepAliveTimeout: 65_000,
    },
    (request, response) => {
      newcomers.hasAsked(request.socket)
      lingerBehind(request, response, limits.linger)
      const exchange = nodeExchange(request, response, { crowded: crowd.isTooMany(request.socket) })
      const answer = taken.has(request.socket) ? handleTaken : handle
      // It answers its own failures; should even that fail, the client must not be left waiting.
      answer(exchange).catch(() => response.destroy())
    },
  )
  server.maxConnections = maxConnections + spareConnections
  server.on('connection', (socket) => {
    crowd.add(socket)
    newcomers.add(socket)
    closeGently(socket)
  })
  return {
    get connections() {
      return crowd.size
    },
    get newcomers() {
      return newcomers.size
    },
    take(socket) {
      // As of a connection of its own: the limit, and clients that send no more but still read.
      if (crowd.size >= maxConnections + spareConnections) return void socket.destroy()
      socket.allowHalfOpen = true
      taken.add(socket)
      server.emit('connection', socket)
    },
    async listen(host, port) {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, () => {
          server.off('error', reject)
          resolve()
        })
      })
      const { port: actual } = server.address() as AddressInfo
      return httpUrl(host, actual)
    },
    stopAccepting: () =>
      new Promise((resolve) => (server.listening ? server.close(() => resolve()) : resolve())),
    closeIdle: () => server.closeIdleConnections(),
    closeAll: () => server.closeAllConnections(),
  }
}

/** Who has not asked anything by then may never do. */
const newcomerMs = 1_000

/** Connections without a request so far, for as long as one is to be expected. */
class Newcomers {
  readonly #since = new Map<Socket, number>()

  add(socket: Socket): void {
    this.#since.set(socket, Date.now())
    socket.once('close', () => this.#since.delete(socket))
  }

  hasAsked(socket: Socket): void {
    if (this.#since.size > 0) this.#since.delete(socket)
  }

  get size(): number {
    const now = Date.now()
    return [...this.#since.values()].filter((since) => now - since < newcomerMs).length
  }
}

interface CrowdEvents {
  makeRoom(): void
  onFull: ((connections: number) => void) | undefined
}

/** Connections, and which of them are above the limit. */
class Crowd {
  readonly #max: number
  readonly #events: CrowdEvents
  readonly #late = new WeakSet<Socket>()
  #size = 0
  #told = false

  constructor(max: number, events: CrowdEvents) {
    this.#max = max
    this.#events = events
  }

  get size(): number {
    return this.#size
  }

  /** Asked when a request comes: there may be room by then. */
  isTooMany(socket: Socket): boolean {
    if (!this.#late.has(socket)) return false
    if (this.#size <= this.#max) this.#late.delete(socket)
    else this.#tell()
    return this.#late.has(socket)
  }

  add(socket: Socket): void {
    this.#size++
    socket.once('close', () => {
      this.#size--
      if (this.#size < this.#max) this.#told = false
    })
    if (this.#size <= this.#max) return
    this.#late.add(socket)
    this.#events.makeRoom()
  }

  #tell(): void {
    if (!this.#told) this.#events.onFull?.(this.#max)
    this.#told = true
  }
}
