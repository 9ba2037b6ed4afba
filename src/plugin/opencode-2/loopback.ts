// A port of this process, on the loopback interface only: OpenCode 2's own clients of models call an address, not a function.
// Each door has a random key of its own, which says whose requests they are.

import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { type Fetch, placeholderOrigin } from '../fetch.ts'

export interface Door {
  /** With `/v1`. */
  baseUrl: string
  key: string
  /** Requests under way go on. The last door closes the port. */
  close(): void
}

interface Port {
  server: Server
  origin: string
}

/** By the digest of the key: how long a wrong key is looked for says nothing about the right one. */
const doors = new Map<string, Fetch>()
let port: Promise<Port> | undefined

export async function openDoor(fetch: Fetch): Promise<Door> {
  const key = randomBytes(32).toString('base64url')
  doors.set(digestOf(key), fetch)
  port ??= listen()
  const mine = port
  try {
    const { origin } = await mine
    return { baseUrl: `${origin}/v1`, key, close: () => leave(key, mine) }
  } catch (error) {
    leave(key, mine)
    throw error
  }
}

function leave(key: string, mine: Promise<Port>): void {
  if (!doors.delete(digestOf(key)) || doors.size > 0) return
  if (port === mine) port = undefined
  mine.then(
    ({ server }) => {
      server.close()
      server.closeIdleConnections()
    },
    () => undefined,
  )
}

async function listen(): Promise<Port> {
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // OpenCode ends when it is done, not when this port is closed.
  server.unref()
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const digestOf = (key: string) => createHash('sha256').update(key).digest('base64url')

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { authorization = '', 'x-api-key': apiKey } = request.headers
  const key = typeof apiKey === 'string' ? apiKey : authorization.replace(/^Bearer /i, '')
  const fetch = doors.get(digestOf(key))
  if (!fetch) return refuse(request, response)
  const stop = new AbortController()
  response.once('close', () => stop.abort())
  const { status, headers, body } = await fetch(`${placeholderOrigin}${request.url}`, {
    method: request.method ?? 'GET',
    headers: endToEnd(request),
    signal: stop.signal,
    ...bodyOf(request),
  })
  response.writeHead(status, [...headers].flat())
  response.flushHeaders()
  if (body) await send(body, response)
  response.end()
}

function refuse(request: IncomingMessage, response: ServerResponse): void {
  request.resume()
  const message = "This port is for the OpenCode that opened it: the request does not have that one's key."
  response.writeHead(401, { 'content-type': 'application/json', 'x-should-retry': 'false' })
  response.end(JSON.stringify({ error: { message, type: 'authentication_error', code: 'invalid_api_key' } }))
}

/** Headers of one connection, and the key, end here. */
const ownHeaders = new Set(['host', 'connection', 'keep-alive', 'transfer-encoding', 'content-length'])
  .add('authorization')
  .add('x-api-key')
  .add('expect')
  .add('upgrade')

function endToEnd({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (!ownHeaders.has(name.toLowerCase())) headers.append(name, rawHeaders[index + 1] ?? '')
  }
  return headers
}

function bodyOf(request: IncomingMessage): RequestInit {
  if (request.method === 'GET' || request.method === 'HEAD') return {}
  // `duplex` is not in the types, but a streamed body needs it.
  return { body: Readable.toWeb(request) as ReadableStream, duplex: 'half' } as RequestInit
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
