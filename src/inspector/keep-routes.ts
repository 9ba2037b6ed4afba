// Pins turns, and clears the list: both in the gateway's memory, for all who see these turns.

import { isObject } from '../base/json.ts'
import { GatewayError } from '../core/errors.ts'
import type { Exchange } from '../http/exchange.ts'
import { readJsonBody } from '../http/json-body.ts'
import { respondJson } from '../http/respond.ts'
import type { HttpRoute } from '../http/route.ts'
import type { Scope } from './login.ts'
import type { KeepingShelf } from './turn-shelf.ts'
import { scopeOf, seenTurn, type Viewing } from './viewer.ts'

interface Keeping extends Omit<Viewing, 'shelf'> {
  shelf: KeepingShelf
}

const bodyLimits = { bytes: 4_096, values: 100 }
const pinPattern = /^\/inspector\/turns\/(turn_[A-Za-z0-9]{1,64})\/pin$/

export function keepRoutes(keeping: Keeping): HttpRoute<unknown>[] {
  return [
    {
      method: 'POST',
      path: '/inspector/turns/*/pin',
      page: true,
      handle: (exchange, _services, { key }) => pin(exchange, scopeOf(exchange, key, keeping), keeping),
    },
    {
      method: 'POST',
      path: '/inspector/clear',
      page: true,
      handle: (exchange, _services, { key }) => clear(exchange, scopeOf(exchange, key, keeping), keeping),
    },
  ]
}

async function pin(exchange: Exchange, scope: Scope, keeping: Keeping): Promise<void> {
  const [, turnId = ''] = pinPattern.exec(exchange.path) ?? []
  const { json } = await readJsonBody(exchange, bodyLimits)
  const pinned = isObject(json) ? json.pinned : undefined
  if (typeof pinned !== 'boolean')
    throw new GatewayError('invalid-request', 'Send {"pinned": true} or {"pinned": false}.')
  const { summary } = seenTurn(turnId, scope, keeping)
  if (pinned) keeping.shelf.pin(turnId, { key: summary.key, seesAll: scope === 'all' })
  else keeping.shelf.unpin(turnId)
  respondJson(exchange, 200, { pinned })
}

/** Turns that are over, began by `until`, are not pinned, and that the viewer sees. */
async function clear(exchange: Exchange, scope: Scope, { shelf, summary }: Keeping): Promise<void> {
  const { json } = await readJsonBody(exchange, bodyLimits)
  const until = isObject(json) ? json.until : undefined
  if (typeof until !== 'number' || !Number.isFinite(until))
    throw new GatewayError(
      'invalid-request',
      'Send {"until": TIME}: turns that began by then are cleared (milliseconds since 1970).',
    )
  const turns = shelf.all().flatMap(({ tape, startedAt, isPinned }) => {
    const isCleared = tape.isOver && !isPinned && startedAt <= until
    return isCleared && summary(tape.turn, scope) ? [tape.turn] : []
  })
  shelf.remove(turns)
  respondJson(exchange, 200, { cleared: turns.length })
}
