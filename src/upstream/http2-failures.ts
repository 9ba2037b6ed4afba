// Error messages for failed HTTP/2 connections and streams.

import { GatewayError, type GatewayErrorOptions } from '../core/errors.ts'
import { connectionFailure } from './connection-failure.ts'
import { noHttp2Code } from './open-socket.ts'

/** RFC 9113, section 7, by number. */
const resetNames = [
  'NO_ERROR',
  'PROTOCOL_ERROR',
  'INTERNAL_ERROR',
  'FLOW_CONTROL_ERROR',
  'SETTINGS_TIMEOUT',
  'STREAM_CLOSED',
  'FRAME_SIZE_ERROR',
  'REFUSED_STREAM',
  'CANCEL',
  'COMPRESSION_ERROR',
  'CONNECT_ERROR',
  'ENHANCE_YOUR_CALM',
  'INADEQUATE_SECURITY',
  'HTTP_1_1_REQUIRED',
]

const nameOf = (code: number) => resetNames[code] ?? `code ${code}`

export class Http2Failures {
  readonly #name: string
  readonly #host: string
  readonly #proxied: boolean

  constructor({ name, host, proxied }: { name: string; host: string; proxied: boolean }) {
    this.#name = name
    this.#host = host
    this.#proxied = proxied
  }

  unreachable(error: Error): GatewayError {
    if ((error as NodeJS.ErrnoException).code === noHttp2Code) return this.noHttp2(error)
    return connectionFailure(error, {
      name: this.#name,
      host: this.#host,
      answered: false,
      proxied: this.#proxied,
      plain: false,
    })
  }

  /** The host answered, but not with HTTP/2. */
  noHttp2(cause?: unknown): GatewayError {
    return new GatewayError(
      'upstream-protocol',
      `${this.#name}${this.#host} (or a proxy before it) does not speak HTTP/2; use the HTTP/1.1 transport for this backend.`,
      { cause, retryable: false },
    )
  }

  lost(goaway: number | undefined, cause?: unknown): GatewayError {
    const how = goaway
      ? `${this.#host} closed the connection (GOAWAY ${nameOf(goaway)})`
      : `the connection to ${this.#host} broke before the answer was complete`
    return this.#unavailable(how, cause === undefined ? {} : { cause })
  }

  reset(code: number): GatewayError {
    return this.#unavailable(`${this.#host} reset the stream (RST_STREAM ${nameOf(code)})`)
  }

  silent(timeoutMs: number): GatewayError {
    return this.#unavailable(
      `${this.#host} did not answer a ping within ${timeoutMs / 1000} s; the connection was closed`,
    )
  }

  noStreams(): GatewayError {
    return this.#unavailable(`${this.#host} allows no streams on its connections at the moment`)
  }

  full(connections: number, streams: number): GatewayError {
    return this.#unavailable(
      `all ${connections} connections to ${this.#host} are full (${streams} streams are open); try again when some have ended`,
      { ownFault: true },
    )
  }

  closed(): GatewayError {
    return this.#unavailable(`the connections to ${this.#host} were closed by the gateway`, {
      ownFault: true,
    })
  }

  #unavailable(what: string, options: GatewayErrorOptions = {}): GatewayError {
    return new GatewayError('upstream-unavailable', `${this.#name}${what}.`, { status: 502, ...options })
  }
}
