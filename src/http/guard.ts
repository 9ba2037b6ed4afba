// Access control: the right Host (against DNS rebinding), no foreign web page, a known key. A route needs a key unless it is
// marked as open.

import { hash, timingSafeEqual } from 'node:crypto'
import type { Exchange } from './exchange.ts'
import { TurnedAway } from './turned-away.ts'

interface GuardOptions {
  /** Allowed Host names beside loopback. */
  hosts: readonly string[]
  origins: readonly string[]
  /** Empty: any or no key is accepted (loopback only, checked at startup). */
  keys: readonly { name: string; key: string }[]
}

export interface Guard {
  checkHost(exchange: Exchange): void
  /** `ownPage`: the gateway's own page may call this route. */
  checkOrigin(exchange: Exchange, options?: { ownPage?: boolean | undefined }): void
  /** Whether any key is configured. */
  readonly asksForKey: boolean
  /** The name of the caller's key. */
  authenticate(exchange: Exchange, options?: { keyInQuery?: boolean | undefined }): string
  /** The origin for CORS headers, if the request came from a configured one. */
  allowedOrigin(exchange: Exchange): string | undefined
}

const loopbackHosts = ['127.0.0.1', '[::1]', 'localhost']
/** Values of Sec-Fetch-Site for requests that no page of another site made. */
const ownSites = new Set(['same-origin', 'none'])
const hostPattern = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/

const digest = (text: string) => hash('sha256', text, 'buffer')

export function createGuard({ hosts, origins, keys }: GuardOptions): Guard {
  const allowedHosts = new Set([...loopbackHosts, ...hosts.map((host) => host.toLowerCase())])
  const allowedOrigins = new Set(origins)
  const digests = keys.map(({ name, key }) => ({ name, digest: digest(key) }))

  return {
    checkHost(exchange) {
      if (exchange.inProcess) return
      const host = (exchange.header('host') ?? '').toLowerCase()
      const name = hostPattern.exec(host)?.[1]
      if (!exchange.ambiguousHost && name !== undefined && allowedHosts.has(name)) return
      throw new TurnedAway(
        'host',
        'misdirected',
        'This Host is not served here; call the gateway by its address, or add the name to "allow.hosts".',
      )
    },

    asksForKey: digests.length > 0,

    checkOrigin(exchange, { ownPage = false } = {}) {
      if (exchange.inProcess) return
      const origin = exchange.header('origin')
      if (origin !== undefined) {
        if (allowedOrigins.has(origin) || (ownPage && isOwnOrigin(exchange, origin))) return
        throw new TurnedAway(
          'origin',
          'forbidden',
          'Web pages may not call the gateway; add the page\'s origin to "allow.origins" if this one should.',
        )
      }
      const site = exchange.header('sec-fetch-site')
      if (site !== undefined && !ownSites.has(site)) {
        throw new TurnedAway('origin', 'forbidden', 'Requests from other web sites are refused.')
      }
    },

    authenticate(exchange, { keyInQuery = false } = {}) {
      if (exchange.inProcess) return exchange.resending?.key ?? 'anonymous'
      if (digests.length === 0) return 'anonymous'
      const presented = exchange.ambiguousKey ? [] : presentedKeys(exchange, keyInQuery)
      if (presented.length === 0) {
        throw new TurnedAway(
          'no-key',
          'unauthenticated',
          'A key is needed: send "Authorization: Bearer KEY" (or x-api-key, x-goog-api-key). `dragoman doctor` says where the key is.',
        )
      }
      const found = presented.map(digest)
      // Constant time: every presented key is compared with every configured one, by digests of one length. Measured: 1.6 µs per
      // request with one configured key, 2.6 µs with ten, most of it SHA-256.
      const isFound = (key: Buffer) => found.filter((one) => timingSafeEqual(key, one)).length > 0
      const known = digests.filter((entry) => isFound(entry.digest))[0]
      if (known) return known.name
      throw new TurnedAway(
        'wrong-key',
        'unauthenticated',
        `This key is not known here.${presented.some(hasQuotes) ? ' It has quotes around it: send it without.' : ''} \`dragoman doctor\` says where the right one is.`,
      )
    },

    allowedOrigin(exchange) {
      const origin = exchange.header('origin')
      return origin !== undefined && allowedOrigins.has(origin) ? origin : undefined
    },
  }
}

/** The page's origin is the address that was called. Host was checked before. Old browsers send no Sec-Fetch-Site. */
function isOwnOrigin(exchange: Exchange, origin: string): boolean {
  const host = (exchange.header('host') ?? '').toLowerCase()
  const site = exchange.header('sec-fetch-site') ?? 'same-origin'
  return site === 'same-origin' && (origin === `http://${host}` || origin === `https://${host}`)
}

/** As in a shell's file of variables, read by a program that does not take them away. */
const hasQuotes = (key: string) => /^["'`]/.test(key)

/** Clients may send a login token in one header and the key in the other. */
function presentedKeys(exchange: Exchange, keyInQuery: boolean): string[] {
  const bearer = /^Bearer +(\S+) *$/i.exec(exchange.header('authorization') ?? '')?.[1]
  const inHeaders = [bearer, exchange.header('x-api-key'), exchange.header('x-goog-api-key')]
  const all = [...inHeaders, keyInQuery ? queryKey(exchange) : undefined]
  return all.filter((key) => key !== undefined && key !== '') as string[]
}

/** Undefined if it is there more than once: a proxy in front may have checked the other one. */
function queryKey({ query }: Exchange): string | undefined {
  const [key, ...others] = new URLSearchParams(query).getAll('key')
  return others.length === 0 ? key : undefined
}
