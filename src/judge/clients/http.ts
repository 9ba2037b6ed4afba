// The judge's HTTP client: one connection for each request. It follows no redirect, repairs nothing and hides nothing.

import http, { type IncomingHttpHeaders } from 'node:http'
import https from 'node:https'

interface HttpRequest {
  method?: string
  url: string
  headers?: Record<string, string>
  body?: string
  timeoutMs: number
  signal?: AbortSignal
  /** Called after each chunk with all text so far; true closes the connection. */
  onText?(soFar: string): boolean | undefined
}

/** More than any answer of a model. */
const maxBytes = 64 * 1024 * 1024

export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** The bytes are not UTF-8. */
  garbled: boolean
  /** The connection broke before the end of the answer. */
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

export function send({
  method = 'POST',
  url,
  headers = {},
  body,
  timeoutMs,
  signal,
  onText,
}: HttpRequest): Promise<Reply> {
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
    const onAbort = () => giveUp('ABORTED', 'canceled')
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
        if (bytes > maxBytes) return giveUp('TOO_LONG', `an answer of more than ${maxBytes >> 20} MB`)
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
