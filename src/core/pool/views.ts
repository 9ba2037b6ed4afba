// The accounts of all backends for people.

import type { Backend } from '../backend.ts'
import type { AccountView } from './account.ts'
import type { Accounts } from './only-account.ts'

type Backends = Iterable<readonly [string, Backend]>

/** By the name of the backend. Several backends may have one name, after a change of the configuration: those in force come first. */
export function poolsOf(backends: Backends): Map<string, Accounts> {
  const pools = new Map<string, Accounts>()
  for (const [name, { pool }] of backends) if (pool && !pools.has(name)) pools.set(name, pool)
  return pools
}

export const accountsOf = (backends: Backends): AccountView[] =>
  [...poolsOf(backends).values()].flatMap((pool) => pool.views())
