// A collector for tests: accepts valid OTLP, and records the reasons of its refusals.

import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { OtlpProblem, type ReceivedSpan, readOtlp } from './strict-otlp.ts'

export interface CollectorRequest {
  path: string
  headers: IncomingMessage['headers']
  body: string
}

export interface Reply {
  status?: number
  headers?: Record<string, string>
  body?: unknown
  delayMs?: number
}

export interface Collector {
  url: string
  /** Of all requests that were taken. */
  spans: ReceivedSpan[]
  requests: CollectorRequest[]
  /** What was not OTLP. */
  problems: string[]
  /** How the next requests are answered, one after the other; then all are taken. */
  replies: Reply[]
  /** Resolves once this many spans have come. */
  until(count: number): Promise<ReceivedSpan[]>
  clear(): void
  close(): Promise<void>
}

export async function startCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = []
  const requests: CollectorRequest[] = []
  const problems: string[] = []
  const replies: Reply[] = []

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString('utf8')
    requests.push({ path: request.url ?? '', headers: request.headers, body })
    const { status = 200, headers = {}, body: answer = {}, delayMs = 0 } = replies.shift() ?? {}
    if (delayMs > 0) await sleep(delayMs)
    try {
      if (request.method !== 'POST') throw new OtlpProblem(`${request.method} is not POST`)
      if (request.headers['content-type'] !== 'application/json')
        throw new OtlpProblem('not application/json')
      const read = readOtlp(body)
      if (status === 200) spans.push(...read)
    } catch (error) {
      problems.push(String(error))
    }
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    ...{ spans, requests, problems, replies },
    async until(count) {
      while (spans.length < count && problems.length === 0) await sleep(5)
      return spans
    },
    clear() {
      for (const kept of [spans, requests, problems, replies]) kept.length = 0
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
