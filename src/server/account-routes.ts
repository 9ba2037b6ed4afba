// GET and POST /control/accounts: the operator sees the accounts of all backends, and takes one out or in again.

import { isObject } from '../base/json.ts'
import { GatewayError } from '../core/errors.ts'
import type { AccountAction } from '../core/pool/health.ts'
import { accountsOf, poolsOf } from '../core/pool/views.ts'
import type { Exchange } from '../http/exchange.ts'
import { readJsonBody } from '../http/json-body.ts'
import { respondJson } from '../http/respond.ts'
import type { Route, RouteServices } from './routes.ts'

export const accountsPath = '/control/accounts'

const limits = { bytes: 4_096, values: 100 }
const actions = new Set<unknown>(['clear', 'disable', 'enable'] satisfies AccountAction[])

export const accountRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: accountsPath,
    control: true,
    always: true,
    handle: async (exchange, services) => answerAll(exchange, services),
  },
  {
    method: 'POST',
    path: accountsPath,
    control: true,
    always: true,
    handle: async (exchange, services) => {
      const { json } = await readJsonBody(exchange, limits)
      const { action, account } = isObject(json) ? json : {}
      if (!actions.has(action) || typeof account !== 'string')
        throw new GatewayError('invalid-request', 'Send {"action": "clear", "account": "BACKEND@ACCOUNT"}.')
      actOn(account, action as AccountAction, services)
      await answerAll(exchange, services)
    },
  },
]

/** Of the configuration in force, with what other instances know of them. */
async function answerAll(exchange: Exchange, { backends, scrubber }: RouteServices): Promise<void> {
  const pools = poolsOf(backends())
  await Promise.all([...pools.values()].map((pool) => pool.refresh()))
  respondJson(exchange, 200, scrubber.scrubListing({ accounts: accountsOf(backends()) }))
}

function actOn(wanted: string, action: AccountAction, { backends }: RouteServices): void {
  const at = wanted.indexOf('@')
  const name = wanted.slice(at + 1)
  const having = [...poolsOf(backends())].filter(
    ([backend, pool]) => (at < 0 || backend === wanted.slice(0, at)) && pool.has(name),
  )
  const [found, ...others] = having
  if (!found)
    throw new GatewayError(
      'not-found',
      `There is no account "${wanted.slice(0, 100)}"; name it as BACKEND@ACCOUNT.`,
    )
  if (others.length > 0) {
    const all = having.map(([backend]) => `${backend}@${name}`).join(', ')
    throw new GatewayError('conflict', `Several backends have this account; say which: ${all}.`)
  }
  const [backend, pool] = found
  if (pool.isSingle && action !== 'clear')
    throw new GatewayError(
      'conflict',
      `${backend} has no other account: remove the backend from the configuration instead.`,
    )
  pool.act(name, action)
}
