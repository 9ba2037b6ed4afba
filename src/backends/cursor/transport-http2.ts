// A run over HTTP/2: one request that stays open in both directions. The pool's pings detect a dead peer.

import { GatewayError } from '../../core/errors.ts'
import { encodeEnvelope, envelopeHead } from '../../protocols/connect/envelope.ts'
import type { Http2Exchange } from '../../upstream/http2-exchange.ts'
import { createHttp2Pool, type Http2PoolOptions } from '../../upstream/http2-pool.ts'
import { RunAnswer, streamContentType } from './run-answer.ts'
import type { RunOptions, RunStream, RunTransport, TransportOptions } from './transport.ts'

interface Http2TransportOptions extends TransportOptions {
  baseUrl: string
  connect?: Http2PoolOptions | undefined
}

const runPath = '/agent.v1.AgentService/Run'
const largeBytes = 64 * 1024
/** How long a closed stream may take to end by itself. */
const drainMs = 1_000

export function createHttp2Transport(options: Http2TransportOptions): RunTransport {
  const { origin, pathname } = new URL(options.baseUrl)
  const pool = createHttp2Pool(origin, { name: options.backend, ...options.connect })
  const path = pathname.replace(/(?<!\/)\/+$/, '') + runPath
  return {
    name: 'http2',
    place: { origin, path },
    async open({ headers, requestId, signal }: RunOptions) {
      const exchange = await pool.open(
        {
          ...headers,
          ':method': 'POST',
          ':path': path,
          'content-type': streamContentType,
          'connect-protocol-version': '1',
          'connect-accept-encoding': 'gzip',
          te: 'trailers',
          'x-request-id': requestId,
        },
        { signal },
      )
      return new Http2Run(exchange, options)
    },
    close: () => pool.close(),
  }
}

class Http2Run implements RunStream {
  readonly #exchange: Http2Exchange
  readonly #answer: RunAnswer
  #over = false
  /** Unknown: HTTP/2 acknowledges that the peer's machine has the bytes, not that the service has read them. */
  readonly taken = 0

  constructor(exchange: Http2Exchange, options: TransportOptions) {
    this.#exchange = exchange
    this.#answer = new RunAnswer({ response: exchange.response, read: () => exchange.read() }, options)
  }

  send(message: Uint8Array): void {
    if (this.#over) return
    if (message.length < largeBytes) return this.#exchange.write(encodeEnvelope(message))
    this.#exchange.write(envelopeHead(message.length))
    this.#exchange.write(message)
  }

  get isOver(): boolean {
    return this.#over || this.#exchange.isOver
  }

  get isFull(): boolean {
    return !this.#over && this.#exchange.isFull
  }

  drained(): Promise<void> {
    return this.#exchange.drained()
  }

  async read(): Promise<Uint8Array[] | null> {
    try {
      const messages = await this.#answer.read()
      if (messages === null) this.#letGo()
      return messages
    } catch (error) {
      this.#over = true
      this.#exchange.cancel(GatewayError.from(error))
      throw error
    }
  }

  close(): void {
    this.#answer.finish()
    this.#letGo()
  }

  cancel(): void {
    this.#over = true
    this.#exchange.cancel(new GatewayError('canceled', 'The run was given up.'))
  }

  #letGo(): void {
    if (this.#over) return
    this.#over = true
    this.#exchange.end()
    this.#exchange.drain(drainMs)
  }
}
