// Login of the inspector: links that log in one browser, once, and the sessions that they start. Only digests are stored.
//
// Browsers send a cookie to every port of its host, so another server there may receive it. A session therefore has two halves: the
// cookie, which scripts cannot read, and a token that the page stores for its own origin (with the port) and sends as a header.

import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Exchange } from '../http/exchange.ts'
import { type LoginAnswer, pageHeader } from './api.ts'

export const linkMs = 10 * 60_000
const idleMs = 12 * 3_600_000
/** Limits per key, and for users who see all turns: no key can use up the share of another. */
const mostLinks = 20
const mostSessions = 20
/** Wrong links of all callers in one minute; beyond this limit, the reason is not revealed. */
const mostWrong = 20
const wrongWindowMs = 60_000

/** The turns that a user may see: those of one key, or all. */
export type Scope = { key: string } | 'all'

/** Equal for equal scopes; no key name can collide with another scope. */
export const whoseOf = (scope: Scope): string => (scope === 'all' ? 'all' : `key ${scope.key}`)

interface Link {
  digest: Buffer
  scope: Scope
  madeAt: number
  used: boolean
}

export interface Session {
  readonly scope: Scope
  cookie: Buffer
  page: Buffer
  usedAt: number
  onEnd: Set<() => void>
}

export interface NewSession {
  cookie: string
  page: string
}

export type Redeemed = NewSession | Extract<LoginAnswer, { problem: string }>

/** Where links and sessions are kept: in this process, or in the parent of several workers (shared-logins.ts). */
export interface LoginDesk {
  link(scope: Scope): string | Promise<string>
  redeem(token: string): Redeemed | Promise<Redeemed>
  find(exchange: Exchange): Session | undefined
  /** A request that another process relays, for a viewer whose login it has checked. */
  relay(exchange: Exchange, scope: Scope): void
  isRelayed(exchange: Exchange): boolean
  touch(session: Session): void
  end(session: Session): void
  /** The key is not valid any more: neither are its links and sessions. */
  endKey(name: string): void
}

/** A session as plain data, without anything that logs in. */
interface PlainSession {
  /** Digests, in base64; that of the cookie is the name of the session. */
  cookie: string
  page: string
  scope: Scope
  usedAt: number
}

/** What another process must know to recognize the same logins. */
export type LoginChange =
  | { begun: PlainSession }
  | { ended: string }
  | { endedKey: string }
  | { used: string; at: number }

const secret = () => randomBytes(32).toString('base64url')
const digest = (text: string) => hash('sha256', text, 'buffer')

