// Admission: Host, Origin and key are checked before the answer reveals which routes exist.

import type { Cluster } from '../cluster/cluster.ts'
import type { Caller } from '../core/caller.ts'
import { GatewayError } from '../core/errors.ts'
import { callerOf, type Exchange } from '../http/exchange.ts'
import type { Guard } from '../http/guard.ts'
import { respondText } from '../http/respond.ts'
import type { RouteTable } from '../http/route.ts'
import { TurnedAway } from '../http/turned-away.ts'
import type { Inspector } from '../inspector/inspector.ts'
import { admitOperator, type Control } from './control.ts'
import { noRoute } from './no-route.ts'
import type { Route, RouteServices } from './routes.ts'

export const stoppingError = () =>
  new GatewayError('upstream-unavailable', 'The gateway is stopping; send the request again.', {
    retryAfterMs: 1_000,
  })

const crowdedError = () =>
  new GatewayError(
    'upstream-unavailable',
    'The gateway has more connections than it takes; close some, or send the request again.',
    { retryAfterMs: 1_000 },
  )

/** Another instance: its messages name the caller of each turn. */
const peer: Caller = { key: 'peer' }
const operator: Caller = { key: 'operator' }

interface Admission {
  guard: Guard
  routes: RouteTable<RouteServices>
  cluster: Cluster | undefined
  inspector?: Pick<Inspector, 'isLoggedIn'> | undefined
  control?: Control | undefined
  draining: boolean
}

interface Admitted {
  route: Route
  caller: Caller
  /** Why the request is refused, although its caller may send it. */
  refusal?: GatewayError | undefined
}

/** Undefined if the request has been answered already. */
export function admit(
  exchange: Exchange,
  { guard, routes, cluster, inspector, control, draining }: Admission,
): Admitted | undefined {
  if (exchange.crowded) exchange.head.set('connection', 'close')
  const found = routes.find(exchange)
  exchange.head.setAll(found?.headers)
  const peers = found?.peer ? cluster : undefined
  if (found && peers?.isSigned(exchange)) {
    // The signature covers the request: it replaces the checks of Host and key.
    peers.admit(exchange)
    refuseBusy(exchange, draining)
    return { route: found, caller: peer }
  }
  guard.checkHost(exchange)
  guard.checkOrigin(exchange, { ownPage: found?.page })
  const origin = guard.allowedOrigin(exchange)
  if (origin !== undefined) exchange.head.setAll(corsHeaders(origin, exchange))
  if (origin !== undefined && exchange.method === 'OPTIONS') {
    respondText(exchange, 204, '')
    return undefined
  }
  if (found?.control && control) {
    admitOperator(exchange, control)
    return { route: found, caller: operator }
  }
  peers?.admit(exchange)
  const route = found?.peer ? undefined : found
  const key = route?.open ? 'anonymous' : authenticate(exchange, { guard, inspector, route })
  const refusal = route && !route.always ? busyError(exchange, draining) : undefined
  if (route) return { route, caller: callerOf(exchange, key), refusal }
  const methods = routes.methodsOf(exchange.path)
  if (methods.length > 0) exchange.head.set('allow', methods.join(', '))
  const known = routes.pathsOf(exchange.method)
  throw noRoute(exchange.method, exchange.path, { methods, inspects: inspector !== undefined, known })
}

/** The caller of a request for a WebSocket, which is checked like any other. */
export function admitSocket(
  exchange: Exchange,
  { guard, draining }: Pick<Admission, 'guard' | 'draining'>,
): Caller {
  if (exchange.crowded) exchange.head.set('connection', 'close')
  guard.checkHost(exchange)
  guard.checkOrigin(exchange)
  const key = guard.authenticate(exchange)
  refuseBusy(exchange, draining)
  return callerOf(exchange, key)
}

/** Without configured keys the inspector still needs its page's login: it shows the conversations of all clients. */
function authenticate(
  exchange: Exchange,
  { guard, inspector, route }: Pick<Admission, 'guard' | 'inspector'> & { route: Route | undefined },
): string {
  if (!route?.page) return guard.authenticate(exchange, { keyInQuery: route?.keyInQuery })
  if (inspector?.isLoggedIn(exchange)) return 'inspector'
  if (guard.asksForKey || exchange.inProcess) return guard.authenticate(exchange)
  throw new TurnedAway(
    'login',
    'unauthenticated',
    'The inspector is for its own page: open the link that was printed at the start, or get a new one by `dragoman inspect`.',
  )
}

/** For the port of other instances: nothing is revealed to anyone else, not even which routes are missing. */
export function admitPeer(
  exchange: Exchange,
  { routes, cluster, draining }: Pick<Admission, 'routes' | 'cluster' | 'draining'>,
): { route: Route; caller: Caller } {
  if (exchange.crowded) exchange.head.set('connection', 'close')
  cluster?.admit(exchange)
  const route = routes.find(exchange)
  if (!cluster || !route?.peer) throw new GatewayError('not-found', 'There is no such route for instances.')
  refuseBusy(exchange, draining)
  return { route, caller: peer }
}

function refuseBusy(exchange: Exchange, draining: boolean): void {
  const refusal = busyError(exchange, draining)
  if (refusal) throw refusal
}

function busyError({ crowded }: Exchange, draining: boolean): GatewayError | undefined {
  if (draining) return stoppingError()
  return crowded ? crowdedError() : undefined
}

/** Any header is allowed: SDKs send many of their own, and the key is what protects the gateway. */
const corsHeaders = (origin: string, exchange: Exchange) => ({
  'access-control-allow-origin': origin,
  'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
  'access-control-allow-headers':
    exchange.header('access-control-request-headers') ??
    'authorization, content-type, x-api-key, x-goog-api-key',
  'access-control-expose-headers':
    'x-dragoman-turn, x-dragoman-notes, x-dragoman-session, x-dragoman-account',
  vary: 'origin',
})
