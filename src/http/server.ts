// The Node HTTP server, with every limit set on purpose.

import http from 'node:http'
import net, { type AddressInfo, type Socket } from 'node:net'
import { IdleConnections, idleGraceMs, RequestOrder } from './connections.ts'
import { type Exchange, nodeExchange, tidyPath } from './exchange.ts'
import { closeGently, defaultLingerLimits, type LingerLimits, lingerAfter } from './linger.ts'
import { asksForWebSocket, withoutUpgrade } from './websocket/upgrade.ts'

export interface HttpServer {
  /** Resolves with the URL once connections are accepted. */
  listen(host: string, port: number): Promise<string>
  /** Listens on one more address, with the same limits for both together. Resolves with its URL. */
  listenToo(host: string, port: number): Promise<string>
  /** Takes over a connection that another process accepted. */
  take(socket: Socket): void
  /** Open connections. */
  readonly connections: number
  /** New connections whose first request is still expected. */
  readonly newcomers: number
  /** Accepts no new connections; resolves when the last one has closed. */
  stopAccepting(): Promise<void>
  closeIdle(): void
  closeAll(): void
}

export interface ServerLimits {
  headersTimeoutMs: number
  /** For the whole request, body included. */
  requestTimeoutMs: number
  /** How often the two timeouts are checked. */
  checkEveryMs: number
  maxConnections: number
  /** Connections above the limit that still get an error response; further ones are closed. */
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

/** A connection that is no longer HTTP. `head`: the bytes that arrived after its request. */
export interface TakenSocket {
  socket: Socket
  head: Buffer
}

/** Requests for a WebSocket. */
export interface Upgrades {
  /** False: the request is answered over HTTP, as if it did not ask for a WebSocket. */
  takes(path: string): boolean
  /** `take` gives the connection to the handler. A handler that does not call `take` answers over HTTP. */
  handle(exchange: Exchange, take: () => TakenSocket): Promise<void>
}

interface HttpServerOptions {
  limits?: Partial<ServerLimits> | undefined
  /** Called for the first request on a connection above the limit; again only after the number was below it. */
  onFull?: (connections: number) => void
  /** Handles requests on connections from `take`; defaults to the other handler. */
  handleTaken?: (exchange: Exchange) => Promise<void>
  upgrades?: Upgrades | undefined
}

export function createHttpServer(
  handle: (exchange: Exchange) => Promise<void>,
  { limits: given, onFull, handleTaken = handle, upgrades }: HttpServerOptions = {},
): HttpServer {
  const limits = { ...defaultLimits, ...given }
  const crowd = new Crowd(limits.maxConnections, {
    closeOldest: () => idle.closeOldest(),
    closeIdle: () => server.closeIdleConnections(),
    onFull,
  })
  const taken = new WeakSet<Socket>()
  const idle = new IdleConnections()
  const order = new RequestOrder((socket) => idle.add(socket))
  const server = serverOf(limits, (request, response) => {
    const { socket } = request
    idle.delete(socket)
    order.enter(socket, response, () => {
      lingerAfter(request, response, limits.linger)
      const exchange = nodeExchange(request, response, { crowded: crowd.isTooMany(socket) })
      const answer = taken.has(socket) ? handleTaken : handle
      // The handler answers its own failures. If that fails too, the client must not wait for ever.
      answer(exchange).catch(() => response.destroy())
    })
  })
  const again = new WeakSet<Socket>()
  const upgraded = new Set<Socket>()
  const onUpgrade = (request: http.IncomingMessage, socket: Socket, head: Buffer) => {
    if (order.isBusy(socket)) return void socket.destroy()
    const path = tidyPath((request.url ?? '/').split('?')[0] ?? '/')
    const isForClients = handleTaken === handle || taken.has(socket)
    if (!isForClients || !asksForWebSocket(request) || !upgrades?.takes(path)) {
      again.add(socket)
      socket.unshift(Buffer.concat([withoutUpgrade(request), head]))
      return void server.emit('connection', socket)
    }
    idle.delete(socket)
    const response = answerOn(socket, request)
    const exchange = nodeExchange(request, response, { crowded: crowd.isTooMany(socket) })
    const take = () => {
      response.detachSocket(socket)
      upgraded.add(socket)
      socket.once('close', () => upgraded.delete(socket))
      return { socket, head }
    }
    upgrades.handle(exchange, take).catch(() => socket.destroy())
  }
  if (upgrades) server.on('upgrade', onUpgrade)
  server.on('connection', (socket) => {
    if (again.has(socket)) return
    crowd.add(socket)
    idle.addNew(socket)
    closeGently(socket)
  })
  const take = (socket: Socket) => {
    // As for an accepted connection: the limit applies, and a client that has finished sending may still read.
    if (crowd.size >= server.maxConnections) return void socket.destroy()
    socket.allowHalfOpen = true
    taken.add(socket)
    server.emit('connection', socket)
  }
  const second = net.createServer({ allowHalfOpen: true, noDelay: true }, take)
  return {
    get connections() {
      return crowd.size
    },
    get newcomers() {
      return idle.newcomers
    },
    take,
    listen: (host, port) => listenOn(server, host, port),
    listenToo: (host, port) => listenOn(second, host, port),
    stopAccepting: () => allClosed([server, second]),
    closeIdle: () => server.closeIdleConnections(),
    closeAll() {
      for (const socket of upgraded) socket.destroy()
      server.closeAllConnections()
    },
  }
}

async function allClosed(servers: readonly net.Server[]): Promise<void> {
  await Promise.all(servers.map(closed))
}

function serverOf(limits: ServerLimits, onRequest: http.RequestListener): http.Server {
  const timeouts = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.checkEveryMs,
    keepAliveTimeout: 65_000,
  }
  const server = http.createServer({ ...timeouts, maxHeaderSize }, onRequest)
  server.maxConnections = limits.maxConnections + limits.spareConnections
  // No limit by count: Node drops the headers beyond it silently. `maxHeaderSize` bounds them.
  server.maxHeadersCount = 0
  return server
}

/** Resolves with the URL. */
async function listenOn(server: net.Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const { port: actual } = server.address() as AddressInfo
  return httpUrl(host, actual)
}

const closed = (server: net.Server) =>
  new Promise<void>((resolve) => (server.listening ? server.close(() => resolve()) : resolve()))

/** The response on a connection that Node no longer manages, after `upgrade`. The connection ends with the response. */
function answerOn(socket: Socket, request: http.IncomingMessage): http.ServerResponse {
  socket.on('error', () => socket.destroy())
  const response = new http.ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket)
  response.once('finish', () => socket.destroySoon())
  return response
}

interface CrowdEvents {
  /** Closes the longest idle connection; returns whether there was one. */
  closeOldest(): boolean
  /** Closes all connections without a request. */
  closeIdle(): void
  onFull: ((connections: number) => void) | undefined
}

/** Counts connections, and knows which are above the limit. */
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

  /** Checked when a request arrives: there may be room by then. */
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

  /** Connections that are too young to close now are tried again after `idleGraceMs`. */
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
