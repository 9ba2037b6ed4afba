// Bindings that were made while the store could not be asked. They are told as soon as it can be: otherwise another instance would
// choose an account of its own for the same conversation.

import { BoundedMap } from '../../base/bounded-map.ts'
import type { Looked, PoolStore } from './pool-store.ts'

interface Unsaid {
  readonly key: string
  readonly value: string
  readonly seen: string
  readonly ms: number
}

/** As many as an instance itself remembers. */
const most = 20_000

/** The same store; what it did not hear is told again before it is asked next. */
export function withUnsaidBindings(store: PoolStore): PoolStore {
  const unsaid = new BoundedMap<string, Unsaid>({ maxEntries: most, ttlMs: 60 * 60 * 1000 })

  async function bind(key: string, value: string, seen: string, ms: number): Promise<string | undefined> {
    const inForce = await store.bind(key, value, seen, ms)
    if (inForce === undefined) unsaid.set(key, { key, value, seen, ms })
    else unsaid.delete(key)
    return inForce
  }

  async function look(accounts: readonly string[], bindings: readonly string[]): Promise<Looked | undefined> {
    const looked = await store.look(accounts, bindings)
    if (looked === undefined || unsaid.size === 0) return looked
    await Promise.all([...unsaid.values()].map((one) => bind(one.key, one.value, one.seen, one.ms)))
    return store.look(accounts, bindings)
  }

  return { look, bind, tell: (account, record, ms) => store.tell(account, record, ms) }
}
