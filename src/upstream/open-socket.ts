// Opens a socket to an origin for HTTP/2: directly or through a proxy tunnel, with TLS for https. Proxy variables mean the same as for
// the other backends (client.ts, with undici's EnvHttpProxyAgent).

import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import tls from 'node:tls'
import { isLoopback } from '../base/loopback.ts'
import { guardedLookup } from './guard-address.ts'

interface SocketOptions {
  url: URL
  proxy: URL | undefined
  /** All trusted certificate authorities; Node's own if absent. */
  ca: string[] | undefined
  /** Cancels at once; the caller gets its reason. */
  signal: AbortSignal
}

export async function openSocket(options: SocketOptions): Promise<net.Socket> {
  const { url, proxy, signal } = options
  const socket = proxy ? await openTunnel(proxy, options) : await openDirect(url, signal)
  return url.protocol === 'https:' ? secure(socket, options) : socket
}

const bareHost = (url: URL) => url.hostname.replace(/^\[|\]$/g, '')
const portOf = (url: URL) => Number(url.port || (url.protocol === 'https:' ? 443 : 80))

function openDirect(url: URL, signal: AbortSignal): Promise<net.Socket> {
  const socket = net.connect({
    host: bareHost(url),
    port: portOf(url),
    lookup: guardedLookup,
    noDelay: true,
  })
  return whenReady({ socket, event: 'connect', signal })
}

async function secure(socket: net.Socket, { url, ca, signal }: SocketOptions): Promise<net.Socket> {
  const host = bareHost(url)
  const secured = tls.connect({
    socket,
    ALPNProtocols: ['h2'],
    // An address is not a server name (RFC 6066); the certificate is still checked against it.
    ...(net.isIP(host) ? { host } : { host, servername: host }),
    ...(ca ? { ca } : {}),
  })
  await whenReady({ socket: secured, event: 'secureConnect', signal }).catch((error) => {
    socket.destroy()
    throw /ALPN|NO_APPLICATION_PROTOCOL/.test(String(error?.code)) ? noHttp2(error) : error
  })
  if (secured.alpnProtocol === 'h2') return secured
  secured.destroy()
  throw noHttp2()
}

/** Error code for a server that speaks TLS but not HTTP/2. */
export const noHttp2Code = 'NO_HTTP2'

const noHttp2 = (cause?: unknown) =>
  Object.assign(new Error('HTTP/2 is not offered', { cause }), { code: noHttp2Code })

interface Waiting {
  socket: net.Socket
  event: 'connect' | 'secureConnect'
  signal: AbortSignal
}

function whenReady({ socket, event, signal }: Waiting): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      socket.destroy()
      reject(signal.reason)
    }
    // Never removed: an error event without a listener would end the process.
    socket.on('error', (error) => {
      signal.removeEventListener('abort', onAbort)
      reject(error)
    })
    socket.once('close', () => reject(new Error('closed before it was ready')))
    socket.once(event, () => {
      signal.removeEventListener('abort', onAbort)
      resolve(socket)
    })
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
}

function openTunnel(proxy: URL, { url, ca, signal }: SocketOptions): Promise<net.Socket> {
  const target = `${url.hostname}:${portOf(url)}`
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`
  return new Promise((resolve, reject) => {
    const request = (proxy.protocol === 'https:' ? https : http).request({
      host: bareHost(proxy),
      port: portOf(proxy),
      method: 'CONNECT',
      path: target,
      agent: false,
      headers: {
        host: target,
        ...(credentials === ':'
          ? {}
          : { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }),
      },
      ...(ca ? { ca } : {}),
    })
    const onAbort = () => {
      request.destroy()
      reject(signal.reason)
    }
    request.on('error', reject)
    request.once('connect', (response, socket, head) => {
      signal.removeEventListener('abort', onAbort)
      socket.on('error', reject)
      if (response.statusCode === 200) {
        if (head.length > 0) socket.unshift(head)
        resolve(socket)
        return
      }
      socket.destroy()
      // The same words as undici's, because connectionFailure() explains both.
      reject(new Error(`Proxy response (${response.statusCode}) !== 200 when HTTP Tunneling`))
    })
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    request.end()
  })
}

/** The proxy from the environment for this URL, unless `NO_PROXY` exempts it. A proxy cannot reach this machine's own loopback. */
export function proxyOfEnvironment(url: URL, env: NodeJS.ProcessEnv = process.env): URL | undefined {
  return isLoopback(url.hostname) ? undefined : proxyOfVariables(url, env)
}

/** As programs read the variables that make no exception of loopback. */
export function proxyOfVariables(url: URL, env: NodeJS.ProcessEnv): URL | undefined {
  const forHttp = env.http_proxy ?? env.HTTP_PROXY
  const forHttps = env.https_proxy ?? env.HTTPS_PROXY
  const proxy = url.protocol === 'https:' ? forHttps || forHttp : forHttp
  if (!proxy || isExempt(url, env.no_proxy ?? env.NO_PROXY ?? '')) return undefined
  return new URL(proxy)
}

function isExempt(url: URL, noProxy: string): boolean {
  if (noProxy === '*') return true
  const host = url.hostname.toLowerCase()
  return noProxy.split(/[,\s]+/).some((entry) => {
    const [, name = entry, port] = /^(.+):(\d+)$/.exec(entry) ?? []
    if (entry === '' || (port !== undefined && Number(port) !== portOf(url))) return false
    const exempt = name.replace(/^\*?\./, '').toLowerCase()
    return host === exempt || host.endsWith(`.${exempt}`)
  })
}
