// A Cursor service that only sends, over both transports: what comes to it is read and forgotten, or not read at all.

import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import http2, { type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { CursorFlood } from './cursor-floods.ts'

type AnyRequest = IncomingMessage | Http2ServerRequest
type AnyResponse = ServerResponse | Http2ServerResponse

/** How long a run stays that was sent everything, and how long one whose questions are not answered. */
const afterMs = 1_000
const takesNothingMs = 5_000

export async function startCursorFlood(flood: CursorFlood, transport: 'http2' | 'sse') {
  const seen = { sent: 0, received: 0, isWhole: false }
  const serve = (request: AnyRequest, response: AnyResponse) => {
    response.on('error', () => undefined)
    const path = request.url ?? ''
    const isRun = path.endsWith('/Run') || path.endsWith('/RunSSE')
    if (!isRun || !flood.takesNothing || transport === 'sse')
      request.on('data', (chunk: Buffer) => {
        seen.received += chunk.length
      })
    if (path.endsWith('/BidiAppend')) {
      if (flood.takesNothing && seen.sent > 0) return
      return void request.once('end', () => {
        response.writeHead(200, { 'content-type': 'application/proto' })
        response.end()
      })
    }
    if (!isRun) {
      response.writeHead(404)
      return void response.end()
    }
    response.writeHead(200, { 'content-type': 'application/connect+proto' })
    void send(response)
  }
  const send = async (response: AnyResponse) => {
    for (const bytes of flood.head) await write(response, bytes)
    for (let at = 0; at < flood.times && !isGone(response); at++) {
      const bytes = flood.piece(at)
      seen.sent += bytes.length
      await write(response, bytes)
    }
    seen.isWhole = !isGone(response)
    const wanted = (flood.asksFor ?? 0) * flood.times
    const until = Date.now() + (flood.takesNothing ? takesNothingMs : 120_000)
    while (!isGone(response) && Date.now() < until && (flood.takesNothing || seen.received < wanted))
      await pause(50)
    await pause(afterMs)
    if ('stream' in response) response.stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR)
    else response.destroy()
  }
  const server = transport === 'http2' ? http2.createServer(serve) : http.createServer(serve)
  const sockets = new Set<{ destroy(): void }>()
  server.on('connection', (socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

const isGone = (response: AnyResponse) =>
  'stream' in response ? response.stream.destroyed || response.stream.closed : response.destroyed

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function write(response: AnyResponse, bytes: Buffer): Promise<void> {
  if (isGone(response)) return
  const target = 'stream' in response ? response.stream : response
  if (target.write(bytes)) return
  await new Promise<void>((resolve) => {
    const done = () => {
      target.off('drain', done)
      target.off('close', done)
      resolve()
    }
    target.on('drain', done)
    target.on('close', done)
  })
}
