// A small HTTP server on the loopback interface, in Bun and in Node. OpenCode runs in Bun, whose `node:http` (1.3.14) does not say
// that a client has gone once the request is read: a cancelled run would go on. The gateway's own server does not answer there.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'

export interface Port {
  origin: string
  /** Accepts nothing new. */
  close(): void
}

type Answer = (request: Request) => Promise<Response>

interface BunServer {
  port: number
  unref(): void
  stop(): unknown
}

declare const Bun: {
  serve(options: { hostname: string; port: number; idleTimeout: number; fetch: Answer }): BunServer
}

const hostname = '127.0.0.1'

/** The program does not wait for this server to be closed. */
export const listen = (answer: Answer): Promise<Port> =>
  'bun' in process.versions ? listenInBun(answer) : listenInNode(answer)

async function listenInBun(answer: Answer): Promise<Port> {
  // A model may be silent for longer than Bun's default allows.
  const fetch = async (request: Request) => quietly(await answer(request), request.signal)
  const server = Bun.serve({ hostname, port: 0, idleTimeout: 0, fetch })
  server.unref()
  return { origin: `http://${hostname}:${server.port}`, close: () => void server.stop() }
}

/** Bun prints it when a body fails, also for a client that has gone. */
function quietly(response: Response, gone: AbortSignal): Response {
  const reader = response.body?.getReader()
  if (!reader) return response
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      } catch (error) {
        if (gone.aborted) controller.close()
        else controller.error(error)
      }
    },
    cancel: (reason) => reader.cancel(reason).catch(() => undefined),
  })
  return new Response(body, { status: response.status, headers: response.headers })
}

async function listenInNode(answer: Answer): Promise<Port> {
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    respond(request, response, answer).catch(() => response.destroy())
  })
  server.listen(0, hostname)
  await once(server, 'listening')
  server.unref()
  const close = () => {
    server.close()
    server.closeIdleConnections()
  }
  return { origin: `http://${hostname}:${(server.address() as AddressInfo).port}`, close }
}

async function respond(request: IncomingMessage, response: ServerResponse, answer: Answer): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const { status, headers, body } = await answer(toRequest(request, gone.signal))
  response.writeHead(status, [...headers].flat())
  response.flushHeaders()
  if (body) await send(body, response)
  response.end()
}

function toRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', rawHeaders } = request
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody ? { body: Readable.toWeb(request) as ReadableStream, duplex: 'half' } : {}
  return new Request(`http://${hostname}${url}`, { method, headers, signal, ...body } as RequestInit)
}

async function send(body: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> {
  const reader = body.getReader()
  const gone = once(response, 'close')
  for (;;) {
    const { done, value } = await reader.read()
    if (done || response.destroyed) return
    if (!response.write(value)) await Promise.race([once(response, 'drain'), gone])
  }
}
