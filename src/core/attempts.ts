// Opening a turn: tries again, and then the next backend of an alias, while nothing has reached the client. The only
// retry loop there is.

import { setTimeout as sleep } from 'node:timers/promises'
import { type ErrorCode, GatewayError } from './errors.ts'
import type { TurnEvent } from './events.ts'
import { Turn } from './turn.ts'

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

export interface Attempt<Target> {
  targets: readonly Target[]
  run(target: Target): AsyncIterable<TurnEvent[]>
  policy: RetryPolicy
  budget: RetryBudget
  /** The client sees nothing before the end, so that every failure up to there counts. */
  whole?: boolean
  signal: AbortSignal
  /** False once the client has been sent anything (keep-alives): then the first failure is final. */
  mayRetry(): boolean
  onFailure(target: Target, error: GatewayError, next: 'retry' | 'fallback' | 'give up'): void
}

export async function openTurn<Target>(attempt: Attempt<Target>): Promise<{ turn: Turn; target: Target }> {
  const { targets, policy, budget, signal } = attempt
  let failure: GatewayError | undefined
  const before: string[] = []
  budget.onRequest()
  for (const [position, target] of targets.entries()) {
    for (let tries = 0; ; tries++) {
      const turn = new Turn(attempt.run(target))
      try {
        await turn.open(attempt.whole)
        return { turn, target }
      } catch (error) {
        failure = GatewayError.from(error)
      }
      if (signal.aborted) throw failure
      const waitMs = failure.retryAfterMs ?? policy.baseDelayMs * 2 ** tries * (0.5 + Math.random())
      const hasNext = position + 1 < targets.length && mayFallBack(failure) && attempt.mayRetry()
      const patienceMs = hasNext ? policy.longestWaitBesideOthersMs : policy.longestWaitMs
      const retries = hasNext ? Math.min(1, policy.retries) : policy.retries
      const again =
        failure.retryable && tries < retries && waitMs <= patienceMs && attempt.mayRetry() && budget.take()
      attempt.onFailure(target, failure, again ? 'retry' : hasNext ? 'fallback' : 'give up')
      if (again) await sleep(waitMs, undefined, { signal }).catch(() => undefined)
      if (signal.aborted) throw GatewayError.ofAbort(signal)
      // What was waited for is tried, even if keep-alives have gone out meanwhile: they are no part of the answer.
      if (again) continue
      if (!hasNext) throw withHistory(failure, before)
      before.push(failure.message)
      break
    }
  }
  throw failure ?? new GatewayError('internal', 'No backend was tried.')
}

/** Whoever reads the last failure of an alias must learn of the others too. */
function withHistory(failure: GatewayError, before: readonly string[]): GatewayError {
  if (before.length === 0) return failure
  return new GatewayError(failure.code, `${failure.message} Tried before it: ${before.join(' ')}`, {
    ...failure,
    cause: failure,
  })
}

const final = new Set<ErrorCode>(['invalid-request', 'canceled', 'internal'])

/** Another backend may manage what this one refused, except a request that is wrong in itself or is answered already. */
function mayFallBack(error: GatewayError): boolean {
  return !final.has(error.code) && !(error.code === 'conflict' && error.upstream === undefined)
}
