// The judge's own HTTP client: one connection for each request, nothing followed, nothing repaired, nothing hidden. It shares no
// code with the gateway, so that both cannot be wrong in the same way.

import http, { type IncomingHttpHeaders } from 'node:http'
import https from 'node:https'

export interface Wanted {
  method?: string
  url: string
  headers?: Record<string, string>
  body?: string
  timeoutMs: number
  signal?: AbortSignal
  /** All that came so far, each time that something came. What it returns true to, is hung up on. */
  onText?(soFar: string): boolean | undefined
}

/** No answer of a model is longer. */
const mostBytes = 64 * 1024 * 1024

export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** The bytes are no UTF-8. */
  garbled: boolean
  /** The connection broke before the answer's end. */
  cut: boolean
}

export class NoReply extends Error {
  override readonly name = 'NoReply'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

export function send(wanted: Wanted): Promise<Reply> {
  const { method = 'POST', url, headers = {}, body, timeoutMs, signal, onText } = wanted
  const program = url.startsWith('https:') ? https : http
  const length: Record<string, string> =
    body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return new Promise((resolve, reject) => {
    const request = program.request(url, { method, headers: { ...headers, ...length }, agent: false })
    const giveUp = (code: string, message: string) => {
      request.destroy()
      reject(new NoReply(code, message))
    }
    const timer = setTimeout(
      () => giveUp('TIMEOUT', `no complete answer within ${timeoutMs / 1000} s`),
      timeoutMs,
    )
    const onAbort = () => giveUp('ABORTED', 'broken off')
    signal?.addEventListener('abort', onAbort)
    request.on('close', () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      reject(new NoReply(error.code ?? 'ERROR', error.message))
    })
    request.on('response', (response) => {
      const pieces: Buffer[] = []
      let bytes = 0
      const finish = (cut: boolean) =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          cut,
          ...decoded(Buffer.concat(pieces)),
        })
      response.on('data', (piece: Buffer) => {
        pieces.push(piece)
        bytes += piece.length
        if (bytes > mostBytes) return giveUp('TOO_LONG', `an answer of more than ${mostBytes >> 20} MB`)
        if (onText?.(Buffer.concat(pieces).toString('utf8'))) {
          request.destroy()
          finish(true)
        }
      })
      response.on('end', () => finish(!response.complete))
      response.on('error', () => finish(true))
    })
    request.end(body)
  })
}

function decoded(bytes: Buffer): Pick<Reply, 'text' | 'garbled'> {
  const text = bytes.toString('utf8')
  return { text, garbled: !Buffer.from(text, 'utf8').equals(bytes) }
}
