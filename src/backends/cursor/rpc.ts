// Unary calls to Cursor's services. A refused token is renewed once.

import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { nativeSignal } from '../../base/signal.ts'
import { GatewayError } from '../../core/errors.ts'
import type { CursorCredentials } from '../../credentials/cursor.ts'
import type { UpstreamClient, UpstreamRequest } from '../../upstream/client.ts'
import type { Identity } from './identity.ts'
import { toRefusal } from './run-answer.ts'

interface RpcOptions {
  backend: string
  client: UpstreamClient
  credentials: CursorCredentials
  identity: Identity
  clientVersion: string
}

interface UnaryCall<In extends DescMessage, Out extends DescMessage> {
  path: string
  input: In
  output: Out
  message: MessageInitShape<In>
  signal: AbortSignal
}

export interface Rpc {
  call<In extends DescMessage, Out extends DescMessage>(call: UnaryCall<In, Out>): Promise<MessageShape<Out>>
  json(request: Pick<UpstreamRequest, 'method' | 'path' | 'body' | 'signal'>): Promise<unknown>
}

const maxAnswerBytes = 16 * 1024 * 1024

export function createRpc(options: RpcOptions): Rpc {
  const { backend, client } = options

  async function attempt(request: UpstreamRequest, token: string): Promise<Buffer> {
    const headers = { ...options.identity(token), 'connect-protocol-version': '1', ...request.headers }
    const response = await client.request({ ...request, headers })
    const { bytes, cut } = await response.body.readAll(maxAnswerBytes)
    if (response.status === 200 && !cut) return bytes
    const excerpt = bytes.subarray(0, 64 * 1024).toString('utf8')
    throw toRefusal({ status: response.status, headers: response.headers, excerpt }, options)
  }

  const send = (request: UpstreamRequest) =>
    withToken(options.credentials, nativeSignal(request.signal), (token) => attempt(request, token))

  const undecodable = (path: string, cause: unknown) =>
    new GatewayError('upstream-protocol', `${backend}: the upstream's answer to ${path} cannot be decoded.`, {
      cause,
    })

  return {
    async call({ path, input, output, message, signal }) {
      const body = toBinary(input, create(input, message))
      const bytes = await send({
        method: 'POST',
        path,
        headers: { 'content-type': 'application/proto' },
        body,
        signal,
      })
      try {
        return fromBinary(output, bytes)
      } catch (error) {
        throw undecodable(path, error)
      }
    },
    async json(request) {
      const bytes = await send({
        ...request,
        headers: { 'content-type': 'application/json', accept: 'application/json' },
      })
      try {
        return JSON.parse(bytes.toString('utf8'))
      } catch (error) {
        throw undecodable(request.path, error)
      }
    },
  }
}

/** Calls `work` with a token, and again with a new one if the service refuses the first. */
export async function withToken<Result>(
  credentials: CursorCredentials,
  signal: AbortSignal,
  work: (token: string) => Promise<Result>,
): Promise<Result> {
  const token = await credentials.accessToken(signal)
  try {
    return await work(token)
  } catch (error) {
    if (GatewayError.from(error).code !== 'unauthenticated') throw error
    credentials.reject(token)
    const renewed = await credentials.accessToken(signal)
    if (renewed === token) throw error
    return work(renewed)
  }
}
