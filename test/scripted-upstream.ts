// An upstream that answers with exactly the given bytes, and remembers what it was asked.

import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface AskedUpstream {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

export interface ScriptedAnswer {
  status?: number
  headers?: Record<string, string>
  body: string | Buffer
  /** Comes after a pause. */
  later?: string
}

export interface ScriptedUpstream {
  url: string
  asked: AskedUpstream[]
  answer: ScriptedAnswer
  /** In place of `answer`: by the request. */
  respond?: (asked: AskedUpstream) => ScriptedAnswer | Promise<ScriptedAnswer>
  /** Listings of models are requests of the script. */
  answersListings?: boolean
  close(): void
}

const pauseMs = 50

export const eventStream = { 'content-type': 'text/event-stream' }

export async function startScriptedUpstream(): Promise<ScriptedUpstream> {
  const asked: AskedUpstream[] = []
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece) => pieces.push(piece))
    request.on('end', async () => {
      // A gateway may look at the models of an unknown server beside any turn: that is no request of the script.
      const isLook = request.method === 'GET' && request.url === '/v1/models'
      if (isLook && !upstream.answersListings) return void response.writeHead(404).end()
      const one = {
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(pieces).toString('utf8'),
      }
      asked.push(one)
      const answer = (await upstream.respond?.(one)) ?? upstream.answer
      const { status = 200, headers = { 'content-type': 'application/json' }, body, later } = answer
      response.writeHead(status, headers)
      if (later === undefined) response.end(body)
      else {
        response.write(body)
        setTimeout(() => response.end(later), pauseMs)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const upstream: ScriptedUpstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answer: { body: '{}' },
    close: () => server.close(),
  }
  return upstream
}
