// One request from its arrival to the end of its answer: admission, the handler of its route, or an error.

import { GatewayError } from '../core/errors.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Guard } from '../http/guard.ts'
import { RouteTable } from '../http/route.ts'
import type { Inspector } from '../inspector/inspector.ts'
import { admit, admitPeer } from './admit.ts'
import { refuse } from './refuse.ts'
import { type RouteServices, routes } from './routes.ts'

export interface RequestHandler {
  /** Requests in progress. */
  readonly active: number
  handle(exchange: Exchange): Promise<void>
  /** For the port that only other instances use. */
  handlePeer(exchange: Exchange): Promise<void>
}

interface RequestHandlerOptions {
  services: RouteServices
  guard: Guard
  inspector: Inspector | undefined
  /** Workers share their clients' port: a request there cannot name the worker that it is for. */
  isWorker: boolean
}

export function createRequestHandler(options: RequestHandlerOptions): RequestHandler {
  const { services, guard, inspector, isWorker } = options
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

  return {
    get active() {
      return active
    },
    handle: (exchange) =>
      answer(exchange, () => admit(exchange, { draining: services.draining(), ...admission })),
    handlePeer: (exchange) =>
      answer(exchange, () => admitPeer(exchange, { draining: services.draining(), routes: table, cluster })),
  }
}
