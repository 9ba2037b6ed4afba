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
  onFailure(target: Target, error: GatewayError, next: 'retry' | 'fallback' | 'give up'): void
  /** The target was not called, or not again, because its breaker is open. */
  onSkipped?(target: Target, refusal: GatewayError, next: 'fallback' | 'give up'): void
}

export async function openTurn<Target>(attempt: Attempt<Target>): Promise<{ turn: Turn; target: Target }> {
  const { targets, signal } = attempt
  const failures: GatewayError[] = []
  for (const [position, target] of targets.entries()) {
    const isLast = position + 1 === targets.length
    const permit = await requestPermit(attempt, target)
    if (permit instanceof GatewayError) {
      failures.push(permit)
      attempt.onSkipped?.(target, permit, isLast ? 'give up' : 'fallback')
      continue
    }
    const opened = await tryTarget(attempt, target, { permit, isLast })
    if (opened instanceof Turn) return { turn: opened, target }
    failures.push(opened)
    if (signal.aborted || !mayFallBack(opened) || !attempt.mayRetry()) break
  }
  throw combineFailures(failures)
}

async function requestPermit<Target>(
  { breakers, addressOf, continuesRun }: Attempt<Target>,
  target: Target,
): Promise<Permit | GatewayError> {
  const address = addressOf(target)
  const isPast = breakers.isOpen(address) && (await continuesRun?.(target))
  return isPast ? breakers.requestContinuation(address) : breakers.ask(address)
}

/** The turn, once it has visible output, or the failure after all retries. */
async function tryTarget<Target>(
  attempt: Attempt<Target>,
  target: Target,
  { permit, isLast }: { permit: Permit; isLast: boolean },
): Promise<Turn | GatewayError> {
  const { policy, signal } = attempt
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
    const hasNext = !isLast && mayFallBack(failure) && attempt.mayRetry()
    const waitMs = waitBefore(tries, failure, policy)
    const mayWaitMs = hasNext ? policy.longestWaitBesideOthersMs : policy.longestWaitMs
    const retries = hasNext ? Math.min(1, policy.retries) : policy.retries
    const isWorthIt = failure.retryable && tries < retries && (failure.retryAfterMs ?? waitMs) <= mayWaitMs
    const again = isWorthIt && (await mayTryAgain()) && attempt.mayRetry() && budget.take()
    if (!again) permit.failed(failure)
    attempt.onFailure(target, failure, again ? 'retry' : hasNext ? 'fallback' : 'give up')
    if (!again) return failure
    await sleep(waitMs, undefined, { signal: nativeSignal(signal) }).catch(() => undefined)
    if (signal.aborted) return brokenOff(permit, GatewayError.ofAbort(signal))
    if (!(await mayTryAgain())) {
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
