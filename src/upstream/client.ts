// HTTP/1.1 client for one upstream origin, over undici's dispatcher. It follows no redirects and has no hidden timeouts (slow models
// think for minutes), honours proxies and extra CAs, and binds credentials to the configured origin.

import tls from 'node:tls'
import { readRegularFile } from '../base/read-file.ts'
import type { Signal } from '../base/signal.ts'
import { GatewayError } from '../core/errors.ts'
import type { TurnTap } from '../core/tap.ts'
import { ByteSource } from './byte-source.ts'
import { guardedLookup, refuseForbidden } from './guard-address.ts'
import { createAgent, createEnvironmentAgent, createProxyAgent, type Dispatcher } from './undici.ts'

export interface ConnectOptions {
  /** The backend's name, for messages. */
  name?: string
  /** Proxy URL for this backend. */
  proxy?: string | undefined
  /** `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` of the environment apply (when `proxy` is absent). */
  environmentProxy?: boolean | undefined
  /** PEM files with certificate authorities to trust beside the usual ones. */
  caFiles?: readonly string[] | undefined
  /** The longest time to connect. */
  timeoutMs?: number | undefined
  /** Gets the time to the response header of each POST. */
  onAnswer?: ((seconds: number) => void) | undefined
}

export interface UpstreamRequest {
  method: 'GET' | 'POST' | 'DELETE'
  /** Appended to the base URL's path. */
  path: string
  headers: Record<string, string>
  body?: string | Uint8Array
  signal: Signal
  /** Gets a function that cancels the request, for timers: a second signal would cost more. */
  onCancelable?(cancel: (reason: Error) => void): void
  tap?: TurnTap | undefined
}

export interface UpstreamResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: ByteSource
}

export interface UpstreamClient {
  readonly origin: string
  request(request: UpstreamRequest): Promise<UpstreamResponse>
  close(): Promise<void>
}

const connectTimeoutMs = 10_000

export function createUpstreamClient(baseUrl: string, connect: ConnectOptions = {}): UpstreamClient {
  const base = new URL(baseUrl)
  const name = connect.name === undefined ? '' : `${connect.name}: `
  refuseForbidden(base.hostname)
  const dispatcher = createDispatcher(connect)
  const proxied = connect.proxy !== undefined || connect.environmentProxy === true
  const prefix = base.pathname.replace(/(?<!\/)\/+$/, '')

  async function request({
    method,
    path,
    headers,
    body,
    signal,
    onCancelable,
    tap,
  }: UpstreamRequest): Promise<UpstreamResponse> {
    if (signal.aborted) throw GatewayError.ofAbort(signal)
    const exchangeTap = tap?.exchange({
      backend: connect.name ?? '',
      origin: base.origin,
      path: prefix + path,
      method,
      headers,
      body: body ?? '',
    })
    return new Promise((resolve, reject) => {
      let source: ByteSource | undefined
      let controller: Dispatcher.DispatchController | undefined
      let canceled: Error | undefined
      // Without a connection there is no controller yet: the caller still gets the rejection at once.
      const cancel = (reason: Error) => {
        canceled ??= reason
        reject(canceled)
        controller?.abort(canceled)
      }
      const onAbort = () => cancel(GatewayError.ofAbort(signal))
      onCancelable?.(cancel)
      signal.addEventListener('abort', onAbort, { once: true })
      const settle = () => signal.removeEventListener('abort', onAbort)
      const askedAt = performance.now()
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart(started) {
          controller = started
          if (canceled) started.abort(canceled)
        },
        onResponseStart(started, status, responseHeaders) {
          if (status < 200) return
          if (method === 'POST') connect.onAnswer?.((performance.now() - askedAt) / 1000)
          source = new ByteSource(started, exchangeTap)
          exchangeTap?.response(status, responseHeaders)
          resolve({ status, headers: responseHeaders, body: source })
        },
        onResponseData(_controller, chunk) {
          source?.onData(chunk)
        },
        onResponseEnd() {
          settle()
          exchangeTap?.end()
          source?.onEnd()
        },
        onResponseError(_controller, error) {
          settle()
          const answered = source !== undefined
          const failure = canceled ?? connectionFailure(error, { name, host: base.host, answered, proxied })
          exchangeTap?.error(failure.message)
          if (source) source.onError(failure)
          else reject(failure)
        },
      }
      try {
        dispatcher.dispatch(
          { origin: base.origin, path: prefix + path, method, headers, body: body ?? null },
          handler,
        )
      } catch (error) {
        reject(GatewayError.from(error))
      }
    })
  }

  return { origin: base.origin, request, close: () => dispatcher.destroy() }
}

