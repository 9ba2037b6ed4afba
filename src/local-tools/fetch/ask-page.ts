// One HTTP/1.1 request for a page, over one socket to a checked address. It ends with its signal at every step, whatever the
// server does.

import dns from 'node:dns/promises'
import http from 'node:http'
import net from 'node:net'
import type { Duplex } from 'node:stream'
import tls from 'node:tls'
import { codeOf, Refusal } from '../files/refusal.ts'
import { isPublicAddress } from './public-address.ts'

interface FetchTarget {
  /** Checked; the name is not resolved again. */
  address: string
  hostname: string
  port: number
  secure: boolean
}

/** Name resolution and connections. */
export interface Connect {
  lookup(hostname: string): Promise<readonly string[]>
  /** A stream for HTTP/1.1, after the TLS handshake if the target is secure. */
  open(target: FetchTarget, signal: AbortSignal): Promise<Duplex>
}

interface AskOptions {
  signal: AbortSignal
  connect?: Connect
}

const userAgent = 'dragoman'

export async function askPage(
  url: URL,
  { connect = direct, signal }: AskOptions,
): Promise<http.IncomingMessage> {
  const secure = url.protocol === 'https:'
  const hostname = url.hostname.replace(/^\[|\]$/g, '')
  const addresses = await publicAddresses(hostname, connect, signal)
  const port = Number(url.port) || (secure ? 443 : 80)
  const socket = await openFirst(
    addresses.map((address) => ({ address, hostname, port, secure })),
    connect,
    signal,
  )
  destroyWhenAborted(socket, signal)
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const sent = http.request(url.href.replace(/^https:/, 'http:'), {
      // Used only without an agent.
      createConnection: () => socket,
      headers: {
        host: url.host,
        'user-agent': userAgent,
        accept: 'text/html, text/plain, text/markdown, application/json, */*;q=0.1',
        'accept-encoding': 'gzip, br',
        connection: 'close',
      },
    })
    const refuseProtocol = () => {
      socket.destroy()
      reject(new Refusal(`${url.href} answered 101 Switching Protocols, which was not asked for.`))
    }
    // Node detaches an upgraded request: no other event would follow.
    sent.once('upgrade', refuseProtocol)
    sent.on('information', ({ statusCode }) => statusCode === 101 && refuseProtocol())
    sent.once('response', resolve)
    sent.on('error', reject)
    sent.once('close', () => reject(new Error('the connection was closed without an answer')))
    sent.end()
  })
}

/** Destroys the socket: what destroying a request does depends on its state. */
function destroyWhenAborted(socket: Duplex, signal: AbortSignal): void {
  const destroy = () => socket.destroy()
  // The request handles errors while it exists.
  socket.on('error', () => undefined)
  socket.once('close', () => signal.removeEventListener('abort', destroy))
  signal.addEventListener('abort', destroy, { once: true })
  if (signal.aborted) destroy()
}

/** An internal name fails like an unknown one: the error reveals neither its existence nor its address. */
async function publicAddresses(hostname: string, connect: Connect, signal: AbortSignal) {
  const unreached = () =>
    new Refusal(
      `${hostname} is not fetched: it has no address on the public Internet, and nothing else is reached from here.`,
      'denied',
    )
  const unknown = (error: unknown) => {
    if (['ENOTFOUND', 'ENODATA'].includes(codeOf(error) ?? '')) throw unreached()
    throw error
  }
  const found =
    net.isIP(hostname) === 0
      ? await unlessAborted(connect.lookup(hostname), signal).catch(unknown)
      : [hostname]
  if (found.length === 0 || !found.every(isPublicAddress)) throw unreached()
  return found.toSorted((one, other) => net.isIP(one) - net.isIP(other))
}

async function openFirst(targets: readonly FetchTarget[], connect: Connect, signal: AbortSignal) {
  let last: unknown
  for (const target of targets.slice(0, 3)) {
    try {
      return await connect.open(target, signal)
    } catch (error) {
      signal.throwIfAborted()
      last = error
    }
  }
  throw last
}

export const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal) =>
  new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })

const direct: Connect = {
  lookup: async (hostname) => (await dns.lookup(hostname, { all: true })).map(({ address }) => address),
  open: ({ address, hostname, port, secure }, signal) => {
    const to = { host: address, port }
    const servername = net.isIP(hostname) === 0 ? { servername: hostname } : {}
    const socket = secure
      ? tls.connect({ ...to, ...servername, ALPNProtocols: ['http/1.1'] })
      : net.connect(to)
    return unlessAborted(
      new Promise<Duplex>((resolve, reject) => {
        socket.once(secure ? 'secureConnect' : 'connect', () => resolve(socket))
        socket.once('error', reject)
      }),
      signal,
    ).catch((error) => {
      socket.destroy()
      throw error
    })
  },
}
