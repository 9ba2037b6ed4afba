// A route whose requests are turns, also those that the gateway refuses before it reads them.

import type { Caller } from '../core/caller.ts'
import type { Door } from '../doors/door.ts'
import type { Exchange } from '../http/exchange.ts'
import { beginTurn } from './begin-turn.ts'
import { nothingRead, refuseTurn } from './refuse-turn.ts'
import type { Route, RouteServices } from './routes.ts'
import { serveTurn } from './serve-turn.ts'

export const turnRoute = (
  row: Pick<Route, 'path' | 'keyInQuery'>,
  doorFor: (exchange: Exchange, services: RouteServices, caller: Caller) => Door,
): Route => ({
  method: 'POST',
  ...row,
  handle: (exchange, services, caller) =>
    serveTurn(exchange, doorFor(exchange, services, caller), caller, services),
  refuse: (exchange, services, caller, error) =>
    refuseTurn(
      beginTurn(exchange, doorFor(exchange, services, caller), caller, services),
      error,
      nothingRead,
    ),
})