export class Logins implements LoginDesk {
  readonly #now: () => number
  readonly #relayed = new WeakMap<Exchange, Session>()
  #links: Link[] = []
  #sessions: Session[] = []
  #wrong: number[] = []

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** A new login token. */
  link(scope: Scope): string {
    const token = secret()
    // Used and expired links stay for a while, so that their users learn the reason.
    const [oldest] = surplus(this.#links, scope, mostLinks)
    this.#links = this.#links.filter((link) => link !== oldest)
    this.#links.push({ digest: digest(token), scope, madeAt: this.#now(), used: false })
    return token
  }

  redeem(token: string): Redeemed {
    const now = this.#now()
    const presented = digest(token)
    const link = this.#links.filter((one) => timingSafeEqual(one.digest, presented))[0]
    if (link && !link.used && now - link.madeAt <= linkMs) {
      link.used = true
      return this.#begin(link.scope, now)
    }
    // 256 bits cannot be guessed: a valid link must not be blocked by wrong ones.
    this.#wrong = this.#wrong.filter((at) => now - at < wrongWindowMs)
    if (this.#wrong.length >= mostWrong) return { problem: 'too-many' }
    this.#wrong.push(now)
    return { problem: !link ? 'unknown' : link.used ? 'used' : 'expired' }
  }

  relay(exchange: Exchange, scope: Scope): void {
    const none = Buffer.alloc(0)
    this.#relayed.set(exchange, { scope, cookie: none, page: none, usedAt: 0, onEnd: new Set() })
  }

  isRelayed(exchange: Exchange): boolean {
    return this.#relayed.has(exchange)
  }

  /** All sessions, for a process that starts later. */
  plain(): PlainSession[] {
    return this.#sessions.map(plainOf)
  }

  /** Does here what has happened elsewhere. */
  take(change: LoginChange): void {
    if ('begun' in change) {
      const { scope, cookie, page, usedAt } = change.begun
      const [first, second] = [Buffer.from(cookie, 'base64'), Buffer.from(page, 'base64')]
      this.#sessions.push({ scope, cookie: first, page: second, usedAt, onEnd: new Set() })
      return
    }
    if ('endedKey' in change) return this.endKey(change.endedKey)
    const name = 'ended' in change ? change.ended : change.used
    const session = this.#sessions.find((one) => nameOf(one) === name)
    if (session && 'ended' in change) this.end(session)
    else if (session && 'at' in change) session.usedAt = Math.max(session.usedAt, change.at)
  }

  /** The session of this request. */
  find(exchange: Exchange): Session | undefined {
    const relayed = this.#relayed.get(exchange)
    if (relayed) return relayed
    const cookie = cookieOf(exchange)
    const page = exchange.header(pageHeader)
    if (cookie === undefined || page === undefined) return undefined
    const [first, second] = [digest(cookie), digest(page)]
    const now = this.#now()
    for (const session of this.#sessions.filter(({ usedAt }) => now - usedAt > idleMs)) this.end(session)
    const found = this.#sessions.filter(
      (one) => timingSafeEqual(one.cookie, first) && timingSafeEqual(one.page, second),
    )[0]
    if (found) found.usedAt = now
    return found
  }

  /** The page is open. */
  touch(session: Session): void {
    session.usedAt = this.#now()
  }

  end(session: Session): void {
    this.#sessions = this.#sessions.filter((one) => one !== session)
    for (const listener of session.onEnd) listener()
    session.onEnd.clear()
  }

  endKey(name: string): void {
    const whose = whoseOf({ key: name })
    this.#links = this.#links.filter(({ scope }) => whoseOf(scope) !== whose)
    for (const session of this.#sessions.filter(({ scope }) => whoseOf(scope) === whose)) this.end(session)
  }

  #begin(scope: Scope, now: number): NewSession {
    const session = { cookie: secret(), page: secret() }
    const [oldest] = surplus(this.#sessions, scope, mostSessions)
    if (oldest) this.end(oldest)
    this.#sessions.push({
      scope,
      cookie: digest(session.cookie),
      page: digest(session.page),
      usedAt: now,
      onEnd: new Set(),
    })
    return session
  }
}

export const nameOf = ({ cookie }: Session): string => cookie.toString('base64')

const plainOf = (session: Session): PlainSession => ({
  ...{ cookie: nameOf(session), page: session.page.toString('base64') },
  ...{ scope: session.scope, usedAt: session.usedAt },
})

/** A URL that logs in one browser, once. */
export const loginUrl = (gatewayUrl: string, token: string): string =>
  `${reachable(gatewayUrl)}/#login=${token}`

/** A wildcard address cannot be called. */
const reachable = (url: string) =>
  url
    .replace('//0.0.0.0:', '//127.0.0.1:')
    .replace('//[::]:', '//[::1]:')
    .replace(/(?<!\/)\/+$/, '')

/** The oldest entries of this scope that exceed the limit. */
function surplus<Scoped extends { scope: Scope }>(
  all: readonly Scoped[],
  scope: Scope,
  most: number,
): Scoped[] {
  const own = all.filter((one) => whoseOf(one.scope) === whoseOf(scope))
  return own.length < most ? [] : own.slice(0, 1)
}

/** Gateways on several ports of one host share their cookies. */
const cookieName = (exchange: Exchange) =>
  `dragoman_inspector_${/:(\d+)$/.exec(exchange.header('host') ?? '')?.[1] ?? 'default'}`

export const setCookie = (exchange: Exchange, value: string) =>
  `${cookieName(exchange)}=${value}; Path=/inspector/; HttpOnly; SameSite=Strict${value === '' ? '; Max-Age=0' : ''}`

function cookieOf(exchange: Exchange): string | undefined {
  const prefix = `${cookieName(exchange)}=`
  const found = (exchange.header('cookie') ?? '').split(/; */).filter((one) => one.startsWith(prefix))
  // Of two cookies with one name, the origin is unknown.
  return found.length === 1 ? found[0]?.slice(prefix.length) : undefined
}
