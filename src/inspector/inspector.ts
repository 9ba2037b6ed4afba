// The inspector: keeps the newest turns, and shows them to whoever is logged in. Loaded where it is switched on.

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
  /** Watches turns, and has the newest. */
  readonly shelf: Shelf
  /** They come before the gateway's own. */
  readonly routes: readonly HttpRoute<unknown>[]
  /** This request comes from its page, and that is logged in. */
  isLoggedIn(exchange: Exchange): boolean
  /** An address that logs one browser in, once. */
  link(gatewayUrl: string): string
  /** Ends what pages listen to. */
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
    // Conversations are found in the order in which turns began; the newest is shown first.
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

/** A wildcard address is not one to call. */
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
