// A request for a WebSocket: admission as over HTTP, then the connection, or the answer that makes the client use HTTP at once.

import { GatewayError } from '../core/errors.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Guard } from '../http/guard.ts'
import { respondJson } from '../http/respond.ts'
import type { TakenSocket } from '../http/server.ts'
import { WebSocketConnection } from '../http/websocket/connection.ts'
import { handshakeProblem, openWebSocket } from '../http/websocket/upgrade.ts'
import { admitSocket } from './admit.ts'
import type { Entries, Entry } from './entry.ts'
import { responsesPath } from './responses-routes.ts'
import { ResponsesSocket } from './serve-socket.ts'

interface UpgradeServices {
  entry: Entry
  entries: Entries
  track(run: (entry: Entry) => Promise<void>): Promise<void>
}

export function upgrade(
  exchange: Exchange,
  take: () => TakenSocket,
  { entry, entries, track }: UpgradeServices,
): void {
  const { guard, services, webSocket } = entry
  const caller = admitSocket(exchange, { guard, draining: services.draining() })
  const { header, headerNames, path } = exchange
  if (path !== responsesPath)
    return refuseUpgrade(exchange, `WebSocket is not spoken at ${path.slice(0, 200)}; use ${responsesPath}.`)
  if (!webSocket)
    return refuseUpgrade(exchange, 'WebSocket is off ("responses.webSocket"); send POST requests.')
  const problem = handshakeProblem(header)
  if (problem !== undefined) {
    exchange.head.set('sec-websocket-version', '13')
    return refuseUpgrade(exchange, problem)
  }
  const { socket, head } = take()
  openWebSocket(socket, header('sec-websocket-key') ?? '', {})
  const early: Buffer[] = []
  let onMessage = (bytes: Buffer): void => {
    early.push(bytes)
  }
  const connection = new WebSocketConnection({
    socket,
    head,
    maxBytes: services.bodyLimits.bytes,
    budget: services.bodyLimits.budget,
    onMessage: (bytes) => onMessage(bytes),
  })
  const served = new ResponsesSocket({
    ...{ connection, caller, header, headerNames, entries, track },
    problem: (current) => admissionProblem(exchange, current, caller.key),
  })
  onMessage = (bytes) => served.onMessage(bytes)
  for (const bytes of early) onMessage(bytes)
}

/** Each message is a request: a key, a Host or an Origin that was removed since is not served any more. */
function admissionProblem(exchange: Exchange, guard: Guard, key: string): GatewayError | undefined {
  try {
    guard.checkHost(exchange)
    guard.checkOrigin(exchange)
    if (guard.authenticate(exchange) === key) return undefined
    return new GatewayError('unauthenticated', 'The key has another name now; open another connection.')
  } catch (error) {
    return GatewayError.from(error)
  }
}

/** 426: of all answers the one after which Codex uses HTTP without another try. */
function refuseUpgrade(exchange: Exchange, message: string): void {
  const error = { message, type: 'invalid_request_error', param: null, code: 'websocket_not_supported' }
  respondJson(exchange, 426, { error })
}
