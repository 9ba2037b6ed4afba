// The accounts of one backend: which of them takes a turn, and what its outcome means for the next. The decisions are those of
// pick.ts and health.ts; this holds their state, waits, and tells other instances.

import type { Signal } from '../../base/signal.ts'
import type { AnswerHeaders } from '../backend.ts'
import { GatewayError, type ServiceError } from '../errors.ts'
import type { AccountView } from './account.ts'
import type { AccountMemory } from './account-memory.ts'
import { viewOf } from './account-view.ts'
import { type Fault, faultOf } from './faults.ts'
import { type AccountAction, act, learn, mergeHealth, standingOf, withClock } from './health.ts'
import { healthRecord, readHealth } from './health-record.ts'
import { Homes } from './homes.ts'
import { limitWindows } from './limit-headers.ts'
import { type Candidate, type Choice, type PickFacts, pick, type Why } from './pick.ts'
import type { AccountPoolOptions, AskedTurn, PoolAccount, Taken, TurnAccounts } from './pool-parts.ts'
import { moveNote, refusalOf } from './pool-words.ts'
import { SlotWaits } from './slot-waits.ts'

const mostMs = 20_000
const mostAttempts = 3
const callMs = 12 * 60 * 60 * 1000
const keptMs = 30 * 24 * 60 * 60 * 1000
const callBinding = (key: string) => `call:${key}`

export class AccountPool {
  readonly #options: AccountPoolOptions
  readonly #now: () => number
  readonly #byName: ReadonlyMap<string, { settings: PoolAccount; memory: AccountMemory }>
  readonly #waits = new SlotWaits()
  readonly #homes: Homes
  #current: string | undefined

