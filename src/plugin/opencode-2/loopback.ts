// A port of this process, on the loopback interface only: OpenCode 2's own clients of models call an address, not a function.
// Each door has a random key of its own, which says whose requests they are.

import { createHash, randomBytes } from 'node:crypto'
import { type Fetch, placeholderOrigin } from '../fetch.ts'
import { listen, type Port } from './listen.ts'

export interface Door {
  /** With `/v1`. */
  baseUrl: string
  key: string
  /** Requests under way go on. The last door closes the port. */
  close(): void
}

/** By the digest of the key: how long a wrong key is looked for says nothing about the right one. */
const doors = new Map<string, Fetch>()
let port: Promise<Port> | undefined

export async function openDoor(fetch: Fetch): Promise<Door> {
  const key = randomBytes(32).toString('base64url')
  doors.set(digestOf(key), fetch)
  port ??= listen(answer)
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
    (opened) => opened.close(),
    () => undefined,
  )
}

const digestOf = (key: string) => createHash('sha256').update(key).digest('base64url')

async function answer(request: Request): Promise<Response> {
  const { headers, method, body, signal } = request
  const key = headers.get('x-api-key') ?? headers.get('authorization')?.replace(/^Bearer /i, '') ?? ''
  const fetch = doors.get(digestOf(key))
  if (!fetch) return refused()
  const { pathname, search } = new URL(request.url)
  return fetch(`${placeholderOrigin}${pathname}${search}`, {
    method,
    headers: endToEnd(headers),
    signal,
    // `duplex` is not in all types, but a streamed body needs it.
    ...(body && ({ body, duplex: 'half' } as RequestInit)),
  })
}

function refused(): Response {
  const message = "This port is for the OpenCode that opened it: the request does not have that one's key."
  return Response.json(
    { error: { message, type: 'authentication_error', code: 'invalid_api_key' } },
    { status: 401, headers: { 'x-should-retry': 'false' } },
  )
}

/** What concerns one connection ends here, and so does the key. */
const ownHeaders = [
  'host',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'expect',
].concat('upgrade', 'authorization', 'x-api-key')

function endToEnd(headers: Headers): Headers {
  const kept = new Headers(headers)
  for (const name of ownHeaders) kept.delete(name)
  return kept
}
