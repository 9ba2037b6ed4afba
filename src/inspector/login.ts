// Who may look: links that log a browser in once, and the sessions that come of them. Nothing is kept but digests.
//
// A cookie goes to every port of its host, also to a server of somebody else there. So a session has two halves: the cookie,
// which no script can read, and a word that the page keeps for its own origin, port and all, and sends as a header.

import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Exchange } from '../http/exchange.ts'
import { type LoginAnswer, pageHeader } from './api.ts'

export const linkMs = 10 * 60_000
const idleMs = 12 * 3_600_000
/** For each key, and for those who see all: no key can use up what another needs. */
const mostLinks = 20
const mostSessions = 20
/** Wrong links, of all callers together, in one minute: beyond, nobody is told what is wrong with theirs. */
const mostWrong = 20
const wrongWindowMs = 60_000

/** Whose turns somebody may see: those of one key, or all. */
export type Scope = { key: string } | 'all'

/** The same for the same; no key can be named so that it is taken for another. */
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

const secret = () => randomBytes(32).toString('base64url')
const digest = (text: string) => hash('sha256', text, 'buffer')

export class Logins {
  readonly #now: () => number
  #links: Link[] = []
  #sessions: Session[] = []
  #wrong: number[] = []

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** A new token for a link. */
  link(scope: Scope): string {
    const token = secret()
    // What was used or is too old stays for a while, so that whoever comes with it is told what is wrong.
    const [oldest] = surplus(this.#links, scope, mostLinks)
    this.#links = this.#links.filter((link) => link !== oldest)
    this.#links.push({ digest: digest(token), scope, madeAt: this.#now(), used: false })
    return token
  }

  redeem(token: string): NewSession | Extract<LoginAnswer, { problem: string }> {
    const now = this.#now()
    const presented = digest(token)
    const link = this.#links.filter((one) => timingSafeEqual(one.digest, presented))[0]
    if (link && !link.used && now - link.madeAt <= linkMs) {
      link.used = true
      return this.#begin(link.scope, now)
    }
    // Nobody guesses 256 bits: whoever has a right link is not to be kept out by who has none.
    this.#wrong = this.#wrong.filter((at) => now - at < wrongWindowMs)
    if (this.#wrong.length >= mostWrong) return { problem: 'too-many' }
    this.#wrong.push(now)
    return { problem: !link ? 'unknown' : link.used ? 'used' : 'expired' }
  }

  /** The session that this request belongs to. */
  find(exchange: Exchange): Session | undefined {
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

  /** Its page is open. */
  touch(session: Session): void {
    session.usedAt = this.#now()
  }

  end(session: Session): void {
    this.#sessions = this.#sessions.filter((one) => one !== session)
    for (const listener of session.onEnd) listener()
    session.onEnd.clear()
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

/** The oldest of this scope, where one more would be too many. */
function surplus<Scoped extends { scope: Scope }>(
  all: readonly Scoped[],
  scope: Scope,
  most: number,
): Scoped[] {
  const own = all.filter((one) => whoseOf(one.scope) === whoseOf(scope))
  return own.length < most ? [] : own.slice(0, 1)
}

/** Gateways on several ports of one host have one jar. */
const cookieName = (exchange: Exchange) =>
  `dragoman_inspector_${/:(\d+)$/.exec(exchange.header('host') ?? '')?.[1] ?? 'default'}`

export const setCookie = (exchange: Exchange, value: string) =>
  `${cookieName(exchange)}=${value}; Path=/inspector/; HttpOnly; SameSite=Strict${value === '' ? '; Max-Age=0' : ''}`

function cookieOf(exchange: Exchange): string | undefined {
  const prefix = `${cookieName(exchange)}=`
  const found = (exchange.header('cookie') ?? '').split(/; */).filter((one) => one.startsWith(prefix))
  // Of two with one name, nobody knows who set which.
  return found.length === 1 ? found[0]?.slice(prefix.length) : undefined
}
