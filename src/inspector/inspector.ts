// The inspector: keeps the newest turns and shows them to logged-in users. Loaded only if enabled.

import { version } from '../base/version.ts'
import type { Backend } from '../core/backend.ts'
import type { Exchange } from '../http/exchange.ts'
import type { HttpRoute } from '../http/route.ts'
import type { Scrubber } from '../observe/scrub.ts'
import type { SessionsView, TurnsAnswer } from './api.ts'
import { Live } from './live.ts'
import { Logins, type Scope } from './login.ts'
import { createRoutes } from './routes.ts'
import { Shelf, type ShelfLimits } from './shelf.ts'
import { Summaries } from './summaries.ts'

interface InspectorOptions extends ShelfLimits {
  backends: ReadonlyMap<string, Backend>
  scrubber: Scrubber
}

export interface Inspector {
  /** Tapes turns and keeps the newest. */
  readonly shelf: Shelf
  /** They take precedence over the gateway's own routes. */
  readonly routes: readonly HttpRoute<unknown>[]
  /** The request comes from a logged-in page. */
  isLoggedIn(exchange: Exchange): boolean
  /** A URL that logs in one browser, once. */
  link(gatewayUrl: string): string
  /** Ends the live streams. */
  close(): void
}

export function createInspector({ backends, scrubber, ...limits }: InspectorOptions): Inspector {
  const shelf = new Shelf(limits)
  const scrub = (text: string) => scrubber.scrub(text)
  const summaries = new Summaries(limits.turns, scrub)
  const logins = new Logins()
  const sessions = (scope: Scope) => sessionsOf(backends, scope)
  const all = (scope: Scope): TurnsAnswer => ({
    version,
    // Conversations are assigned in the order in which turns began; the newest is shown first.
    turns: shelf
      .all()
      .map((kept) => summaries.of(kept))
      .filter(({ key }) => isWithin(scope, key))
      .reverse(),
    sessions: sessions(scope),
  })
  const summary = (turnId: string, scope: Scope) => {
    const kept = shelf.get(turnId)
    const found = kept && summaries.of(kept)
    return found && isWithin(scope, found.key) ? found : undefined
  }
  const live = new Live({ shelf, all, summary, sessions, scrub })
  const routes = createRoutes({ shelf, summary, all, sessions, live, logins, scrubber })
  return {
    shelf,
    routes,
    isLoggedIn: (exchange) => logins.find(exchange) !== undefined,
    link: (url) => `${reachable(url)}/#login=${logins.link('all')}`,
    close: () => live.close(),
  }
}

/** A wildcard address cannot be called. */
const reachable = (url: string) =>
  url
    .replace('//0.0.0.0:', '//127.0.0.1:')
    .replace('//[::]:', '//[::1]:')
    .replace(/(?<!\/)\/+$/, '')

const isWithin = (scope: Scope, key: string) => scope === 'all' || scope.key === key

function sessionsOf(backends: ReadonlyMap<string, Backend>, scope: Scope): SessionsView[] {
  return [...backends].flatMap(([backend, { sessions }]) => {
    if (!sessions) return []
    const listed = (sessions.list?.() ?? []).filter(({ caller }) => isWithin(scope, caller.key))
    const number = (wanted: string) => listed.filter(({ state }) => state === wanted).length
    const own = { answering: number('answering'), waiting: number('waiting'), waitingBytes: 0 }
    const counts = scope === 'all' ? sessions.counts() : own
    return [{ backend, ...counts, sessions: listed.map(({ caller: _caller, ...shown }) => shown) }]
  })
}
