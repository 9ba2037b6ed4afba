// A proxy before our own gateway that spoils one thing on the way, event by event.

import http from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Spoiler {
  /** One event of a stream, without the blank line after it; undefined drops it. */
  event?(event: string): string | undefined
  /** The body of a whole answer. */
  body?(text: string): string
  request?(body: Record<string, unknown>): Record<string, unknown>
  status?(status: number): number
  header?(name: string): boolean
  /** Nothing leaves before all has come. */
  buffers?: boolean
  /** Does not forward the client's cancellation. */
  staysOn?: boolean
}

export interface BrokenCopy {
  base: string
  close(): Promise<void>
}

export async function startBrokenCopy(gateway: string, spoiler: Spoiler): Promise<BrokenCopy> {
  const server = http.createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => forward({ gateway, spoiler, request, response, body: Buffer.concat(pieces) }))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    base: `http://127.0.0.1:${port}/v1`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface Forwarded {
  gateway: string
  spoiler: Spoiler
  request: http.IncomingMessage
  response: http.ServerResponse
  body: Buffer
}

function forward({ gateway, spoiler, request, response, body }: Forwarded): void {
  const { content, headers } = spoiled(spoiler, request, body)
  const url = new URL(gateway).origin + (request.url ?? '/')
  const onward = http.request(url, { method: request.method ?? 'POST', headers, agent: false })
  if (!spoiler.staysOn) response.on('close', () => onward.destroy())
  onward.on('error', () => response.destroy())
  onward.on('response', (answer) => answerWith({ spoiler, answer, response }))
  onward.end(content)
}

function spoiled(spoiler: Spoiler, { headers }: http.IncomingMessage, body: Buffer) {
  const kept = { ...headers }
  delete kept['content-length']
  delete kept['transfer-encoding']
  if (!spoiler.request) return { content: body, headers: { ...kept, 'content-length': String(body.length) } }
  let text = body.toString()
  try {
    text = JSON.stringify(spoiler.request(JSON.parse(text)))
  } catch {
    // Other text is forwarded unchanged.
  }
  return { content: text, headers: { ...kept, 'content-length': String(Buffer.byteLength(text)) } }
}

function answerWith({
  spoiler,
  answer,
  response,
}: {
  spoiler: Spoiler
  answer: http.IncomingMessage
  response: http.ServerResponse
}): void {
  const { status = (code: number) => code, header = () => true, event = (text: string) => text } = spoiler
  const kept = Object.entries(answer.headers).filter(
    ([name]) => header(name) && name !== 'content-length' && name !== 'transfer-encoding',
  )
  response.writeHead(status(answer.statusCode ?? 500), Object.fromEntries(kept) as http.OutgoingHttpHeaders)
  const streams = String(answer.headers['content-type']).startsWith('text/event-stream')
  answer.setEncoding('utf8')
  let rest = ''
  let out = ''
  const put = (text: string) => {
    if (spoiler.buffers) out += text
    else if (text !== '') response.write(text)
  }
  answer.on('data', (piece: string) => {
    rest += piece
    if (!streams) return
    const events = rest.split('\n\n')
    rest = events.pop() ?? ''
    for (const one of events) {
      const spoilt = event(one)
      if (spoilt !== undefined) put(`${spoilt}\n\n`)
    }
  })
  answer.on('end', () => {
    put(streams ? rest : (spoiler.body?.(rest) ?? rest))
    response.end(out)
  })
  answer.on('error', () => response.destroy())
}
