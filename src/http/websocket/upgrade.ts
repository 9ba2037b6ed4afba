// The HTTP side of a WebSocket: which requests ask for one, and the answer that opens it.

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { acceptKey } from './frames.ts'

type Headers = Pick<IncomingMessage, 'headers'>

export const asksForWebSocket = ({ method, headers }: Headers & { method?: string | undefined }) =>
  method === 'GET' && (headers.upgrade ?? '').toLowerCase() === 'websocket'

const keyPattern = /^[+/0-9A-Za-z]{22}==$/

/** The problem of a handshake; undefined if there is none. */
export function handshakeProblem(header: (name: string) => string | undefined): string | undefined {
  if (header('sec-websocket-version') !== '13') return 'Only version 13 of WebSocket is spoken here.'
  if (!keyPattern.test(header('sec-websocket-key') ?? '')) return 'Sec-WebSocket-Key is missing or not valid.'
  return undefined
}

/** Opens the WebSocket. No extension is agreed: a compressed message could be of any size. */
export function openWebSocket(socket: Socket, key: string, headers: Readonly<Record<string, string>>): void {
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${acceptKey(key)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
}

/**
 * The request again, as bytes, without its wish for another protocol. Node gives up a connection whose request has one. Any but
 * WebSocket is ignored, as HTTP allows: Java's client asks for HTTP/2 with each request.
 */
export function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.toLowerCase() !== 'upgrade') lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`)
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}
