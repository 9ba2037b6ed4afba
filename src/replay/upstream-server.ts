// The services of a tape as a local server: each request gets its recorded response, piece by piece.

import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { arrivalMs, type Playback } from './playback.ts'
import { RunServer } from './run-server.ts'
import type { Script, ScriptedExchange } from './script.ts'

/** Headers of the connection, and lengths that masked secrets may have changed. */
const ownHeaders = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'])

export class UpstreamServer {
  readonly #script: Script
  readonly #playback: Playback
  readonly #runs: RunServer
  readonly #server: http.Server
  /** Sent so far. */
  #bytes = 0
  url = ''

  constructor(script: Script, playback: Playback) {
    this.#script = script
    this.#playback = playback
    this.#runs = new RunServer(script.runs, playback)
    this.#server = http.createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy())
    })
  }

  async listen(): Promise<void> {
    await this.#runs.listen()
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await Promise.all([
      this.#runs.close(),
      new Promise<void>((resolve) => this.#server.close(() => resolve())),
    ])
  }

  /** Host names as they occur in error messages. */
  get hosts(): string[] {
    return [this.url.slice('http://'.length), this.#runs.host]
  }

  get runsAreWaiting(): boolean {
    return this.#runs.areWaiting
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request)
    const path = request.url ?? '/'
    if (this.#runs.onRequest(path, body, response)) return
    const exchange = this.#next(request.method ?? '', path)
    if (exchange) await this.#play(exchange, response)
    else if (path.endsWith(newChatPath)) tellNewChat(response)
    // Model listings and similar requests are no part of a turn.
    else response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not on the tape"}')
  }

  #next(method: string, path: string): ScriptedExchange | undefined {
    const isLeft = (one: ScriptedExchange) =>
      !one.isTaken && one.method === method && withoutQuery(one.path) === withoutQuery(path)
    const found = this.#script.exchanges.find(isLeft)
    if (found) found.isTaken = true
    else if (method === 'POST' && this.#script.exchanges.some((one) => one.path === path))
      this.#playback.remark(`the gateway requested ${path} more often than on the tape`)
    return found
  }

  async #play({ frames }: ScriptedExchange, response: ServerResponse): Promise<void> {
    let lastAt: number | undefined
    for (const frame of frames) {
      await this.#playback.pause(lastAt === undefined ? 0 : frame.at - lastAt)
      lastAt = frame.at
      if (response.destroyed) return
      if (frame.do === 'response') {
        response.writeHead(frame.status, this.#headersOf(frame.headers))
        response.flushHeaders()
      } else if (frame.do === 'data') await this.#write(response, frame)
      else if (frame.do === 'error') {
        this.#playback.remark(
          `an exchange failed on the tape (${frame.message}); the replay breaks its connection, and the error may differ`,
        )
        response.destroy()
        return
      }
    }
    if (response.headersSent) response.end()
    else response.destroy()
  }

  /** If another attempt follows, the recorded wait before it need not be repeated. */
  #headersOf(headers: Record<string, string>): Record<string, string> {
    const isTriedAgain = this.#script.exchanges.some(({ isTaken }) => !isTaken)
    const isPlayed = (name: string) =>
      !ownHeaders.has(name) && !(isTriedAgain && name.startsWith('retry-after'))
    return Object.fromEntries(Object.entries(headers).filter(([name]) => isPlayed(name.toLowerCase())))
  }

  /** Writes each piece by itself, as recorded. */
  async #write(response: ServerResponse, content: { text: string } | { base64: string }): Promise<void> {
    const bytes = 'text' in content ? Buffer.from(content.text) : Buffer.from(content.base64, 'base64')
    response.write(bytes)
    this.#bytes += bytes.length
    const wanted = this.#bytes
    const { source } = this.#playback
    await source.until(() => response.destroyed || source.bytes >= wanted, arrivalMs)
    // A piece that never arrives is not waited for again.
    this.#bytes = source.bytes
  }
}

const withoutQuery = (path: string) => path.split('?', 1)[0]

/** On the tape, the chat may have existed already. */
const newChatPath = '/api/v2/chats/new'

function tellNewChat(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ success: true, data: { id: 'replayed' } }))
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
