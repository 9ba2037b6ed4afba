// Who asks for a turn, and which turns that caller may see. For the route files of the inspector.

import { GatewayError } from '../core/errors.ts'
import type { Exchange } from '../http/exchange.ts'
import { respond } from '../http/respond.ts'
import type { Scrubber } from '../observe/scrub.ts'
import type { TurnSummary } from './api.ts'
import type { LoginDesk, Scope } from './login.ts'
import type { Peers } from './peers.ts'
import type { Kept, TurnShelf } from './turn-shelf.ts'

export interface Viewing {
  shelf: TurnShelf
  /** Undefined for a turn that the viewer may not see. */
  summary(turnId: string, scope: Scope): TurnSummary | undefined
  logins: LoginDesk
  scrubber: Scrubber
  /** Other processes that serve with this one. */
  peers?: Peers | undefined
}

/** A caller with a key sees the turns of that key. */
export const scopeOf = (exchange: Exchange, key: string, { logins }: Pick<Viewing, 'logins'>): Scope =>
  logins.find(exchange)?.scope ?? { key }

const goneTurn = (peers: Peers | undefined) =>
  new GatewayError(
    'not-found',
    `This turn is not kept${peers ? ' by this process' : ''}: it was never seen, newer ones needed its place, or it was cleared.${peers ? ' Another worker or instance may keep it; only that one can pin it or send it again.' : ''}`,
  )

/** The others, unless one of them asks. */
export const peersOf = (exchange: Exchange, { logins, peers }: Pick<Viewing, 'logins' | 'peers'>) =>
  logins.isRelayed(exchange) ? undefined : peers

/** The same answer for a turn of another key as for none. */
export function seenTurn(
  turnId: string,
  scope: Scope,
  { shelf, summary, peers }: Pick<Viewing, 'shelf' | 'summary' | 'peers'>,
): { kept: Kept; summary: TurnSummary } {
  const kept = shelf.get(turnId)
  const seen = summary(turnId, scope)
  if (!kept || !seen) throw goneTurn(peers)
  return { kept, summary: seen }
}

export const respondScrubbed = (exchange: Exchange, body: unknown, { scrubber }: Pick<Viewing, 'scrubber'>) =>
  respond(exchange, 200, 'application/json', scrubber.scrub(JSON.stringify(body)))