  constructor(options: AccountPoolOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
    const { accounts, memory } = options
    this.#byName = new Map(
      accounts.map((settings) => [settings.name, { settings, memory: memory.of(settings.id) }]),
    )
    const healthOf = (account: string) => this.#memoryOf(account)?.health
    this.#homes = new Homes({ ...options, healthOf })
  }

  readonly isSingle = false

  get names(): string[] {
    return [...this.#byName.keys()]
  }

  has(name: string): boolean {
    return this.#byName.has(name)
  }

  begin(turn: Pick<TurnAccounts, 'pin' | 'affinity' | 'note' | 'onAccount'>): TurnAccounts {
    return { ...turn, tried: new Map(), startedAt: this.#now(), waitedMs: 0 }
  }

  /** Takes an account for the turn; waits for a short pause. Fails if there is none. */
  async choose(turn: TurnAccounts, asked: AskedTurn, signal: Signal): Promise<Taken> {
    turn.last = undefined
    for (;;) {
      const facts = await this.#factsOf(turn, asked)
      const now = this.#now()
      const choice = this.#pick(facts, now)
      if ('account' in choice) return this.#take(turn, choice, facts)
      if ('refused' in choice) throw refusalOf(this.#options.backend, choice.refused, facts, now)
      await this.#waits.wait(choice.waitUntil - now, signal)
      turn.waitedMs += Math.max(1, this.#now() - now)
      if (signal.aborted) throw GatewayError.ofAbort(signal)
    }
  }

  /** An account that the turn cannot choose: it has the run. */
  reserve(account: string, model: string, turn: TurnAccounts): Taken {
    const facts: PickFacts = { model, tried: turn.tried, patienceMs: 0, hard: { account, mayMove: false } }
    this.#occupy(account, 1)
    turn.onAccount?.(account)
    return { account, model, startedAt: this.#now(), turn, facts }
  }

  /** The turn is over, without a word about the account. */
  release({ account }: Taken): void {
    this.#occupy(account, -1)
    this.#waits.wake()
  }

  succeeded(taken: Taken): void {
    const { account, model, startedAt, turn, facts } = taken
    const now = this.#now()
    const memory = this.#memoryOf(account)
    if (memory) {
      const before = memory.health
      memory.health = learn(before, { model, startedAt }, now)
      memory.ended(false, now)
      if (memory.health !== before) this.#tell(account)
    }
    this.#homes.renew(turn, account, this.#homes.homeAfter(account, facts, now), now)
    this.release(taken)
  }

  failed(taken: Taken, error: GatewayError): void {
    const { account, model, startedAt, turn, facts } = taken
    const fault = this.saw(account, error, { model, startedAt })
    turn.tried.set(account, fault.kind)
    turn.last = { error, fault, facts }
    this.release(taken)
  }

  /** Learns from a failure. */
  saw(
    account: string,
    error: GatewayError,
    { model, startedAt }: { model: string; startedAt: number },
  ): Fault {
    const { countsByModel, onOut } = this.#options
    const now = this.#now()
    const fault = faultOf(error, { countsByModel })
    const memory = this.#memoryOf(account)
    if (!memory || fault.kind === 'request') return fault
    memory.ended(true, now)
    memory.lastError = { at: now, code: error.code, message: error.message.slice(0, 500) }
    const before = memory.health
    memory.health = learn(withClock(before, now), { model, startedAt, fault }, now)
    if (memory.health === before) return fault
    this.#tell(account)
    onOut?.(account, fault, standingOf(memory.health, model, now).until)
    return fault
  }

  /** For the only account of a backend, which is asked whatever is known of it. */
  worked(model: string): void {
    const [name] = this.#byName.keys()
    const memory = this.#memoryOf(name ?? '')
    if (!memory || (!memory.health.account && memory.health.models.size === 0)) return
    memory.health = learn(memory.health, { model, startedAt: this.#now() + 1 }, this.#now())
  }

  limited(account: string, model: string, form: ServiceError['form'], headers: AnswerHeaders): void {
    this.#memoryOf(account)?.limited(model, limitWindows(form, headers, this.#now()))
  }

  /** Whether another attempt at once may do better: with another account, or after a short pause of this one. */
  mayHop(turn: TurnAccounts, error: GatewayError): boolean {
    const { last, tried, startedAt } = turn
    if (last?.error !== error) return false
    const { kind, isFinal } = last.fault
    const { failover } = this.#options.settings
    // A failure of the service is retried as ever; the retry avoids the account.
    if (kind === 'request' || kind === 'config' || kind === 'service' || isFinal || failover === 'never')
      return false
    // The same from two accounts: it is about the request, or the service.
    const alike = [...tried.values()].filter((other) => other === kind).length
    const now = this.#now()
    if (tried.size >= mostAttempts || now - startedAt > mostMs || alike > 1) return false
    return !('refused' in this.#pick({ ...last.facts, tried, patienceMs: this.#patience(turn, now) }, now))
  }

  /** A call of an answer: its result comes back to the account that has the reasoning before it. */
  called(key: string, account: string, { isBound, isFirst }: { isBound: boolean; isFirst: boolean }): void {
    const value = isBound ? `${account}!` : account
    this.#options.memory.calls.set(key, value)
    if (isFirst) void this.#options.store?.bind(callBinding(key), value, value, callMs)
  }

  /** False if there is no such account. */
  act(account: string, action: AccountAction): boolean {
    const memory = this.#memoryOf(account)
    if (!memory) return false
    memory.health = act(memory.health, action, this.#now())
    if (action === 'clear') memory.lastError = undefined
    if (action === 'disable') this.#options.memory.bindings.release(account)
    this.#tell(account)
    this.#waits.wake()
    return true
  }

  /** As other instances know it, too. */
  refresh(): Promise<unknown> {
    return this.#look([])
  }

  /** What was known before a restart. */
  recall(recordOf: (id: string) => string | undefined): void {
    for (const { settings, memory } of this.#byName.values()) {
      const health = readHealth(recordOf(settings.id) ?? '')
      if (health) memory.health = mergeHealth(memory.health, health)
    }
  }

  views(): AccountView[] {
    const { backend, memory: shared } = this.#options
    const now = this.#now()
    return [...this.#byName].map(([account, { memory }]) =>
      viewOf({ backend, account, memory, conversations: shared.bindings.countOf(account, now) }, now),
    )
  }

  async #factsOf(turn: TurnAccounts, { model, call, run, mayLoseReasoning }: AskedTurn): Promise<PickFacts> {
    const { affinity, pin, tried } = turn
    const { memory, settings, store } = this.#options
    const keys = [call && callBinding(call), affinity?.key, affinity?.parent]
    const found = await this.#look(keys.map((key) => key ?? ''))
    const now = this.#now()
    const local = (key: string | undefined) => this.#homes.find(key, now)
    const called = found?.[0] || (call && memory.calls.get(call)) || undefined
    const isBound = called?.endsWith('!') === true
    const calledAt = called?.replace(/!$/, '')
    const byKey = found?.[1] || local(affinity?.key)
    const soft = settings.policy === 'spread' ? undefined : (byKey ?? calledAt)
    const mayMove = settings.failover === 'auto' && (run !== undefined || mayLoseReasoning)
    const hard = run ?? (isBound ? calledAt : undefined)
    return {
      ...{ model, pin, tried, soft, current: this.#current },
      parent: found?.[2] || local(affinity?.parent),
      alone: store && !found ? affinity?.key : undefined,
      hard: hard === undefined ? undefined : { account: hard, mayMove },
      patienceMs: this.#patience(turn, now),
    }
  }

  #patience({ startedAt, waitedMs }: TurnAccounts, now: number): number {
    return Math.max(0, Math.min(this.#options.settings.maxWaitMs - waitedMs, mostMs - (now - startedAt)))
  }

  /** The values of these bindings; the accounts are brought up to date. */
  async #look(bindings: readonly string[]): Promise<readonly string[] | undefined> {
    const { store, accounts } = this.#options
    const looked = await store?.look(
      accounts.map(({ id }) => id),
      bindings,
    )
    if (!looked) return undefined
    for (const [at, { name }] of accounts.entries()) {
      const told = readHealth(looked.accounts[at] ?? '')
      const memory = this.#memoryOf(name)
      if (told && memory) memory.health = mergeHealth(memory.health, told)
    }
    return looked.bindings.map((value) => (this.has(value.replace(/!$/, '')) ? value : ''))
  }

  #pick(facts: PickFacts, now: number): Choice {
    const { bindings } = this.#options.memory
    const candidates = [...this.#byName.values()].map(
      ({ settings, memory }): Candidate => ({
        settings,
        health: memory.health,
        inFlight: memory.inFlight,
        conversations: bindings.countOf(settings.name, now),
        windows: memory.windowsOf(facts.model),
        lastUsed: memory.lastUsed,
        nextMove: memory.nextMove(now),
      }),
    )
    return pick(facts, candidates, this.#options.settings, now)
  }

  async #take(turn: TurnAccounts, choice: { account: string; why: Why }, facts: PickFacts): Promise<Taken> {
    const { account, why } = choice
    const now = this.#now()
    this.#occupy(account, 1)
    const isMove = why === 'move' || (facts.soft !== undefined && !this.has(facts.soft))
    if (isMove) this.#memoryOf(account)?.moved(now)
    else this.#current = account
    const used = await this.#homes.bind(turn, choice, facts, now)
    if (used !== account) {
      this.#occupy(account, -1)
      this.#occupy(used, 1)
    }
    if (isMove) this.#tellMove(turn, used, facts, now)
    turn.onAccount?.(used)
    return { account: used, model: facts.model, startedAt: this.#now(), turn, facts }
  }

  #tellMove(turn: TurnAccounts, account: string, facts: PickFacts, now: number): void {
    const from = facts.hard?.account ?? facts.soft ?? [...turn.tried.keys()].at(-1)
    if (from === undefined) return
    const memory = this.#memoryOf(from)
    const standing = memory ? standingOf(memory.health, facts.model, now) : undefined
    const why = turn.tried.get(from) ?? standing?.status ?? 'gone'
    this.#options.onMove?.(why)
    turn.note?.(moveNote({ from, to: account, standing, isBound: facts.hard !== undefined }))
  }

  #memoryOf(account: string): AccountMemory | undefined {
    return this.#byName.get(account)?.memory
  }

  #occupy(account: string, by: 1 | -1): void {
    const memory = this.#memoryOf(account)
    if (!memory) return
    memory.inFlight = Math.max(0, memory.inFlight + by)
    if (by > 0) memory.lastUsed = this.#now()
  }

  #tell(account: string): void {
    const known = this.#byName.get(account)
    if (!known) return
    const record = healthRecord(known.memory.health)
    this.#options.onChange?.(known.settings.id, record)
    this.#options.store?.tell(known.settings.id, record, keptMs)
  }
}
