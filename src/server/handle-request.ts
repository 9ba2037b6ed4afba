// One request from its arrival to the end of its answer: admission, the handler of its route, or an error.

import { GatewayError } from '../core/errors.ts'
import type { Exchange } from '../http/exchange.ts'
import { RouteTable } from '../http/route.ts'
import type { Upgrades } from '../http/server.ts'
import { TurnedAway } from '../http/turned-away.ts'
import type { Inspector } from '../inspector/inspector.ts'
import { admit, admitPeer } from './admit.ts'
import { type Control, controlRoutes } from './control.ts'
import type { Entries, Entry } from './entry.ts'
import { guarded, refuse } from './refuse.ts'
import { responsesPath } from './responses-routes.ts'
import { type Route, type RouteServices, routes } from './routes.ts'
import { upgrade } from './upgrade.ts'

export interface RequestHandler {
  /** Requests in progress. */
  readonly active: number
  handle(exchange: Exchange): Promise<void>
  /** For the port that only other instances use. */
  handlePeer(exchange: Exchange): Promise<void>
  readonly upgrades: Upgrades
}

interface RequestHandlerOptions {
  entries: Entries
  /** The same for every configuration. */
  cluster: RouteServices['cluster']
  draining(): boolean
  inspector: Inspector | undefined
  control: Control | undefined
  /** Routes that only some configurations have. */
  moreRoutes: readonly Route[]
  /** Workers share their clients' port: a request there cannot name the worker that it is for. */
  isWorker: boolean
}

export function createRequestHandler(options: RequestHandlerOptions): RequestHandler {
  const { entries, inspector, isWorker, cluster, control, draining, moreRoutes } = options
  const own = control ? controlRoutes(control) : []
  const table = new RouteTable<RouteServices>([
    ...(inspector?.routes ?? []),
    ...own,
    ...moreRoutes,
    ...routes,
  ])
  const admission = { routes: table, cluster: isWorker ? undefined : cluster, inspector, control }
  let active = 0

  function countTurnedAway(error: GatewayError): void {
    if (error instanceof TurnedAway) inspector?.countTurnedAway(error.reason)
    else if (guarded.has(error.code)) inspector?.countTurnedAway('peer')
  }

  async function answer(
    exchange: Exchange,
    enter: (entry: Entry) => ReturnType<typeof admit>,
  ): Promise<void> {
    const entry = entries.enter()
    const { services } = entry
    active++
    let admitted: ReturnType<typeof admit>
    try {
      admitted = enter(entry)
      if (admitted) await handle(exchange, admitted, services)
    } catch (thrown) {
      const error = GatewayError.from(thrown)
      if (!admitted) countTurnedAway(error)
      refuse(exchange, error, services)
    } finally {
      // A request is active until the client has read its answer: the gateway waits for that before it stops. Not for pages.
      if (exchange.sink.isBehind && !admitted?.route.page) await exchange.sink.drained()
      active--
      entries.leave(entry)
    }
  }

  async function track(run: (entry: Entry) => Promise<void>): Promise<void> {
    const entry = entries.enter()
    active++
    try {
      await run(entry)
    } finally {
      active--
      entries.leave(entry)
    }
  }

  return {
    upgrades: {
      // Elsewhere the wish is ignored, as HTTP allows; where nothing is, the client should not try again.
      takes: (path) =>
        path === responsesPath || !table.find({ method: 'GET', path, header: () => undefined }),
      handle: (exchange, take) =>
        track(async (entry) => {
          try {
            upgrade(exchange, take, { entry, entries, track })
          } catch (thrown) {
            const error = GatewayError.from(thrown)
            countTurnedAway(error)
            refuse(exchange, error, entry.services)
          }
        }),
    },
    get active() {
      return active
    },
    handle: (exchange) =>
      answer(exchange, ({ guard }) => admit(exchange, { draining: draining(), guard, ...admission })),
    handlePeer: (exchange) =>
      answer(exchange, () => admitPeer(exchange, { draining: draining(), routes: table, cluster })),
  }
}

function handle(
  exchange: Exchange,
  { route, caller, refusal }: NonNullable<ReturnType<typeof admit>>,
  services: RouteServices,
): Promise<void> | void {
  if (!refusal) return route.handle(exchange, services, caller)
  if (!route.refuse) throw refusal
  route.refuse(exchange, services, caller, refusal)
}
