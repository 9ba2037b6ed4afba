// The homes of conversations: the account that each stays with, here and as other instances know it.

import type { AccountStatus, Health, PoolSettings } from './account.ts'
import { standingOf } from './health.ts'
import type { PickFacts, Why } from './pick.ts'
import type { PoolMemory, TurnAccounts } from './pool-parts.ts'
import type { PoolStore } from './pool-store.ts'

interface HomesOptions {
  settings: PoolSettings
  memory: Pick<PoolMemory, 'bindings' | 'sayings'>
  store?: PoolStore | undefined
  /** Undefined if there is no such account. */
  healthOf(account: string): Health | undefined
}

/** A conversation does not wait for the end of a longer pause to come home. */
const longPauseMs = 10 * 60_000
/** A conversation that asks once for a model which its account lacks stays at home with its other models. */
const passing = new Set<AccountStatus>(['paused', 'no-model', 'no-rights'])

/** Two conversations without an id have said the same so far: neither is found by it. */
const ambiguous = '?'

export class Homes {
  readonly #options: HomesOptions

  constructor(options: HomesOptions) {
    this.#options = options
  }

  /** The account that the turn uses: another instance may have been faster to choose one. */
  async bind(
    turn: TurnAccounts,
    { account, why }: { account: string; why: Why },
    { soft, model }: PickFacts,
    now: number,
  ): Promise<string> {
    const { store, settings } = this.#options
    const key = turn.affinity?.key
    if (key === undefined || turn.affinity?.next !== undefined || settings.policy === 'spread') return account
    turn.isNew ??= soft === undefined
    // A pause passes: the conversation comes home afterwards.
    const stays = soft !== undefined && soft !== account && !turn.isNew && !this.#isLeft(soft, model, now)
    if (stays && why !== 'pin') return account
    this.#set(key, account, now)
    if (soft === account) return account
    const inForce = await store?.bind(key, account, soft ?? '', settings.affinityMs)
    if (inForce === undefined || inForce === account || why === 'pin' || turn.tried.has(inForce))
      return account
    const health = this.#options.healthOf(inForce)
    if (!health || this.#isLeft(inForce, model, now)) return account
    this.#set(key, inForce, now)
    return standingOf(health, model, now).status === 'ready' ? inForce : account
  }

  /** The account of this conversation, as far as this process knows. */
  find(key: string | undefined, now: number): string | undefined {
    const { bindings, sayings } = this.#options.memory
    const found = key === undefined ? undefined : (bindings.get(key, now) ?? sayings.get(key))
    return found === ambiguous ? undefined : found
  }

  /** Only a turn that succeeds renews it. `home`: where the conversation belongs, if it had to go elsewhere. */
  renew({ affinity }: TurnAccounts, account: string, home: string | undefined, now: number): void {
    const { memory, store, settings } = this.#options
    if (!affinity || settings.policy === 'spread') return
    const { key, next } = affinity
    if (next !== undefined) {
      for (const said of next) this.#expect(said, home ?? account)
      return
    }
    if (key === undefined || memory.bindings.get(key, now) !== account) return
    this.#set(key, account, now)
    void store?.bind(key, account, account, settings.affinityMs)
  }

  /** Where the conversation belongs after this turn. */
  homeAfter(account: string, { soft, model }: PickFacts, now: number): string {
    return soft === undefined || this.#isLeft(soft, model, now) ? account : soft
  }

  /** The next turn of a conversation without an id. */
  #expect(said: string, account: string): void {
    const { memory, store, settings } = this.#options
    const other = memory.sayings.get(said)
    const value = other === undefined || other === account ? account : ambiguous
    memory.sayings.set(said, value)
    void store?.bind(said, value, account, settings.affinityMs)
  }

  #set(key: string, account: string, now: number): void {
    this.#options.memory.bindings.set(key, account, { now, ttlMs: this.#options.settings.affinityMs })
  }

  /** The account will not be back soon. */
  #isLeft(account: string, model: string, now: number): boolean {
    const health = this.#options.healthOf(account)
    if (!health) return true
    const { status, until = Number.POSITIVE_INFINITY } = standingOf(health, model, now)
    return status !== 'ready' && (!passing.has(status) || until - now > longPauseMs)
  }
}
