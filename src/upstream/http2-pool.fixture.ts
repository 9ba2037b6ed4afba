import { setMaxListeners } from 'node:events'
import { afterTest, type OnStream } from '../../test/raw-peer.ts'
import type { GatewayError } from '../core/errors.ts'
import type { Http2Exchange } from './http2-exchange.ts'
import { createHttp2Pool, type Http2PoolOptions } from './http2-pool.ts'

export const post = { ':method': 'POST', ':path': '/run' }
export const never = new AbortController().signal
setMaxListeners(0, never)

export const poolFor = (url: string, options: Http2PoolOptions = {}) =>
  afterTest(createHttp2Pool(url, { name: 'box', ...options }), (pool) => pool.close())

export const failureOf = (promise: Promise<unknown>): Promise<GatewayError> =>
  promise.then(
    () => Promise.reject(new Error('did not fail')),
    (error) => error as GatewayError,
  )

export async function readText(exchange: Http2Exchange): Promise<string> {
  let text = ''
  for (let bytes = await exchange.read(); bytes !== null; bytes = await exchange.read()) text += bytes
  return text
}

export const echo: OnStream = (stream) => {
  stream.respond({ ':status': 200 })
  stream.pipe(stream)
}
export const park: OnStream = (stream) => stream.respond({ ':status': 200 })