const mostAuthorityBytes = 16 * 1024 * 1024

/** Node replaces its root certificates by `ca`, so the list includes them beside the extra ones. */
export function trustedAuthorities(caFiles: readonly string[]): string[] | undefined {
  if (caFiles.length === 0) return undefined
  return [...tls.rootCertificates, ...caFiles.map(readAuthority)]
}

function readAuthority(file: string): string {
  try {
    return readRegularFile(file, { maxBytes: mostAuthorityBytes }).toString('utf8')
  } catch (error) {
    throw new Error(`the certificates in ${file} cannot be read: it ${(error as Error).message}`, {
      cause: error,
    })
  }
}

function createDispatcher(options: ConnectOptions): Dispatcher {
  const { proxy, environmentProxy, caFiles = [], timeoutMs = connectTimeoutMs } = options
  const ca = trustedAuthorities(caFiles)
  const connect = { timeout: timeoutMs, lookup: guardedLookup, ...(ca ? { ca } : {}) }
  // Both undici timeouts default to 300 s, which is too short for slow thinking models. The progress clock and the signal apply instead.
  const shared = { headersTimeout: 0, bodyTimeout: 0, connect, pipelining: 1 }
  // A proxy agent ignores `connect`.
  const proxyTls = ca ? { requestTls: { ca }, proxyTls: { ca } } : {}
  if (proxy !== undefined) {
    return createProxyAgent({ ...shared, uri: proxy, ...proxyTls })
  }
  return environmentProxy ? createEnvironmentAgent({ ...shared, ...proxyTls }) : createAgent(shared)
}

export interface Circumstances {
  name: string
  host: string
  answered: boolean
  /** A proxy is configured; NO_PROXY may exempt this host. */
  proxied: boolean
}

export function connectionFailure(
  error: Error,
  { name, host, answered, proxied }: Circumstances,
): GatewayError {
  if (error instanceof GatewayError) return error
  const code = (error as NodeJS.ErrnoException).code ?? error.name
  if (answered) {
    return new GatewayError(
      'upstream-unavailable',
      `${name}the connection to ${host} broke before the answer was complete (${code}).`,
      {
        cause: error,
        status: 502,
      },
    )
  }
  const status = /^Proxy response \((\d+)\)/.exec(error.message)?.[1]
  const remedy = proxied && !/CERT|VERIFY/.test(code) ? proxyRemedy : remedies[code]
  return new GatewayError(
    'upstream-unavailable',
    `${name}${host} could not be reached (${status ? `the proxy answered ${status}` : code})${remedy ? `: ${remedy}` : ''}.`,
    {
      cause: error,
      status: 502,
    },
  )
}

const proxyRemedy =
  'check the proxy ("connect.proxy", or HTTPS_PROXY, HTTP_PROXY and NO_PROXY) and the server behind it'

const remedies: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there; start that server or correct "baseUrl"',
  ENOTFOUND: 'no such host; correct "baseUrl" or check the network',
  EAI_AGAIN: 'the name could not be resolved; check the network',
  ETIMEDOUT: 'no connection in time; check the network or set "connect.proxy"',
  UND_ERR_CONNECT_TIMEOUT: 'no connection within 10 s; check the network or set "connect.proxy"',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed; name its CA in "connect.ca"',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate chain is self-signed; name its CA in "connect.ca"',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted; name its CA in "connect.ca"',
}
