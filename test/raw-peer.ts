// Servers for tests that speak HTTP/2 or HTTP/1.1 without knowing what is right: they can stop in the middle of anything.

import http from 'node:http'
import http2 from 'node:http2'
import net, { type AddressInfo } from 'node:net'
import { atTestEnd } from './at-end.ts'

/** Done when the test is through, latest first. */
export const afterTest = <T>(value: T, cleanup: (value: T) => unknown): T => {
  atTestEnd(() => cleanup(value))
  return value
}

export interface Peer {
  url: string
  sockets: Set<net.Socket>
}

export async function listen(server: net.Server): Promise<Peer> {
  const sockets = new Set<net.Socket>()
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterTest(server, () => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets }
}

export interface Http2Peer extends Peer {
  sessions: http2.ServerHttp2Session[]
  streams: http2.ServerHttp2Stream[]
}

export type OnStream = (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => void

export async function startHttp2(onStream: OnStream, settings: http2.Settings = {}): Promise<Http2Peer> {
  const server = http2.createServer({ settings })
  const sessions: http2.ServerHttp2Session[] = []
  const streams: http2.ServerHttp2Stream[] = []
  server.on('session', (session) => {
    sessions.push(session)
    session.on('error', () => undefined)
  })
  server.on('stream', (stream, headers) => {
    streams.push(stream)
    stream.on('error', () => undefined)
    onStream(stream, headers)
  })
  return { ...(await listen(server)), sessions, streams }
}

export type OnRequest = (request: http.IncomingMessage, response: http.ServerResponse, body: Buffer) => void

export async function startHttp1(onRequest: OnRequest): Promise<Peer> {
  return listen(
    http.createServer((request, response) => {
      const parts: Buffer[] = []
      request.on('error', () => undefined)
      response.on('error', () => undefined)
      request.on('data', (part) => parts.push(part))
      request.on('end', () => onRequest(request, response, Buffer.concat(parts)))
    }),
  )
}

/** What lies between: passes bytes on until it is frozen, then says nothing more on its connections. */
export async function startFreezer(targetUrl: string): Promise<Peer & { freeze(): void }> {
  const pairs = new Set<net.Socket[]>()
  const server = net.createServer((near) => {
    const far = net.connect(Number(new URL(targetUrl).port), '127.0.0.1')
    const pair = [near, far]
    pairs.add(pair)
    near.pipe(far)
    far.pipe(near)
    for (const socket of pair) {
      socket.on('error', () => undefined)
      socket.once('close', () => {
        pairs.delete(pair)
        for (const other of pair) other.destroy()
      })
    }
  })
  const freeze = () => {
    for (const [near, far] of pairs) {
      near?.unpipe().pause()
      far?.unpipe().pause()
    }
  }
  const peer = await listen(server)
  afterTest(pairs, () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy()
  })
  return { ...peer, freeze }
}

export interface RawRequest {
  socket: net.Socket
  /** One frame on the request's stream. */
  send(type: number, flags: number, payload?: Uint8Array): void
}

export const frames = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goaway: 7 }
/** `:status: 200`, by HPACK's static table. */
export const status200 = Buffer.from([0x88])

/** HTTP/2 made by hand: answers nothing but SETTINGS, PING and GOAWAY by itself. */
export async function startRawHttp2(onRequest: (request: RawRequest) => void): Promise<Peer> {
  const prefaceBytes = 24
  const server = net.createServer((socket) => {
    const write = (type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)) => {
      const header = Buffer.alloc(9)
      header.writeUIntBE(payload.length, 0, 3)
      header[3] = type
      header[4] = flags
      header.writeUInt32BE(stream, 5)
      socket.write(Buffer.concat([header, payload]))
    }
    let unread = Buffer.alloc(0)
    let begun = false
    socket.on('data', (chunk) => {
      unread = Buffer.concat([unread, chunk as Buffer])
      if (!begun && unread.length >= prefaceBytes) {
        begun = true
        unread = unread.subarray(prefaceBytes)
        write(frames.settings, 0, 0)
      }
      while (begun && unread.length >= 9 && unread.length >= 9 + unread.readUIntBE(0, 3)) {
        const length = unread.readUIntBE(0, 3)
        const [type, flags, stream] = [unread[3], unread[4]!, unread.readUInt32BE(5)]
        const payload = unread.subarray(9, 9 + length)
        unread = unread.subarray(9 + length)
        if (type === frames.settings && (flags & 1) === 0) write(frames.settings, 1, 0)
        if (type === frames.ping && (flags & 1) === 0) write(frames.ping, 1, 0, payload)
        if (type === frames.goaway) socket.end()
        if (type === frames.headers)
          onRequest({ socket, send: (kind, bits, content) => write(kind, bits, stream, content) })
      }
    })
  })
  return listen(server)
}

/** A port where nothing listens. */
export async function freePort(): Promise<number> {
  const server = net.createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

export async function until(condition: () => boolean, what: string, patienceMs = 30_000): Promise<void> {
  const end = performance.now() + patienceMs
  while (!condition()) {
    if (performance.now() > end) throw new Error(`still waiting: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Collects uncaught errors from now on. */
export function watchUncaught(): Error[] {
  const uncaught: Error[] = []
  const note = (error: unknown) => void uncaught.push(error as Error)
  process.prependListener('uncaughtException', note)
  process.prependListener('unhandledRejection', note)
  afterTest(undefined, () => {
    process.removeListener('uncaughtException', note)
    process.removeListener('unhandledRejection', note)
  })
  return uncaught
}
