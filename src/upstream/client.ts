// HTTP/1.1 client for one upstream origin, over undici's dispatcher. It follows no redirects and has no hidden timeouts (slow models
// think for minutes), honours proxies and extra CAs, and binds credentials to the configured origin.

import tls from 'node:tls'
import { isLoopback } from '../base/loopback.ts'
import { readRegularFile } from '../base/read-file.ts'
import type { Signal } from '../base/signal.ts'
import { GatewayError } from '../core/errors.ts'
import type { TurnTap } from '../core/tap.ts'
import type { ByteSource } from './byte-source.ts'
import { guardedLookup, refuseForbidden } from './guard-address.ts'
import { PendingRequest } from './pending-request.ts'
import type { PlayedDispatcher } from './played.ts'
import { createAgent, createEnvironmentAgent, createProxyAgent, type Dispatcher } from './undici.ts'

export interface ConnectOptions {
  /** The backend's name, for messages. */
  name?: string
  /** Proxy URL for this backend. */
  proxy?: string | undefined
  /** `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` of the environment apply (when `proxy` is absent), except to loopback. */
  environmentProxy?: boolean | undefined
  /** PEM files with certificate authorities to trust beside the usual ones. */
  caFiles?: readonly string[] | undefined
  /** The longest time to connect. */
  timeoutMs?: number | undefined
  /** Gets the time to the response header of each POST. */
  onAnswer?: ((seconds: number) => void) | undefined
  /** Replay only: answers all requests, in place of connections. */
  played?: PlayedDispatcher | undefined
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
  /** For services whose answers are in a form of their own: how to read one with these headers. Undefined: as it comes. */
  decode?(headers: UpstreamResponse['headers']): BodyDecoder | undefined
}

/** Everything after it, tapes included, gets the decoded bytes. */
export interface BodyDecoder {
  /** The type of the decoded body. */
  readonly contentType: string
  /** Throws a GatewayError for bytes that cannot be decoded. */
  push(bytes: Buffer): Buffer
  /** The body ended: throws if it is not complete. */
  end(): void
}

export interface UpstreamResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: ByteSource
}

export interface UpstreamClient {
  readonly origin: string
  /** The base URL, to which paths are appended: for messages, so without a user or password. */
  readonly base: string
  request(request: UpstreamRequest): Promise<UpstreamResponse>
  close(): Promise<void>
}

const connectTimeoutMs = 10_000

export function createUpstreamClient(baseUrl: string, connect: ConnectOptions = {}): UpstreamClient {
  const base = new URL(baseUrl)
  const { origin } = base
  const backend = connect.name ?? ''
  refuseForbidden(base.hostname)
  // A proxy cannot reach this machine's own loopback.
  const environmentProxy = connect.environmentProxy === true && !isLoopback(base.hostname)
  const dispatcher = connect.played ?? createDispatcher({ ...connect, environmentProxy })
  const upstream = {
    name: connect.name === undefined ? '' : `${connect.name}: `,
    host: base.host,
    proxied: connect.proxy !== undefined || environmentProxy,
    plain: base.protocol === 'http:',
    onAnswer: connect.onAnswer,
  }
  const prefix = base.pathname.replace(/(?<!\/)\/+$/, '')

  async function request(asked: UpstreamRequest): Promise<UpstreamResponse> {
    const { method, headers, body, signal, tap } = asked
    if (signal.aborted) throw GatewayError.ofAbort(signal)
    const path = prefix + asked.path
    const exchangeTap = tap?.exchange({ backend, origin, path, method, headers, body: body ?? '' })
    return new Promise((resolve, reject) => {
      const pending = new PendingRequest(asked, upstream, exchangeTap, { resolve, reject })
      try {
        dispatcher.dispatch({ origin, path, method, headers, body: body ?? null }, pending)
      } catch (error) {
        reject(GatewayError.from(error))
      }
    })
  }

  return { origin, base: origin + prefix, request, close: () => dispatcher.destroy() }
}

const mostAuthorityBytes = 16 * 1024 * 1024

/** Node replaces its root certificates by `ca`, so the list includes them beside the extra ones. */
export function trustedAuthorities(caFiles: readonly string[]): string[] | undefined {
  if (caFiles.length === 0) return undefined
  return [...tls.rootCertificates, ...caFiles.map(readAuthority)]
}

export function readAuthority(file: string): string {
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
