// One port for HTTP/1.1 and HTTP/2: told apart by the HTTP/2 preface, or with TLS by ALPN.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  createServer as createHttp2Server,
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { isServedHost, misdirected } from '../host.ts'

export type AnyRequest = IncomingMessage | Http2ServerRequest
type Serve = (request: AnyRequest, response: ServerResponse | Http2ServerResponse) => void

interface ListenerOptions {
  readonly port: number
  readonly host: string
  readonly maxConcurrentStreams: number
  readonly tls: { readonly key: string; readonly cert: string } | undefined
  readonly serve: Serve
}

export interface Listener {
  readonly port: number
  readonly connections: number
  readonly peakConnections: number
  readonly frozen: boolean
  /** The TCP connection of a request, also below TLS or HTTP/2. */
  socketOf(request: AnyRequest): Socket | undefined
  freeze(): void
  thaw(): void
  /** Undefined if the connection is not frozen. */
  thawed(socket: Socket | undefined): Promise<void> | undefined
  goAway(code: number): void
  close(): Promise<void>
}

const PREFACE = 'PRI '

export async function listen(options: ListenerOptions): Promise<Listener> {
  const { tls, maxConcurrentStreams } = options
  const serve: Serve = (request, response) => {
    const host = request.headers[':authority'] ?? request.headers.host
    if (isServedHost(String(host ?? ''), options.host)) return options.serve(request, response)
    request.resume()
    response.writeHead(421, { 'content-type': 'text/plain' })
    response.end(misdirected)
  }
  const settings = { maxConcurrentStreams }
  const http1 = createServer(serve)
  const http2 = tls
    ? createSecureServer({ ...tls, allowHTTP1: true, settings }, serve)
    : createHttp2Server({ settings }, serve)
  // Longer than any client's idle pool, so that a reused connection is never closed under it.
  http1.keepAliveTimeout = 120_000
  const sockets = new Map<string, Socket>()
  const sessions = new Set<ServerHttp2Session>()
  let peakConnections = 0
  http2.on('session', (session: ServerHttp2Session) => {
    sessions.add(session)
    peakConnections = Math.max(peakConnections, sessions.size)
    session.once('close', () => sessions.delete(session))
    // A broken connection is the client's doing or a requested fault; its runs record it.
    session.on('error', () => sessions.delete(session))
  })
  const tcp = createTcpServer((socket) => {
    const key = addressOf(socket)
    sockets.set(key, socket)
    socket.once('close', () => sockets.delete(key))
    socket.on('error', () => sockets.delete(key))
    if (tls) http2.emit('connection', socket)
    else sniff(socket, (isHttp2) => (isHttp2 ? http2 : http1).emit('connection', socket))
  })
  await new Promise<void>((resolve, reject) => {
    tcp.once('error', reject)
    tcp.listen(options.port, options.host, resolve)
  })
  const ice = new Ice()
  return {
    port: (tcp.address() as AddressInfo).port,
    get connections() {
      return sessions.size
    },
    get peakConnections() {
      return peakConnections
    },
    get frozen() {
      return ice.holds
    },
    socketOf: (request) => sockets.get(addressOf(request.socket)),
    freeze: () => ice.freeze(sockets.values()),
    thaw: () => ice.thaw(),
    thawed: (socket) => ice.thawed(socket),
    goAway(code) {
      for (const session of sessions) session.goaway(code)
    },
    close: () =>
      new Promise((resolve) => {
        ice.thaw()
        tcp.close(() => resolve())
        for (const socket of sockets.values()) socket.destroy()
      }),
  }
}

/** Reads the first bytes to detect the protocol, and puts them back. */
function sniff(socket: Socket, tell: (isHttp2: boolean) => void): void {
  const read: Buffer[] = []
  const look = () => {
    const chunk: Buffer | null = socket.read()
    if (chunk !== null) read.push(chunk)
    const head = Buffer.concat(read)
    const start = head.subarray(0, PREFACE.length).toString('latin1')
    if (start.length < PREFACE.length && PREFACE.startsWith(start)) {
      socket.once('readable', look)
      return
    }
    socket.unshift(head)
    tell(start === PREFACE)
  }
  socket.once('readable', look)
}

function addressOf(socket: { remoteAddress?: string | undefined; remotePort?: number | undefined }): string {
  return `${socket.remoteAddress} ${socket.remotePort}`
}

/** The handle inside net.Socket: HTTP/2 reads from it directly, so pausing the socket stops nothing. */
type Handle = { readStop(): void; readStart(): void }

class Ice {
  readonly #held = new Map<Socket, Handle>()
  #thawed: Promise<void> | undefined
  #release: () => void = () => undefined

  get holds(): boolean {
    return this.#thawed !== undefined
  }

  /** Connections that come later are not frozen. */
  thawed(socket: Socket | undefined): Promise<void> | undefined {
    return socket !== undefined && this.#held.has(socket) ? this.#thawed : undefined
  }

  freeze(sockets: Iterable<Socket>): void {
    this.#thawed ??= new Promise((resolve) => {
      this.#release = resolve
    })
    for (const socket of sockets) {
      const handle = (socket as Socket & { _handle?: Handle })._handle
      handle?.readStop()
      if (handle) this.#held.set(socket, handle)
    }
  }

  thaw(): void {
    for (const [socket, handle] of this.#held) if (!socket.destroyed) handle.readStart()
    this.#held.clear()
    this.#thawed = undefined
    this.#release()
  }
}
