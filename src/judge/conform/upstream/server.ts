// The scripted upstream: an HTTP server that plays the answer of a case and records its requests. The model's name
// (conform-T7-chat-stream) or else a user message names the case.

import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { at, isShape, parsed, type Shape, shapesAt, textAt } from '../../clients/json.ts'
import { anthropicError } from './anthropic.ts'
import { malformed, requestProblems } from './check-request.ts'
import { openaiError } from './openai.ts'
import { jsonAnswer, type Piece, type Play, type Played, type UpstreamKind } from './played.ts'

export interface Seen {
  path: string
  headers: http.IncomingHttpHeaders
  body: Shape
  /** Reasons for which the real service would refuse the request. */
  problems: string[]
  /** The gateway closed the connection before the end of the answer. */
  left: boolean
}

export interface Upstream {
  kind: UpstreamKind
  /** The base URL to configure in the gateway. */
  url: string
  port: number
  /** All requests, valid or not. */
  total: number
  expect(run: string, play: Play): Expected
  close(): Promise<void>
}

export interface Expected {
  seen: Seen[]
  /** The client has seen everything so far: a held stream continues. */
  release(): void
  /** True once the gateway has closed the connection, false after the timeout. */
  left(timeoutMs: number): Promise<boolean>
  forget(): void
}

export const unknownModel = 'no-such-model-conform'

/** Time for written bytes to leave before the fault. */
const beforeFaultMs = 40
/** A held stream continues after this time in any case. */
const maxHoldMs = 5_000

interface Entry extends Expected {
  play: Play
  released: Promise<void>
  leave(): void
}

export async function startUpstream(
  kind: UpstreamKind,
  { port = 0, host = '127.0.0.1', fallback }: { port?: number; host?: string; fallback: Play },
): Promise<Upstream> {
  const entries = new Map<string, Entry>()
  const server = http.createServer((request, response) => {
    upstream.total++
    answer({ kind, entries, fallback, request, response }).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const { port: bound } = server.address() as AddressInfo
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${bound}`
  const upstream: Upstream = {
    kind,
    port: bound,
    url: kind === 'openai' ? `${origin}/v1` : origin,
    total: 0,
    expect(run, play) {
      const entry = createEntry(play, () => entries.delete(run))
      entries.set(run, entry)
      return entry
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return upstream
}

function deferred(): [Promise<void>, () => void] {
  let done: (() => void) | undefined
  const promise = new Promise<void>((resolve) => {
    done = resolve
  })
  return [promise, () => done?.()]
}

function createEntry(play: Play, forget: () => void): Entry {
  const [released, release] = deferred()
  const [gone, leave] = deferred()
  return {
    seen: [],
    play,
    released,
    release,
    leave,
    forget,
    left: (timeoutMs) => Promise.race([gone.then(() => true), sleep(timeoutMs, false, { ref: false })]),
  }
}

interface Answering {
  kind: UpstreamKind
  entries: Map<string, Entry>
  fallback: Play
  request: IncomingMessage
  response: ServerResponse
}

async function answer({ kind, entries, fallback, request, response }: Answering): Promise<void> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const path = (request.url ?? '/').replace(/\?[\s\S]*$/, '')
  const wanted = kind === 'openai' ? /\/chat\/completions$/ : /\/messages$/
  if (request.method === 'GET' && path.endsWith('/models')) return play(response, models)
  if (request.method !== 'POST' || !wanted.test(path))
    return play(response, refusal(kind, `There is no ${request.method} ${path} here`, 'not_found'))
  const body = parsed(Buffer.concat(pieces).toString('utf8'))
  const wrong = malformed(body)
  if (!isShape(body) || wrong !== undefined) return play(response, badRequest(kind, String(wrong)))
  if (body.model === unknownModel)
    return play(response, refusal(kind, `The model ${unknownModel} does not exist`, 'model_not_found'))
  const entry = entries.get(runOf(body))
  const seen: Seen = {
    path,
    headers: request.headers,
    body,
    problems: requestProblems(kind, body),
    left: false,
  }
  entry?.seen.push(seen)
  response.once('close', () => {
    if (response.writableFinished) return
    seen.left = true
    entry?.leave()
  })
  const chosen = entry?.play ?? fallback
  await play(response, chosen({ kind, stream: body.stream === true, body }), entry?.released)
}

const models: Played = jsonAnswer(200, {
  object: 'list',
  data: [
    {
      id: 'conform',
      object: 'model',
      type: 'model',
      display_name: 'conform',
      created: 1,
      owned_by: 'conform',
    },
  ],
  has_more: false,
})

const refusal = (kind: UpstreamKind, message: string, code: string): Played =>
  kind === 'openai'
    ? jsonAnswer(404, { error: { message, type: 'invalid_request_error', param: null, code } })
    : jsonAnswer(404, { type: 'error', error: { type: 'not_found_error', message } })

const badRequest = (kind: UpstreamKind, message: string): Played =>
  kind === 'openai'
    ? openaiError(400, 'invalid_request_error', message)
    : anthropicError(400, 'invalid_request_error', message)

const runPattern = /conform-([A-Za-z0-9]+-(?:chat|messages|responses|gemini)-(?:stream|whole))/

function runOf(body: Shape): string {
  const named = runPattern.exec(textAt(body, 'model'))
  if (named) return named[1] ?? ''
  // The first match counts: later user messages may hold tool results.
  const texts = shapesAt(body, 'messages').map(({ role, content }) =>
    role === 'user' ? textOf(content) : '',
  )
  return texts.map((text) => runPattern.exec(text)?.[1]).find((run) => run !== undefined) ?? ''
}

const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : shapesAt({ content }, 'content')
        .map((part) => String(at(part, 'text') ?? ''))
        .join(' ')

async function play(response: ServerResponse, played: Played, released?: Promise<void>): Promise<void> {
  response.socket?.setNoDelay(true)
  response.writeHead(played.status ?? 200, played.headers)
  for (const piece of played.pieces) {
    if (response.destroyed) return
    if (isFault(piece)) return fail(response, piece)
    if (piece === 'hold') await Promise.race([released, sleep(maxHoldMs, undefined, { ref: false })])
    else if (played.bytesPerWrite === undefined) response.write(piece)
    else await writeCut(response, Buffer.from(piece), played.bytesPerWrite)
  }
  response.end()
}

const isFault = (piece: Piece): piece is 'reset' | 'fin' => piece === 'reset' || piece === 'fin'

async function fail(response: ServerResponse, fault: 'reset' | 'fin'): Promise<void> {
  response.flushHeaders()
  await sleep(beforeFaultMs)
  if (fault === 'reset') response.socket?.resetAndDestroy()
  else response.socket?.destroy()
}

async function writeCut(response: ServerResponse, bytes: Buffer, length: number): Promise<void> {
  for (let from = 0; from < bytes.length && !response.destroyed; from += length) {
    response.write(bytes.subarray(from, from + length))
    await sleep(1)
  }
}
