// One request and its response. It is undici's handler itself, so a request costs one object.

import type { Signal } from '../base/signal.ts'
import { GatewayError } from '../core/errors.ts'
import type { ExchangeTap } from '../core/tap.ts'
import { ByteSource } from './byte-source.ts'
import type { BodyDecoder, ConnectOptions, UpstreamRequest, UpstreamResponse } from './client.ts'
import { causeOf, connectionFailure } from './connection-failure.ts'
import type { Dispatcher } from './undici.ts'

interface Upstream extends Pick<ConnectOptions, 'onAnswer'> {
  /** The backend's name and a colon, for messages; or nothing. */
  name: string
  host: string
  proxied: boolean
  plain: boolean
}

interface Settle {
  resolve(response: UpstreamResponse): void
  reject(error: Error): void
}

export class PendingRequest implements Dispatcher.DispatchHandler {
  readonly #method: UpstreamRequest['method']
  readonly #signal: Signal
  readonly #upstream: Upstream
  readonly #tap: ExchangeTap | undefined
  readonly #settle: Settle
  readonly #askedAt = performance.now()
  readonly #decode: UpstreamRequest['decode']
  #decoder: BodyDecoder | undefined
  #source: ByteSource | undefined
  #controller: Dispatcher.DispatchController | undefined
  #canceled: Error | undefined

  constructor(request: UpstreamRequest, upstream: Upstream, tap: ExchangeTap | undefined, settle: Settle) {
    this.#method = request.method
    this.#signal = request.signal
    this.#upstream = upstream
    this.#tap = tap
    this.#settle = settle
    this.#decode = request.decode
    request.onCancelable?.(this.#cancel)
    this.#signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#canceled) controller.abort(this.#canceled)
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: UpstreamResponse['headers'],
  ): void {
    if (status < 200) return
    if (this.#method === 'POST') this.#upstream.onAnswer?.((performance.now() - this.#askedAt) / 1000)
    this.#source = new ByteSource(controller, this.#tap)
    this.#decoder = this.#decode?.(headers)
    const seen = this.#decoder ? { ...headers, 'content-type': this.#decoder.contentType } : headers
    this.#tap?.response(status, seen)
    this.#settle.resolve({ status, headers: seen, body: this.#source })
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#decoder === undefined) return this.#source?.onData(chunk)
    try {
      const bytes = this.#decoder.push(chunk)
      if (bytes.length > 0) this.#source?.onData(bytes)
    } catch (error) {
      controller.abort(GatewayError.from(error))
    }
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    try {
      this.#decoder?.end()
    } catch (error) {
      return this.onResponseError(controller, GatewayError.from(error))
    }
    this.#stopListening()
    this.#tap?.end()
    this.#source?.onEnd()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#stopListening()
    const { name, host, proxied, plain } = this.#upstream
    const answered = this.#source !== undefined
    const failure = this.#canceled ?? connectionFailure(error, { name, host, answered, proxied, plain })
    this.#tap?.error(failure, this.#canceled || proxied ? undefined : causeOf(error))
    if (this.#source) this.#source.onError(failure)
    else this.#settle.reject(failure)
  }

  // Without a connection there is no controller yet: the caller still gets the rejection at once.
  readonly #cancel = (reason: Error): void => {
    this.#canceled ??= reason
    this.#settle.reject(this.#canceled)
    this.#controller?.abort(this.#canceled)
  }

  readonly #onAbort = (): void => this.#cancel(GatewayError.ofAbort(this.#signal))

  #stopListening(): void {
    this.#signal.removeEventListener('abort', this.#onAbort)
  }
}
