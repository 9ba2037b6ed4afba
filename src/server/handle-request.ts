// One request from its arrival to the end of its answer: admission, the handler of its route, or an error.

import { GatewayError } from '../core/errors.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Guard } from '../http/guard.ts'
import { RouteTable } from '../http/route.ts'
import type { Upgrades } from '../http/server.ts'
import type { Inspector } from '../inspector/inspector.ts'
import { admit, admitPeer } from './admit.ts'
import { refuse } from './refuse.ts'
import { responsesPath } from './responses-routes.ts'
import { type RouteServices, routes } from './routes.ts'
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
  services: RouteServices
  guard: Guard
  inspector: Inspector | undefined
  /** Workers share their clients' port: a request there cannot name the worker that it is for. */
  isWorker: boolean
  /** Whether the Responses API is served over WebSocket. */
  webSocket: boolean
}

export function createRequestHandler(options: RequestHandlerOptions): RequestHandler {
  const { services, guard, inspector, isWorker, webSocket } = options
  const { cluster } = services
  const table = new RouteTable<RouteServices>([...(inspector?.routes ?? []), ...routes])
  const admission = { guard, routes: table, cluster: isWorker ? undefined : cluster, inspector }
  let active = 0

  async function answer(exchange: Exchange, enter: () => ReturnType<typeof admit>): Promise<void> {
    active++
    let admitted: ReturnType<typeof admit>
    try {
      admitted = enter()
      await admitted?.route.handle(exchange, services, admitted.caller)
    } catch (thrown) {
      refuse(exchange, GatewayError.from(thrown), services)
    } finally {
      // A request is active until the client has read its answer: the gateway waits for that before it stops. Not for pages.
      if (exchange.sink.isBehind && !admitted?.route.page) await exchange.sink.drained()
      active--
    }
  }

  async function track(run: () => Promise<void>): Promise<void> {
    active++
    try {
      await run()
    } finally {
      active--
    }
  }

  return {
    upgrades: {
      // Elsewhere the wish is ignored, as HTTP allows; where nothing is, the client should not try again.
      takes: (path) =>
        path === responsesPath || !table.find({ method: 'GET', path, header: () => undefined }),
      handle: (exchange, take) =>
        track(async () => upgrade(exchange, take, { guard, services, webSocket, track })).catch(
          (error: unknown) => refuse(exchange, GatewayError.from(error), services),
        ),
    },
    get active() {
      return active
    },
    handle: (exchange) =>
      answer(exchange, () => admit(exchange, { draining: services.draining(), ...admission })),
    handlePeer: (exchange) =>
      answer(exchange, () => admitPeer(exchange, { draining: services.draining(), routes: table, cluster })),
  }
}
