// The socket side: a Node server with every limit set on purpose.

import http from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { IdleConnections, idleGraceMs, RequestOrder } from './connections.ts'
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
    closeOldest: () => idle.closeOldest(),
    closeIdle: () => server.closeIdleConnections(),
    onFull,
  })
  const taken = new WeakSet<Socket>()
  const idle = new IdleConnections()
  const order = new RequestOrder((socket) => idle.add(socket))
  const server = http.createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.checkEveryMs,
      maxHeaderSize,
      keepAliveTimeout: 65_000,
    },
    (request, response) => {
      const { socket } = request
      idle.delete(socket)
      order.enter(socket, response, () => {
        lingerBehind(request, response, limits.linger)
        const exchange = nodeExchange(request, response, { crowded: crowd.isTooMany(socket) })
        const answer = taken.has(socket) ? handleTaken : handle
        // It answers its own failures; should even that fail, the client must not be left waiting.
        answer(exchange).catch(() => response.destroy())
      })
    },
  )
  server.maxConnections = maxConnections + spareConnections
  // Headers beyond a count would be dropped unseen; `maxHeaderSize` bounds them.
  server.maxHeadersCount = 0
  server.on('connection', (socket) => {
    crowd.add(socket)
    idle.addNew(socket)
    closeGently(socket)
  })
  return {
    get connections() {
      return crowd.size
    },
    get newcomers() {
      return idle.newcomers
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

interface CrowdEvents {
  /** The connection that has waited longest for a request; says whether there was one. */
  closeOldest(): boolean
  /** All that have not begun to send one. */
  closeIdle(): void
  onFull: ((connections: number) => void) | undefined
}

/** Connections, and which of them are above the limit. */
class Crowd {
  readonly #max: number
  readonly #events: CrowdEvents
  readonly #late = new WeakSet<Socket>()
  #size = 0
  #told = false
  #retry: NodeJS.Timeout | undefined

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
    this.#makeRoom()
  }

  /** Connections that are too young to be closed now may be so in a moment. */
  #makeRoom(): void {
    let tooMany = this.#size - this.#max
    while (tooMany > 0 && this.#events.closeOldest()) tooMany--
    if (tooMany <= 0) return
    this.#events.closeIdle()
    this.#retry ??= setTimeout(this.#tryAgain, idleGraceMs).unref()
  }

  readonly #tryAgain = (): void => {
    this.#retry = undefined
    this.#makeRoom()
  }

  #tell(): void {
    if (!this.#told) this.#events.onFull?.(this.#max)
    this.#told = true
  }
}
