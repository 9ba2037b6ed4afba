// Requests and upstreams that no HTTP library can make: raw sockets, servers that write arbitrary bytes.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect } from 'vitest'

export interface RawAnswer {
  status: number
  head: string
  headers: Map<string, string>
  body: string
  /** How the connection went down when it did not end cleanly. */
  error: string | undefined
}

export interface RawRequest {
  method?: string
  path?: string
  version?: '1.0' | '1.1'
  /** Exactly these header lines and no others; `Connection: close` is added. */
  lines?: readonly string[]
  body?: string | Buffer
}

/** Sends exactly these lines and reads until the server closes. */
export function rawRequest(url: string, request: RawRequest): Promise<RawAnswer> {
  const { method = 'GET', path = '/', version = '1.1', lines = [], body = '' } = request
  const head = [`${method} ${path} HTTP/${version}`, ...lines, 'Connection: close', '', ''].join('\r\n')
  return exchangeBytes(url, [Buffer.from(head, 'latin1'), Buffer.from(body)])
}

export function exchangeBytes(url: string, parts: Iterable<Buffer>): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const socket = connect(url)
    const chunks: Buffer[] = []
    let error: string | undefined
    socket.on('connect', () => void writeAll(socket, parts))
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', (thrown: NodeJS.ErrnoException) => {
      error = thrown.code ?? thrown.message
    })
    socket.on('close', () => resolve({ ...readAnswer(Buffer.concat(chunks).toString('latin1')), error }))
  })
}

export function connect(url: string): net.Socket {
  const { hostname, port } = new URL(url)
  return net.connect(Number(port), hostname)
}

async function writeAll(socket: net.Socket, parts: Iterable<Buffer>): Promise<void> {
  let resume: () => void = () => undefined
  socket.once('close', () => resume()).on('drain', () => resume())
  for (const part of parts) {
    if (socket.destroyed) return
    if (!socket.write(part))
      await new Promise<void>((resolve) => {
        resume = resolve
      })
  }
}

function readAnswer(text: string): Omit<RawAnswer, 'error'> {
  const end = text.indexOf('\r\n\r\n')
  const head = end < 0 ? text : text.slice(0, end)
  const [first = '', ...lines] = head.split('\r\n')
  const headers = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  return { status: Number(first.split(' ')[1] ?? 0), head, headers, body: end < 0 ? '' : text.slice(end + 4) }
}

export const hostLine = (url: string) => `Host: ${new URL(url).host}`

/** The lines of a chat request over a raw socket. */
export function chatLines(url: string, body: string): string[] {
  return [hostLine(url), 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]
}

export interface RawUpstream {
  url: string
  close(): Promise<void>
}

/** An upstream that does whatever `serve` does. */
export async function startUpstream(
  serve: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<RawUpstream> {
  const server = createServer((request, response) => {
    request.resume()
    response.on('error', () => undefined)
    serve(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A port on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = net.createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Waits until a condition holds; the time limit only ends a failing test. */
export async function until(what: () => boolean, withinMs = 30_000): Promise<void> {
  const deadline = Date.now() + withinMs
  while (!what()) {
    if (Date.now() > deadline) throw new Error(`did not happen within ${withinMs} ms: ${what}`)
    await sleep(5)
  }
}

/** `late` when the promise does not settle in time. */
export function within<T>(ms: number, promise: Promise<T>): Promise<T | 'late'> {
  return Promise.race([promise, sleep(ms, 'late' as const)])
}

/** Nothing may be thrown into the void in this file. Called ahead of `useBench`, it looks when that one has closed. */
export function expectNothingStray(): void {
  const watch = watchProcess()
  afterAll(() => {
    watch.stop()
    expect(watch.stray).toEqual([])
  })
}

/** Collects what would have ended the process. */
export function watchProcess(): { stray: unknown[]; stop(): void } {
  const stray: unknown[] = []
  const note = (thrown: unknown) => stray.push(thrown)
  process.on('unhandledRejection', note)
  process.on('uncaughtException', note)
  return {
    stray,
    stop() {
      process.off('unhandledRejection', note)
      process.off('uncaughtException', note)
    },
  }
}
