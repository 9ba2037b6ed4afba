// Opens a turn: retries, then falls back to the next backend of the alias, as long as nothing has reached the client. The only
// retry loop for turns, and the only user of the breakers.

import { setTimeout as sleep } from 'node:timers/promises'
import { nativeSignal, type Signal } from '../base/signal.ts'
import type { Breakers, ModelAddress, Permit } from './breaker.ts'
import { type ErrorCode, GatewayError } from './errors.ts'
import type { TurnEvent } from './events.ts'
import { Turn } from './turn.ts'
import type { TurnBudget } from './turn-budget.ts'

export interface RetryPolicy {
  /** Retries per target, after the first attempt. */
  retries: number
  baseDelayMs: number
  /** A longer Retry-After is passed on to the client instead. */
  longestWaitMs: number
  /** The limit while a fallback is left. Such a target also gets only one retry. */
  longestWaitBesideOthersMs: number
}

export const defaultRetryPolicy: RetryPolicy = {
  retries: 2,
  baseDelayMs: 400,
  longestWaitMs: 30_000,
  longestWaitBesideOthersMs: 2_000,
}

/** Three accounts at most see a request. */
const mostHops = 2

/** Limits retries to a fifth of the requests: without it, a failing upstream would get three times the load. */
class RetryBudget {
  #tokens = 10

  onRequest(): void {
    this.#tokens = Math.min(10, this.#tokens + 0.2)
  }

  take(): boolean {
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }
}

/** One budget per backend: failures of one backend do not use up the retries of the others. */
export class RetryBudgets {
  readonly #budgets = new Map<string, RetryBudget>()

  of(backend: string): RetryBudget {
    const budget = this.#budgets.get(backend) ?? new RetryBudget()
    this.#budgets.set(backend, budget)
    return budget
  }
}

/** Replay only: what was decided then. The waits, budgets and breakers that decide it are not on a tape. */
export interface RecordedAttempts {
  /** The refusal of a target that was skipped. */
  skipped(address: ModelAddress): GatewayError | undefined
  /** Whether the attempt that failed was followed by another at the same target. */
  isRetried(): boolean
  /** The attempt that begins was refused because of another turn at the same time. */
  conflict(): GatewayError | undefined
}

export interface Attempt<Target> {
  targets: readonly Target[]
  run(target: Target): AsyncIterable<TurnEvent[]>
  addressOf(target: Target): ModelAddress
  policy: RetryPolicy
  budgets: RetryBudgets
  breakers: Breakers
  /** The request continues a run of this target. It is not refused while the breaker is open, because the run would be lost. */
  continuesRun?(target: Target): boolean | Promise<boolean>
  /** The client gets the answer whole: the turn is read to its end, and every failure up to there can be retried. */
  whole?: boolean
  signal: Signal
  /** The memory budget of the turn. */
  memory?: TurnBudget | undefined
  /** False once anything was sent to the client, keep-alives included: the first failure is final then. */
  mayRetry(): boolean
  /** `waitMs`: the pause before a retry. */
  onFailure(
    target: Target,
    error: GatewayError,
    next: 'retry' | 'fallback' | 'give up',
    waitMs?: number,
  ): void
  /** Whether another account of the target may take the request at once. */
  mayHop?(target: Target, error: GatewayError): boolean
  /** The targets for a request that this one refused, in place of those that are left. Undefined: they stay. */
  othersAfter?(
    failed: Target,
    error: GatewayError,
    left: readonly Target[],
  ): Promise<readonly Target[] | undefined> | undefined
  /** The target was not called, or not again, because its breaker is open. */
  onSkipped?(target: Target, refusal: GatewayError, next: 'fallback' | 'give up'): void
  recorded?: RecordedAttempts | undefined
}

export async function openTurn<Target>(attempt: Attempt<Target>): Promise<{ turn: Turn; target: Target }> {
  const { targets, signal } = attempt
  const failures: GatewayError[] = []
  const left = [...targets]
  for (let target = left.shift(); target !== undefined; target = left.shift()) {
    const permit = await requestPermit(attempt, target)
    if (permit instanceof GatewayError) {
      failures.push(permit)
      attempt.onSkipped?.(target, permit, left.length === 0 ? 'give up' : 'fallback')
      continue
    }
    const opened = await tryTarget(attempt, target, { permit, left })
    if (opened instanceof Turn) return { turn: opened, target }
    failures.push(opened)
    if (signal.aborted || !mayFallBack(opened) || !attempt.mayRetry()) break
  }
  throw combineFailures(failures)
}

