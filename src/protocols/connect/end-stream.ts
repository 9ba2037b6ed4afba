// Connect's errors: in the end-of-stream envelope of a stream, or as the body of a refused unary call.
// https://connectrpc.com/docs/protocol/#error-end-stream. Nothing here throws.

import { isObject, parseJson } from '../../base/json.ts'

interface ConnectErrorDetail {
  /** Full name of the message, e.g. `aiserver.v1.ErrorDetails`. */
  type: string
  value: Uint8Array
}

export interface ConnectError {
  /** Connect's code, e.g. `resource_exhausted`; `unknown` if there is none. */
  code: string
  /** Empty if there is none. */
  message: string
  details: ConnectErrorDetail[]
}

type EndOfStream = { kind: 'ok' } | { kind: 'error'; error: ConnectError } | { kind: 'malformed' }

const maxDetails = 32

export function parseEndOfStream(payload: Uint8Array): EndOfStream {
  const end = parseJson(Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString('utf8'))
  if (!isObject(end)) return { kind: 'malformed' }
  if (end.error === undefined || end.error === null) return { kind: 'ok' }
  return { kind: 'error', error: toConnectError(end.error) }
}

/** Undefined for a body that is not Connect's, e.g. a load balancer's page. */
export function parseUnaryError(text: string): ConnectError | undefined {
  const body = parseJson(text)
  if (!isObject(body)) return undefined
  // Some proxies wrap the error the way streams do.
  const error = isObject(body.error) ? body.error : body
  if (typeof error.code !== 'string' && typeof error.message !== 'string') return undefined
  return toConnectError(error)
}

function toConnectError(error: unknown): ConnectError {
  if (typeof error === 'string') return { code: 'unknown', message: error, details: [] }
  if (!isObject(error)) return { code: 'unknown', message: '', details: [] }
  const { code, message, details } = error
  return {
    code: typeof code === 'string' && code !== '' ? code : 'unknown',
    message: typeof message === 'string' ? message : '',
    details: Array.isArray(details) ? details.slice(0, maxDetails).flatMap(toDetail) : [],
  }
}

function toDetail(detail: unknown): ConnectErrorDetail[] {
  if (!isObject(detail) || typeof detail.type !== 'string' || typeof detail.value !== 'string') return []
  // Some servers write the type URL of google.protobuf.Any.
  const type = detail.type.slice(detail.type.lastIndexOf('/') + 1)
  return [{ type, value: Buffer.from(detail.value, 'base64') }]
}
