import { describe, expect, it } from 'vitest'
import { openTurn, RetryBudget } from './attempts.ts'
import { type ErrorCode, GatewayError } from './errors.ts'
import type { TurnEvent } from './events.ts'

const good: TurnEvent[] = [
  { type: 'turn-start', id: 't', model: 'm' },
  { type: 'turn-end', reason: 'stop' },
]

/** Each target fails with its codes in order, then succeeds. */
function attempt(
  plan: Record<string, (ErrorCode | GatewayError)[]>,
  more: { mayRetry?: () => boolean; budget?: RetryBudget } = {},
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
    budget: more.budget ?? new RetryBudget(),
    signal: new AbortController().signal,
    mayRetry: more.mayRetry ?? (() => true),
    onFailure: (target, error, next) => log.push(`${target} ${error.code} ${next}`),
  })
  const message = running.then(
    () => '',
    (error: GatewayError) => error.message,
  )
  return {
    log,
    message,
    result: running.then(
      ({ target }) => target,
      (error: GatewayError) => error.code,
    ),
  }
}

describe('openTurn', () => {
  it('tries again at most twice, and only what may pass next time', async () => {
    const passing = attempt({ a: ['upstream-unavailable', 'timeout'] })
    expect(await passing.result).toBe('a')
    expect(passing.log.filter((line) => line === 'a')).toHaveLength(3)
    const failing = attempt({ a: ['rate-limited', 'rate-limited', 'rate-limited', 'rate-limited'] })
    expect(await failing.result).toBe('rate-limited')
    expect(failing.log.filter((line) => line === 'a')).toHaveLength(3)
    const final = attempt({ a: ['unauthenticated'] })
    expect(await final.result).toBe('unauthenticated')
    expect(final.log).toEqual(['a', 'a unauthenticated give up'])
  })

  it('goes on to the next target, but not with a request that is wrong in itself', async () => {
    const next = attempt({ a: ['unauthenticated'], b: [] })
    expect(await next.result).toBe('b')
    const wrong = attempt({ a: ['invalid-request'], b: [] })
    expect(await wrong.result).toBe('invalid-request')
    expect(wrong.log).not.toContain('b')
  })

  it('tells of every backend that failed', async () => {
    const all = attempt({ a: ['unauthenticated'], b: ['quota-exhausted'] })
    expect(await all.message).toBe('quota-exhausted Tried before it: unauthenticated')
  })

  it('does not wait longer than it should: the next target, or the client, hears at once', async () => {
    const slow = () => new GatewayError('rate-limited', 'x', { retryAfterMs: 10_000 })
    expect(await attempt({ a: [slow()], b: [] }).result).toBe('b')
    expect(await attempt({ a: [slow()] }).result).toBe('rate-limited')
  })

  it('gives up at once when the client has been sent anything', async () => {
    const late = attempt({ a: ['timeout'], b: [] }, { mayRetry: () => false })
    expect(await late.result).toBe('timeout')
    expect(late.log).toEqual(['a', 'a timeout give up'])
  })

  it('an answer that is not streamed may fail up to its end', async () => {
    const text: TurnEvent[] = [
      { type: 'turn-start', id: 't', model: 'm' },
      { type: 'text-start', block: 0 },
      { type: 'text-delta', block: 0, delta: 'x' },
    ]
    const open = (whole: boolean) => {
      let tries = 0
      return openTurn({
        targets: ['a'],
        run: async function* () {
          const error = new GatewayError('upstream-protocol', 'x')
          yield ++tries === 1 ? [...text, { type: 'turn-error', error }] : good
        },
        policy: { retries: 2, baseDelayMs: 1, longestWaitMs: 50, longestWaitBesideOthersMs: 50 },
        budget: new RetryBudget(),
        whole,
        signal: new AbortController().signal,
        mayRetry: () => true,
        onFailure: () => undefined,
      }).then(({ turn }) => turn.next())
    }
    expect((await open(true))?.at(-1)?.type).toBe('turn-end')
    expect((await open(false))?.at(-1)?.type).toBe('turn-error')
  })

  it('keeps retries below a fifth of the requests', async () => {
    const budget = new RetryBudget()
    let tries = 0
    for (let request = 0; request < 200; request++) {
      const { log, result } = attempt({ a: ['timeout', 'timeout', 'timeout'] }, { budget })
      await result
      tries += log.filter((line) => line === 'a').length
    }
    expect(tries).toBeLessThanOrEqual(200 + 10 + 200 * 0.2)
  })
})
