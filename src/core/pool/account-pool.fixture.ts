// A pool of accounts, and the turns that ask it.

import { Cancellation } from '../../base/signal.ts'
import { GatewayError } from '../errors.ts'
import { AccountPool } from './account-pool.ts'
import { type AccountPoolOptions, type AskedTurn, PoolMemory } from './pool-parts.ts'

export const asked: AskedTurn = { model: 'm', mayLoseReasoning: true }
export const settings = {
  policy: 'stick',
  affinityMs: 3_600_000,
  failover: 'auto',
  maxWaitMs: 10_000,
} as const

export const account = (name: string, more = {}) => ({
  name,
  id: `box@${name}:1`,
  priority: 0,
  weight: 1,
  ...more,
})

export function poolOf(names: readonly string[], more: Partial<AccountPoolOptions> = {}) {
  const accounts = names.map((name) => account(name))
  return new AccountPool({
    ...{ backend: 'box', accounts, settings, countsByModel: true, memory: new PoolMemory() },
    ...more,
  })
}

export const signal = new Cancellation()
export const turnOf = (pool: AccountPool, key: string, more = {}) =>
  pool.begin({ affinity: { key }, ...more })
export const choose = (pool: AccountPool, key: string, more: Partial<AskedTurn> = {}) =>
  pool.choose(turnOf(pool, key), { ...asked, ...more }, signal)
export const limited = (retryAfterMs: number) =>
  new GatewayError('rate-limited', 'no', { retryAfterMs, upstream: { status: 429 } })
export const broke = () => new GatewayError('quota-exhausted', 'no', { upstream: { status: 402 } })
