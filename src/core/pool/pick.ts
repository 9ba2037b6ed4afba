// Which account takes a turn. Pure: no clock, no I/O, the same answer for the same facts. The order of what binds a turn to an
// account is in docs/pools.md.

import { createHash } from 'node:crypto'
import type { AccountSettings, Health, LimitWindow, PoolSettings } from './account.ts'
import type { FaultClass } from './faults.ts'
import { isHalfOpen, type Standing, standingOf } from './health.ts'

export interface Candidate {
  readonly settings: AccountSettings
  readonly health: Health
  readonly inFlight: number
  /** Conversations that stay with it. */
  readonly conversations: number
  /** Of the model. */
  readonly windows: readonly LimitWindow[]
  readonly lastUsed: number
  /** When the next turn that comes from another account may begin; in the past if at once. */
  readonly nextMove: number
}

export interface PickFacts {
  readonly model: string
  /** The client has named it. */
  readonly pin?: string | undefined
  /** It has a run, or reasoning of the tool loop under way, that no other account has. */
  readonly hard?: { readonly account: string; readonly mayMove: boolean } | undefined
  /** The conversation has stayed with it so far. */
  readonly soft?: string | undefined
  /** The account of the agent that started this one. */
  readonly parent?: string | undefined
  /** Accounts that failed in this turn. */
  readonly tried: ReadonlyMap<string, FaultClass>
  /** How long the turn may still wait. */
  readonly patienceMs: number
  /** For the policy `fill`. */
  readonly current?: string | undefined
  /** The key of a conversation while other instances cannot be asked: each of them chooses the same account for it. */
  readonly alone?: string | undefined
}

export type Why = 'pin' | 'bound' | 'conversation' | 'parent' | 'policy' | 'move'

export type Choice =
  | { readonly account: string; readonly why: Why }
  | { readonly waitUntil: number; readonly for: string }
  /** The accounts that could not be used. */
  | { readonly refused: readonly { readonly account: string; readonly standing: Standing }[] }

interface Seen {
  candidate: Candidate
  standing: Standing
}

export function pick(
  facts: PickFacts,
  candidates: readonly Candidate[],
  { policy, failover }: PoolSettings,
  now: number,
): Choice {
  const { model, tried } = facts
  const seen = candidates
    .filter(({ settings: { models } }) => models === undefined || models.includes(model))
    .map((candidate): Seen => ({ candidate, standing: standingOf(candidate.health, model, now) }))
  const bound = boundOf(facts, seen)
  if (!bound) return byPolicy(facts, seen, { policy, isMove: tried.size > 0, now })
  const { one, why } = bound
  const { name } = one.candidate.settings
  const hasFailed = tried.has(name) && tried.get(name) !== 'rate'
  if (one.standing.status === 'ready' && !hasFailed) {
    if (isFree(one.candidate)) return { account: name, why }
    if (facts.patienceMs > 0) return { waitUntil: now + facts.patienceMs, for: name }
    // Rather one turn too many at once than a lost run.
    if (why !== 'conversation') return { account: name, why }
  } else if (isShort(one.standing, facts, now)) return { waitUntil: one.standing.until ?? now, for: name }
  if (why === 'pin' || (failover === 'never' && why === 'bound')) return refusal([one])
  if (failover === 'never')
    return hasFailed && one.standing.status === 'ready' ? { account: name, why } : refusal([one])
  if (why === 'bound' && !mayLeave(one, facts)) {
    return one.standing.status === 'ready' ? { account: name, why } : refusal([one])
  }
  const others = seen.filter((other) => other !== one)
  const choice = byPolicy(facts, others, { policy, isMove: true, now })
  if (!('refused' in choice)) return choice
  // The service failed there, and there is no other: it may work again.
  if (hasFailed && tried.get(name) === 'service' && one.standing.status === 'ready')
    return { account: name, why }
  return refusal([one, ...others])
}

const refusal = (seen: readonly Seen[]): Choice => ({
  refused: seen.map(({ candidate, standing }) => ({ account: candidate.settings.name, standing })),
})

/** The strongest bond that leads to an account which there is. */
function boundOf(
  { pin, hard, soft }: PickFacts,
  seen: readonly Seen[],
): { one: Seen; why: 'pin' | 'bound' | 'conversation' } | undefined {
  const find = (name: string) => seen.find(({ candidate }) => candidate.settings.name === name)
  for (const [name, why] of [
    [pin, 'pin'],
    [hard?.account, 'bound'],
    [soft, 'conversation'],
  ] as const) {
    const one = name === undefined ? undefined : find(name)
    if (one) return { one, why }
  }
  return undefined
}

