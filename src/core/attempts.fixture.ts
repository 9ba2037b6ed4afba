import { openTurn, RetryBudgets } from './attempts.ts'
import { Breakers } from './breaker.ts'
import { type ErrorCode, GatewayError } from './errors.ts'
import type { TurnEvent } from './events.ts'

export const good: TurnEvent[] = [
  { type: 'turn-start', id: 't', model: 'm' },
  { type: 'turn-end', reason: 'stop' },
]

/** `backend:model`, or one name for both. */
export const addressOf = (target: string) => {
  const [backend = target, model = target] = target.split(':')
  return { backend, model }
}

/** Each target fails with its codes in order, then succeeds. */
export function attempt(
  plan: Record<string, (ErrorCode | GatewayError)[]>,
  more: {
    mayRetry?: () => boolean
    budgets?: RetryBudgets
    breakers?: Breakers
    signal?: AbortSignal
    continuesRun?: () => boolean
    onRetry?: () => void
  } = {},
) {
  const log: string[] = []
  const running = openTurn({
    targets: Object.keys(plan),
    run: async function* (target: string) {
      log.push(target)
      const failure = plan[target]?.shift()
      if (failure) throw typeof failure === 'string' ? new GatewayError(failure, failure) : failure
      yield good
    },
    policy: { retries: 2, baseDelayMs: 1, longestWaitMs: 50, longestWaitBesideOthersMs: 50 },
    addressOf,
    budgets: more.budgets ?? new RetryBudgets(),
    breakers: more.breakers ?? new Breakers(),
    signal: more.signal ?? new AbortController().signal,
    mayRetry: more.mayRetry ?? (() => true),
    continuesRun: more.continuesRun ?? (() => false),
    onFailure: (target, error, next) => {
      log.push(`${target} ${error.code} ${next}`)
      if (next === 'retry') more.onRetry?.()
    },
    onSkipped: (target, _refusal, next) => log.push(`${target} skipped, ${next}`),
  })
  const failure = running.then(
    () => undefined,
    (error: GatewayError) => error,
  )
  return {
    log,
    failure,
    message: failure.then((error) => error?.message),
    result: running.then(
      ({ target }) => target,
      (error: GatewayError) => error.code,
    ),
  }
}