async function requestPermit<Target>(
  { breakers, addressOf, continuesRun, recorded }: Attempt<Target>,
  target: Target,
): Promise<Permit | GatewayError> {
  const address = addressOf(target)
  const refusal = recorded?.skipped(address)
  if (refusal) return refusal
  const isPast = breakers.isOpen(address) && (await continuesRun?.(target))
  return isPast ? breakers.requestContinuation(address) : breakers.ask(address)
}

/** The turn, once it has visible output, or the failure after all retries. `left`: the targets after this one. */
async function tryTarget<Target>(
  attempt: Attempt<Target>,
  target: Target,
  { permit, left }: { permit: Permit; left: Target[] },
): Promise<Turn | GatewayError> {
  const { policy, signal, recorded } = attempt
  const budget = attempt.budgets.of(attempt.addressOf(target).backend)
  const mayTryAgain = async () => permit.mayTryAgain() || ((await attempt.continuesRun?.(target)) ?? false)
  budget.onRequest()
  for (let tries = 0; ; tries++) {
    let failure: GatewayError
    try {
      const turn = new Turn(attempt.run(target), attempt.memory)
      await turn.open(attempt.whole)
      permit.succeeded()
      return turn
    } catch (error) {
      failure = GatewayError.from(error)
    }
    if (signal.aborted) return brokenOff(permit, failure)
    const others = await attempt.othersAfter?.(target, failure, left)
    if (others) left.splice(0, left.length, ...others)
    const isLast = left.length === 0
    const hasNext = !isLast && mayFallBack(failure) && attempt.mayRetry()
    // Not a retry: the account that failed gets no second request, so no budget limits it.
    const hops = tries < mostHops && (attempt.mayHop?.(target, failure) ?? false) && attempt.mayRetry()
    const waitMs = hops ? 0 : waitBefore(tries, failure, policy)
    const mayWaitMs = hasNext ? policy.longestWaitBesideOthersMs : policy.longestWaitMs
    const retries = hasNext ? Math.min(1, policy.retries) : policy.retries
    const isWorthIt = failure.retryable && tries < retries && (failure.retryAfterMs ?? waitMs) <= mayWaitMs
    const again = recorded
      ? recorded.isRetried()
      : hops || (isWorthIt && (await mayTryAgain()) && attempt.mayRetry() && budget.take())
    if (!again) permit.failed(failure)
    if (again) attempt.onFailure(target, failure, 'retry', waitMs)
    else attempt.onFailure(target, failure, hasNext ? 'fallback' : 'give up')
    if (!again) return failure
    await sleep(recorded ? 0 : waitMs, undefined, { signal: nativeSignal(signal) }).catch(() => undefined)
    if (signal.aborted) return brokenOff(permit, GatewayError.ofAbort(signal))
    const mayGoOn = recorded ? !recorded.skipped(attempt.addressOf(target)) : hops || (await mayTryAgain())
    if (!mayGoOn) {
      attempt.onSkipped?.(target, failure, hasNext ? 'fallback' : 'give up')
      return brokenOff(permit, failure)
    }
    // The retry runs even if keep-alives were sent during the wait: they are no part of the answer.
  }
}

function brokenOff(permit: Permit, failure: GatewayError): GatewayError {
  permit.unknown()
  return failure
}

/** The delay before a retry. Jitter is added to a Retry-After too, so that its recipients do not all return at once. */
export function waitBefore(
  tries: number,
  { retryAfterMs }: Pick<GatewayError, 'retryAfterMs'>,
  { baseDelayMs }: Pick<RetryPolicy, 'baseDelayMs'>,
  random = Math.random,
): number {
  if (retryAfterMs !== undefined) return retryAfterMs + baseDelayMs * random()
  return baseDelayMs * 2 ** tries * (0.5 + random())
}

/** The last failure of an alias, with the messages of the failures before it. */
function combineFailures(failures: readonly GatewayError[]): GatewayError {
  const last = failures.at(-1)
  if (!last) return new GatewayError('internal', 'No backend was tried.')
  const before = failures.slice(0, -1)
  if (before.length === 0) return last
  const told = before.map(({ message }) => message).join(' ')
  // The client can retry as soon as one of the targets accepts requests again.
  const waits = failures.flatMap(({ retryAfterMs }) => retryAfterMs ?? [])
  return new GatewayError(last.code, `${last.message} Tried before it: ${told}`, {
    ...last,
    ...(last.retryAfterMs === undefined ? {} : { retryAfterMs: Math.min(...waits) }),
    cause: last,
  })
}

const final = new Set<ErrorCode>(['invalid-request', 'canceled', 'internal'])

/** Another backend may accept what this one refused, unless the request itself is wrong or is being answered already. */
function mayFallBack(error: GatewayError): boolean {
  return !final.has(error.code) && !(error.code === 'conflict' && error.upstream === undefined)
}
