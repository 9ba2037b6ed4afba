// An upstream over HTTP that does not stop, and a client that reads its answer without keeping it.

import { startUpstream } from '../end-to-end/wire.ts'
import type { DoorName, HttpFlood } from './http-floods.ts'

const paths: Record<DoorName, (stream: boolean) => string> = {
  chat: () => '/v1/chat/completions',
  messages: () => '/v1/messages',
  responses: () => '/v1/responses',
  gemini: (stream) => `/v1beta/models/box/x:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  ollama: () => '/api/chat',
}

function bodyFor(door: DoorName, stream: boolean): Record<string, unknown> {
  const messages = [{ role: 'user', content: 'hi' }]
  if (door === 'gemini') return { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }
  const limit = door === 'ollama' ? {} : { max_tokens: 100 }
  return { model: 'box/x', stream, ...limit, ...(door === 'responses' ? { input: 'hi' } : { messages }) }
}

/** Sends the head, then the pieces repeatedly, until all is sent or the connection closes. */
export async function startFlood({ type, head, piece, tail }: HttpFlood, mostBytes: number) {
  const flood = { sent: 0, isWhole: false }
  const upstream = await startUpstream((request, response) => {
    if (request.method === 'GET') return void response.end('{"data":[]}')
    response.writeHead(200, { 'content-type': type })
    response.write(head)
    let at = 0
    const more = () => {
      while (flood.sent < mostBytes && !response.destroyed) {
        const bytes = piece(at++)
        flood.sent += bytes.length
        if (!response.write(bytes)) return response.once('drain', more)
      }
      flood.isWhole = flood.sent >= mostBytes
      // What was written still goes out.
      return response.end(tail)
    }
    more()
  })
  return { ...upstream, flood }
}

export interface Tail {
  status: number
  size: number
  /** The end of the answer. */
  tail: string
}

export async function askFlooded(
  url: string,
  row: HttpFlood,
  door: DoorName,
  stream: boolean,
): Promise<Tail> {
  const body = { ...bodyFor(door, stream), ...row.request?.(door) }
  const response = await fetch(`${url}${paths[door](stream)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  let size = 0
  let tail = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    tail = (tail + decoder.decode(chunk.subarray(-4_096), { stream: true })).slice(-4_096)
  }
  return { status: response.status, size, tail }
}
