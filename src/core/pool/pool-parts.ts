// The parts that an account pool is made of, and those of a turn that goes through it.

import { BoundedMap } from '../../base/bounded-map.ts'
import type { GatewayError } from '../errors.ts'
import type { AccountSettings, PoolSettings } from './account.ts'
import { AccountMemory } from './account-memory.ts'
import { Bindings } from './bindings.ts'
import type { Fault, FaultClass } from './faults.ts'
import type { PickFacts } from './pick.ts'
import type { PoolStore } from './pool-store.ts'

/** The memory of a pool, which outlives changes of the configuration. */
export class PoolMemory {
  readonly bindings = new Bindings()
  /** The account of a conversation without an id, by a digest of the conversation so far. */
  readonly sayings = new BoundedMap<string, string>({ maxEntries: 20_000, ttlMs: 60 * 60 * 1000 })
  /** The account of each call, by the call's key. The value ends in `!` if reasoning belongs to the call. */
  readonly calls = new BoundedMap<string, string>({ maxEntries: 20_000, ttlMs: 12 * 60 * 60 * 1000 })
  readonly #accounts = new Map<string, AccountMemory>()

  /** `id` changes with the credential and the address of the service. */
  of(id: string): AccountMemory {
    const known = this.#accounts.get(id) ?? new AccountMemory()
    this.#accounts.set(id, known)
    return known
  }
}

export interface PoolAccount extends AccountSettings {
  /** Changes with the credential and the address of the service. */
  readonly id: string
}

export interface PoolEvents {
  /** An account, or one model of it, is not used for now. */
  onOut?(account: string, fault: Fault, until: number | undefined): void
  /** A turn leaves its account for another one. */
  onMove?(why: string): void
  /** The health of an account has changed. The record should outlive a restart. */
  onChange?(id: string, record: string): void
}

export interface AccountPoolOptions extends PoolEvents {
  backend: string
  accounts: readonly PoolAccount[]
  settings: PoolSettings
  /** The service counts its rate limits for each model. */
  countsByModel: boolean
  memory: PoolMemory
  store?: PoolStore | undefined
  now?: () => number
}

/** Digests by which the account of a conversation is found. */
export interface Affinity {
  readonly key?: string | undefined
  /** The digest of the conversation that started this one. */
  readonly parent?: string | undefined
  /** For a conversation without an id: digests by which its next turn is found. */
  readonly next?: readonly string[] | undefined
}

/** One client's turn, over all its attempts. */
export interface TurnAccounts {
  readonly pin?: string | undefined
  readonly affinity?: Affinity | undefined
  readonly tried: Map<string, FaultClass>
  readonly startedAt: number
  waitedMs: number
  /** The conversation begins with this turn, and stays with the account that answers first. */
  isNew?: boolean
  last?: { readonly error: GatewayError; readonly fault: Fault; readonly facts: PickFacts } | undefined
  note?(text: string): void
  onAccount?(name: string): void
}

export interface AskedTurn {
  readonly model: string
  /** The key of the call whose result the turn contains. */
  readonly call?: string | undefined
  /** The account with the run that the turn continues. */
  readonly run?: string | undefined
  /** The turn may continue without the reasoning of its tool loop. */
  readonly mayLoseReasoning: boolean
}

export interface Taken {
  readonly account: string
  readonly model: string
  readonly startedAt: number
  readonly turn: TurnAccounts
  readonly facts: PickFacts
}
