// Fetches a page for the model: from public addresses only, checked after the name is resolved and then used as they are, so
// that a name cannot change its mind in between. A proxy of the environment is not used: it would look the name up itself, and
// may stand inside of a network that nobody outside should reach.

import dns from 'node:dns/promises'
import http from 'node:http'
import net from 'node:net'
import type { Duplex, Readable } from 'node:stream'
import tls from 'node:tls'
import zlib from 'node:zlib'
import type { Failure, JobOf, Outcome } from '../../protocols/client-tools/job.ts'
import { codeOf } from '../files/refusal.ts'
import { htmlToText } from './html-text.ts'
import { isPublicAddress } from './public-address.ts'

export interface FetchTarget {
  /** Checked; the name is not looked up again. */
  address: string
  hostname: string
  port: number
  secure: boolean
}

/** The way out. */
export interface Connect {
  lookup(hostname: string): Promise<readonly string[]>
  /** A stream that speaks HTTP/1.1, with TLS already where the target wants it. */
  open(target: FetchTarget, signal: AbortSignal): Promise<Duplex>
}

export interface FetchOptions {
  signal: AbortSignal
  outputBytes: number
  timeoutMs?: number
  connect?: Connect
}

const defaultTimeoutMs = 10_000
const maxRedirects = 3
/** Markup is most of a page. */
const markupFactor = 4
const userAgent = 'dragoman'

/** Never throws. */
export async function fetchPage(job: JobOf<'fetch'>, options: FetchOptions): Promise<Outcome> {
  const { timeoutMs = defaultTimeoutMs, signal: canceled } = options
  const clock = new AbortController()
  const timer = setTimeout(() => clock.abort(), timeoutMs)
  try {
    return await follow(job.url, { ...options, signal: AbortSignal.any([canceled, clock.signal]) })
  } catch (error) {
    if (error instanceof Refusal) return error.failure
    if (canceled.aborted) return failure(`${job.url} was not fetched: the request was canceled.`)
    if (clock.signal.aborted) return failure(`${job.url} did not answer within ${timeoutMs} ms.`)
    return failure(`${job.url} could not be fetched: ${error instanceof Error ? error.message : error}`)
  } finally {
    clearTimeout(timer)
  }
}

const failure = (error: string, more: Partial<Failure> = {}): Failure => ({ kind: 'failed', error, ...more })

class Refusal extends Error {
  readonly failure: Failure

  constructor(text: string, more: Partial<Failure> = { denied: true }) {
    super(text)
    this.failure = failure(text, more)
  }
}

async function follow(first: string, options: FetchOptions): Promise<Outcome> {
  let url = checkUrl(first)
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await request(url, options)
    const { statusCode = 0, headers } = response
    if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined)
      return await toOutcome(url, response, options)
    response.destroy()
    const next = checkUrl(new URL(headers.location, url).href)
    if (url.protocol === 'https:' && next.protocol === 'http:')
      throw new Refusal(`${url.href} leads to ${next.href}, which is not encrypted; it was not followed.`)
    url = next
  }
  throw new Refusal(`${first} leads on and on: more than ${maxRedirects} redirects are not followed.`, {})
}

function checkUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) throw new Refusal(`"${text}" is no URL.`, {})
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Refusal(`Only http and https are fetched, not ${url.protocol}//.`)
  if (url.username !== '' || url.password !== '')
    throw new Refusal('A URL with a name or a password in it is not fetched.')
  return url
}

async function request(url: URL, { connect = direct, signal }: FetchOptions): Promise<http.IncomingMessage> {
  const secure = url.protocol === 'https:'
  const hostname = url.hostname.replace(/^\[|\]$/g, '')
  const addresses = await publicAddresses(hostname, connect, signal)
  const port = Number(url.port) || (secure ? 443 : 80)
  const socket = await openFirst(
    addresses.map((address) => ({ address, hostname, port, secure })),
    connect,
    signal,
  )
  if (signal.aborted) socket.destroy()
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const sent = http.request(url.href.replace(/^https:/, 'http:'), {
      signal,
      // Heeded only where no agent is named.
      createConnection: () => socket,
      headers: {
        host: url.host,
        'user-agent': userAgent,
        accept: 'text/html, text/plain, text/markdown, application/json, */*;q=0.1',
        'accept-encoding': 'gzip, br',
        connection: 'close',
      },
    })
    sent.once('response', resolve)
    sent.once('error', reject)
    sent.end()
  })
}

