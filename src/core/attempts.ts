// Opening a turn: tries again, and then the next backend of an alias, while nothing has reached the client. The only
// retry loop there is, and the only place that asks the breakers.

import { setTimeout as sleep } from 'node:timers/promises'
import { nativeSignal, type Signal } from '../base/signal.ts'
import type { Breakers, ModelAddress, Permit } from './breaker.ts'
import { type ErrorCode, GatewayError } from './errors.ts'
import type { TurnEvent } from './events.ts'
import { Turn } from './turn.ts'
import type { TurnBudget } from './turn-budget.ts'

export interface RetryPolicy {
  /** Tries after the first, for each target. */
  retries: number
  baseDelayMs: number
  /** A longer Retry-After is passed on to the client instead of being waited for. */
  longestWaitMs: number
  /** The same where another backend could be asked meanwhile; that one is not kept waiting for a second retry either. */
  longestWaitBesideOthersMs: number
}

export const defaultRetryPolicy: RetryPolicy = {
  retries: 2,
  baseDelayMs: 400,
  longestWaitMs: 30_000,
  longestWaitBesideOthersMs: 2_000,
}

/** Retries may be at most a fifth of the requests, so that a failing upstream is not hit three times as hard. */
export class RetryBudget {
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

/** One for each backend: those that work are not to pay for one that does not. */
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
  /** It goes on with something that was begun there, and would be lost: that is not a new call. */
  goesOn?(target: Target): boolean | Promise<boolean>
  /** The client sees nothing before the end, so that every failure up to there counts. */
  whole?: boolean
  signal: Signal
  /** What the turn may keep of it. */
  memory?: TurnBudget | undefined
  /** False once the client has been sent anything (keep-alives): then the first failure is final. */
  mayRetry(): boolean
  onFailure(target: Target, error: GatewayError, next: 'retry' | 'fallback' | 'give up'): void
  /** It was not called, or not again: its breaker is open. */
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
  { breakers, addressOf, goesOn }: Attempt<Target>,
  target: Target,
): Promise<Permit | GatewayError> {
  const address = addressOf(target)
  const isPast = breakers.isOpen(address) && (await goesOn?.(target))
  return isPast ? breakers.askToGoOn(address) : breakers.ask(address)
}

/** The turn, once there is something to show of it; or the failure that is left after all retries. */
async function tryTarget<Target>(
  attempt: Attempt<Target>,
  target: Target,
  { permit, isLast }: { permit: Permit; isLast: boolean },
): Promise<Turn | GatewayError> {
  const { policy, signal } = attempt
  const budget = attempt.budgets.of(attempt.addressOf(target).backend)
  const mayTryAgain = async () => permit.mayTryAgain() || ((await attempt.goesOn?.(target)) ?? false)
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
    // What was waited for is tried, even if keep-alives have gone out meanwhile: they are no part of the answer.
  }
}

function brokenOff(permit: Permit, failure: GatewayError): GatewayError {
  permit.unknown()
  return failure
}

/** As long as the service asks for, and a little more: all whom it told the same must not come at once. */
export function waitBefore(
  tries: number,
  { retryAfterMs }: Pick<GatewayError, 'retryAfterMs'>,
  { baseDelayMs }: Pick<RetryPolicy, 'baseDelayMs'>,
  random = Math.random,
): number {
  if (retryAfterMs !== undefined) return retryAfterMs + baseDelayMs * random()
  return baseDelayMs * 2 ** tries * (0.5 + random())
}

/** Whoever reads the last failure of an alias must learn of the others too. */
function combineFailures(failures: readonly GatewayError[]): GatewayError {
  const last = failures.at(-1)
  if (!last) return new GatewayError('internal', 'No backend was tried.')
  const before = failures.slice(0, -1)
  if (before.length === 0) return last
  const told = before.map(({ message }) => message).join(' ')
  // The first that can be asked again will do.
  const waits = failures.flatMap(({ retryAfterMs }) => retryAfterMs ?? [])
  return new GatewayError(last.code, `${last.message} Tried before it: ${told}`, {
    ...last,
    ...(last.retryAfterMs === undefined ? {} : { retryAfterMs: Math.min(...waits) }),
    cause: last,
  })
}

const final = new Set<ErrorCode>(['invalid-request', 'canceled', 'internal'])

/** Another backend may manage what this one refused, except a request that is wrong in itself or is answered already. */
function mayFallBack(error: GatewayError): boolean {
  return !final.has(error.code) && !(error.code === 'conflict' && error.upstream === undefined)
}
