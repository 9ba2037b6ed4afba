// The inspector: keeps the newest turns and shows them to logged-in users. Loaded only if enabled.

import { version } from '../base/version.ts'
import type { Backend } from '../core/backend.ts'
import { GatewayError } from '../core/errors.ts'
import { accountsOf } from '../core/pool/views.ts'
import type { Exchange } from '../http/exchange.ts'
import { type HttpRoute, RouteTable } from '../http/route.ts'
import type { TurnedAwayReason } from '../http/turned-away.ts'
import { Figures } from '../observe/figures.ts'
import { type PriceConfig, Prices } from '../observe/prices.ts'
import type { Scrubber } from '../observe/scrub.ts'
import { FiguresKeeper } from '../observe/turn-figures.ts'
import type { Abilities, SessionsView } from './api.ts'
import { keepRoutes } from './keep-routes.ts'
import { type LoginChange, type LoginDesk, Logins, loginUrl, type Scope } from './login.ts'
import { type PeerLink, Peers, type RelayedAsk } from './peers.ts'
import { resendRoutes, type Send } from './resend-routes.ts'
import { createRoutes } from './routes.ts'
import { type LoginOffice, SharedLogins } from './shared-logins.ts'
import { Shelf, type ShelfLimits } from './shelf.ts'
import { TurnedAwayCounts } from './turned-away-counts.ts'
import { createViews, isWithin } from './views.ts'

interface InspectorOptions extends ShelfLimits {
  /** What models cost, in the configuration in force. */
  config: PriceConfig
  /** Several may have one name, after a change of its settings. */
  backends(): Iterable<readonly [string, Backend]>
  scrubber: Scrubber
  /** Other processes that serve with this one. */
  peers?: PeerLink | undefined
  /** Keeps the logins of several workers. */
  office?: LoginOffice | undefined
  /** Whether its users may send recorded requests again. */
  resend: boolean
}

export interface Inspector {
  /** Tapes turns and keeps the newest. */
  readonly shelf: Shelf
  /** Counts turns as they end. */
  readonly figures: FiguresKeeper
  /** They take precedence over the gateway's own routes. */
  readonly routes: readonly HttpRoute<unknown>[]
  /** Counts a request without a right key, host or origin. */
  countTurnedAway(reason: TurnedAwayReason): void
  /** The request comes from a logged-in page. */
  isLoggedIn(exchange: Exchange): boolean
  /** A URL that logs in one browser, once; undefined for a worker, whose parent gives links. */
  link(gatewayUrl: string): string | undefined
  /** Answers another process, for a viewer whose login it has checked. */
  servePeer(exchange: Exchange, asked: RelayedAsk): Promise<void> | void
  /** A login has begun or ended at another worker. */
  takeLogin(change: LoginChange): void
  /** The way to send a request through the gateway, which is created later. */
  sendBy(send: Send): void
  /** Ends what this key opened: its links, logins and live streams. */
  endKey(name: string): void
  /** Ends the live streams. */
  close(): void
}

const resendIsOff =
  'Requests are not sent again here: "inspector.resend" is false. Set it to true, or copy the request as a command.'

export function createInspector(options: InspectorOptions): Inspector {
  const { config, backends, scrubber, peers: peerLink, office, resend, ...limits } = options
  const away = new TurnedAwayCounts()
  const shelf = new Shelf(limits, () => away.add('rate'))
  // They belong to no key.
  const turnedAway = (scope: Scope) => (scope === 'all' ? away.all() : [])
  const prices = new Prices(config)
  const keeper = new FiguresKeeper(new Figures(), prices)
  const own = new Logins()
  const shared = office && new SharedLogins(office)
  const logins: LoginDesk = shared ?? own
  const peers = peerLink && new Peers(peerLink)
  const may: Abilities = { resend: resend || resendIsOff, change: true }
  const sessions = (scope: Scope) => sessionsOf(backends(), scope)
  const summarizing = { turns: limits.turns, prices, withThreads: peerLink !== undefined }
  const views = createViews({ shelf, scrubber, sessions, turnedAway, may, ...summarizing })
  const figures = {
    ...{ version, sessions },
    accounts: (scope: Scope) => (scope === 'all' ? accountsOf(backends()) : []),
    snapshot: (minutes: number, scope: Scope) =>
      keeper.figures.snapshot(minutes, scope === 'all' ? undefined : scope.key),
  }
  const viewing = { shelf, logins, scrubber, summary: views.summary, peers }
  let send: Send | undefined
  const more = [...keepRoutes(viewing), ...resendRoutes({ ...viewing, may, send: () => send })]
  const routes = createRoutes({ ...viewing, ...views, figures, more })
  const table = new RouteTable(routes)
  return {
    shelf,
    figures: keeper,
    routes,
    countTurnedAway: (reason) => away.add(reason),
    isLoggedIn: (exchange) => logins.find(exchange) !== undefined,
    link: (url) => (shared ? undefined : loginUrl(url, own.link('all'))),
    servePeer: (exchange, asked) => servePeer(exchange, asked, { table, logins }),
    takeLogin: (change) => shared?.take(change),
    sendBy: (way) => {
      send = way
    },
    endKey(name) {
      logins.endKey(name)
      views.live.endKey(name)
    },
    close: () => views.live.close(),
  }
}

/** Another process may ask what the page asks for, except for logins. */
async function servePeer(
  exchange: Exchange,
  { path, query, key }: RelayedAsk,
  { table, logins }: { table: RouteTable<unknown>; logins: LoginDesk },
): Promise<void> {
  const asked: Exchange = { ...exchange, method: 'GET', path, query, header: () => undefined }
  const route = table.find(asked)
  if (!route?.page) throw new GatewayError('not-found', 'This inspector has no such route.')
  logins.relay(asked, key === undefined ? 'all' : { key })
  await route.handle(asked, undefined, { key: key ?? '' })
}

function sessionsOf(backends: Iterable<readonly [string, Backend]>, scope: Scope): SessionsView[] {
  const views = new Map<string, SessionsView>()
  for (const [backend, { sessions }] of backends) {
    if (!sessions) continue
    const listed = (sessions.list?.() ?? []).filter(({ caller }) => isWithin(scope, caller.key))
    const number = (wanted: string) => listed.filter(({ state }) => state === wanted).length
    const own = { answering: number('answering'), waiting: number('waiting'), waitingBytes: 0 }
    const counts = scope === 'all' ? sessions.counts() : own
    const before = views.get(backend) ?? { answering: 0, waiting: 0, waitingBytes: 0, sessions: [] }
    views.set(backend, {
      backend,
      answering: before.answering + counts.answering,
      waiting: before.waiting + counts.waiting,
      waitingBytes: before.waitingBytes + counts.waitingBytes,
      sessions: [...before.sessions, ...listed.map(({ caller: _caller, ...shown }) => shown)],
    })
  }
  return [...views.values()]
}