/** A name of the inside is told like one that nobody has: neither that it exists, nor where it leads. */
async function publicAddresses(hostname: string, connect: Connect, signal: AbortSignal) {
  const unreached = () =>
    new Refusal(
      `${hostname} is not fetched: it has no address on the public Internet, and nothing else is reached from here.`,
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

const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal) =>
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

async function toOutcome(url: URL, response: http.IncomingMessage, options: FetchOptions): Promise<Outcome> {
  const { statusCode = 0, statusMessage = '', headers } = response
  const type = headers['content-type'] ?? ''
  if (statusCode < 200 || statusCode > 299) {
    response.destroy()
    throw new Refusal(
      `${url.href} answered ${statusCode} ${statusMessage}.`,
      statusCode === 404 || statusCode === 410 ? { notFound: true } : {},
    )
  }
  if (!isText(type)) {
    response.destroy()
    throw new Refusal(`${url.href} is ${type.slice(0, 100)}, which is no text.`, {})
  }
  const { bytes, cut } = await readUpTo(response, options.outputBytes * markupFactor)
  if (type === '' && bytes.subarray(0, 1024).includes(0))
    throw new Refusal(`${url.href} does not say what it is, and is no text.`, {})
  const text = decode(bytes, type)
  const isHtml = /html/i.test(type) || (type === '' && /^\s*<(!doctype html|html)/i.test(text))
  return { kind: 'fetch', content: clip(isHtml ? htmlToText(text) : text, options.outputBytes, cut) }
}

const isText = (type: string) =>
  type === '' ||
  /^(text\/|application\/([\w.-]*\+)?(json|xml|javascript|ecmascript|yaml|x-yaml|toml|x-ndjson|x-sh|sql|graphql|x-javascript)\b|image\/svg\+xml)/i.test(
    type.trim(),
  )

async function readUpTo(response: http.IncomingMessage, limit: number) {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of unpacked(response) as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.byteLength
      if (size > limit) break
    }
  } finally {
    response.destroy()
  }
  return { bytes: Buffer.concat(chunks).subarray(0, limit), cut: size > limit }
}

function unpacked(response: http.IncomingMessage): Readable {
  const coding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  const unpackers: Record<string, () => zlib.Gunzip | zlib.BrotliDecompress> = {
    gzip: zlib.createGunzip,
    'x-gzip': zlib.createGunzip,
    br: zlib.createBrotliDecompress,
  }
  if (coding === 'identity' || coding === '') return response
  const create = Object.hasOwn(unpackers, coding) ? unpackers[coding] : undefined
  if (create === undefined)
    throw new Refusal(`The answer is packed as "${coding.slice(0, 40)}", unasked.`, {})
  const unpacker = create()
  response.once('error', (error) => unpacker.destroy(error))
  return response.pipe(unpacker)
}

function decode(bytes: Uint8Array, type: string): string {
  const charset = /charset=["']?([\w.:-]{1,40})/i.exec(type)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

/** By bytes, as all limits here; never through a character. */
function clip(text: string, limit: number, wasCut: boolean): string {
  const bytes = Buffer.from(text.replaceAll('\0', '\ufffd'))
  if (bytes.byteLength <= limit)
    return wasCut ? `${bytes}\n[dragoman: the page goes on; this is its beginning]` : String(bytes)
  const kept = new TextDecoder().decode(bytes.subarray(0, limit), { stream: true })
  return `${kept}\n[dragoman: the page is cut here: ${limit} bytes are the limit]`
}