/** What is bound stays through a pause and a failure of the service. */
const mayLeave = ({ standing: { status } }: Seen, { hard }: PickFacts): boolean =>
  hard?.mayMove === true && status !== 'ready' && status !== 'paused'

const isShort = ({ status, until }: Standing, { patienceMs }: PickFacts, now: number) =>
  status === 'paused' && until !== undefined && until - now <= patienceMs

const isFree = ({ settings: { maxConcurrent }, inFlight }: Candidate) =>
  maxConcurrent === undefined || inFlight < maxConcurrent

interface PolicyFacts {
  policy: PoolSettings['policy']
  /** The turn comes from another account. */
  isMove: boolean
  now: number
}

function byPolicy(facts: PickFacts, seen: readonly Seen[], { policy, isMove, now }: PolicyFacts): Choice {
  const { tried, parent, patienceMs } = facts
  const usable = seen.filter(
    ({ standing, candidate: { settings } }) => standing.status === 'ready' && !tried.has(settings.name),
  )
  if (usable.length === 0) return soonest(facts, seen, now)
  const ofParent = usable.find(({ candidate }) => candidate.settings.name === parent)
  if (ofParent && isFree(ofParent.candidate))
    return { account: ofParent.candidate.settings.name, why: 'parent' }
  const isTaken = ({ candidate, candidate: { health, inFlight } }: Seen) =>
    !isFree(candidate) || (isHalfOpen(health, now) && inFlight > 0)
  const free = usable.filter((one) => !isTaken(one))
  // Without patience, a turn is sent rather than refused.
  const open = free.length === 0 && patienceMs <= 0 ? usable : free
  const ready = isMove && patienceMs > 0 ? open.filter(({ candidate }) => candidate.nextMove <= now) : open
  const best = ready
    .map(({ candidate }) => candidate)
    .sort((a, b) => compare(a, b, { policy, facts, now }))[0]
  if (best) return { account: best.settings.name, why: isMove ? 'move' : 'policy' }
  const moves = open.map(({ candidate }) => candidate.nextMove)
  const next = moves.length > 0 ? Math.min(...moves) : now + patienceMs
  return { waitUntil: Math.min(next, now + patienceMs), for: usable[0]?.candidate.settings.name ?? '' }
}

/** All accounts are out: the turn waits for a short pause, or is refused. */
function soonest(facts: PickFacts, seen: readonly Seen[], now: number): Choice {
  const untils = seen.flatMap(({ standing, candidate }) =>
    isShort(standing, facts, now) && !isDone(candidate, facts)
      ? [{ waitUntil: standing.until ?? now, for: candidate.settings.name }]
      : [],
  )
  return untils.sort((a, b) => a.waitUntil - b.waitUntil)[0] ?? refusal(seen)
}

const isDone = ({ settings: { name } }: Candidate, { tried }: PickFacts) =>
  tried.has(name) && tried.get(name) !== 'rate'

const fullAt = 0.95

/** Rendezvous hashing: the same order wherever it is computed, in proportion to the weights. */
function rank(key: string, { settings: { name, weight } }: Candidate): number {
  const drawn = createHash('sha256').update(`${key} ${name}`).digest().readUInt32BE() + 1
  return -weight / Math.log(drawn / (2 ** 32 + 2))
}

/** The part of the tightest window that is left; 1 if the service does not say. */
function headroom({ windows }: Candidate, now: number): number {
  const parts = windows.flatMap(({ limit, remaining, reset }) =>
    reset > now && limit > 0 ? [remaining / limit] : [],
  )
  return Math.min(1, ...parts)
}

function compare(
  a: Candidate,
  b: Candidate,
  { policy, facts, now }: { policy: PoolSettings['policy']; facts: PickFacts; now: number },
): number {
  const byPriority = b.settings.priority - a.settings.priority
  if (byPriority !== 0) return byPriority
  const load = (one: Candidate) =>
    (policy === 'spread' ? one.inFlight : one.conversations) / one.settings.weight
  const isFull = (one: Candidate) => 1 - headroom(one, now) >= fullAt
  if (isFull(a) !== isFull(b)) return Number(isFull(a)) - Number(isFull(b))
  if (policy === 'fill') {
    const isCurrent = (one: Candidate) => Number(one.settings.name === facts.current)
    return isCurrent(b) - isCurrent(a)
  }
  const { alone } = facts
  if (policy === 'stick' && alone !== undefined) return rank(alone, b) - rank(alone, a)
  return (
    load(a) - load(b) ||
    a.inFlight - b.inFlight ||
    headroom(b, now) - headroom(a, now) ||
    b.settings.weight - a.settings.weight ||
    a.lastUsed - b.lastUsed
  )
}
