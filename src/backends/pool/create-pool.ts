// The accounts of a configured backend: their settings, and the pool that knows their state. What is known of an account outlives a
// change of the configuration, unless its credential or the address of the service is another.

import { createHash } from 'node:crypto'
import type { PoolSettings } from '../../core/pool/account.ts'
import { AccountPool } from '../../core/pool/account-pool.ts'
import { type PoolAccount, type PoolEvents, PoolMemory } from '../../core/pool/pool-parts.ts'
import type { PoolStore } from '../../core/pool/pool-store.ts'
import { withUnsaidBindings } from '../../core/pool/unsaid-bindings.ts'
import type { AccountFile } from './account-file.ts'

/** An entry of "accounts", of any kind. */
export interface ConfiguredAccount {
  name: string
  apiKey?: string | undefined
  accessToken?: string | undefined
  headers?: Record<string, string> | undefined
  priority: number
  weight: number
  maxConcurrent?: number | undefined
  models?: readonly string[] | undefined
}

interface ConfiguredPool {
  kind: string
  baseUrl: string
  accounts: readonly ConfiguredAccount[]
  pool?: PoolSettings | undefined
}

/** Told with the name of the backend. */
export interface PoolObserver {
  onOut?(backend: string, ...facts: Parameters<NonNullable<PoolEvents['onOut']>>): void
  onMove?(backend: string, why: string): void
}

const noPool: PoolSettings = { policy: 'stick', affinityMs: 3_600_000, failover: 'never', maxWaitMs: 10_000 }

/** Services that count their rate limits for each model. */
const countingByModel = new Set(['anthropic', 'openai', 'gemini'])

export class Pools {
  readonly #memories = new Map<string, PoolMemory>()
  readonly #store: PoolStore | undefined
  readonly #observer: PoolObserver
  readonly #file: AccountFile | undefined

  constructor(store: PoolStore | undefined, observer: PoolObserver, file?: AccountFile) {
    this.#store = store && withUnsaidBindings(store)
    this.#observer = observer
    this.#file = file
  }

  create(backend: string, configured: ConfiguredPool): AccountPool {
    const known = this.#memories.get(backend)
    const memory = known ?? new PoolMemory()
    this.#memories.set(backend, memory)
    const { onOut, onMove } = this.#observer
    const { accounts, baseUrl } = configured
    // One account has nothing to remember: it is asked in any case.
    const isPool = accounts.length > 1
    const file = isPool ? this.#file : undefined
    const pool = new AccountPool({
      backend,
      memory,
      accounts: accounts.map((account) => poolAccount([backend, baseUrl], account)),
      settings: configured.pool ?? noPool,
      countsByModel: countingByModel.has(configured.kind),
      store: isPool ? this.#store : undefined,
      onOut: (...facts) => onOut?.(backend, ...facts),
      onMove: (why) => onMove?.(backend, why),
      onChange: (id, record) => file?.set(id, record),
    })
    if (!known && file) pool.recall((id) => file.get(id))
    return pool
  }
}

function poolAccount(
  [backend, baseUrl]: readonly [string, string],
  { name, priority, weight, maxConcurrent, models, apiKey, accessToken, headers }: ConfiguredAccount,
): PoolAccount {
  // A service at a wrong address refuses keys that the right one takes.
  const secret = JSON.stringify([backend, baseUrl, name, apiKey, accessToken, headers])
  // So short that it says nothing about the credential.
  const digest = createHash('sha256').update(secret).digest('base64url').slice(0, 8)
  return { name, priority, weight, maxConcurrent, models, id: `${backend}@${name}:${digest}` }
}
