import { describe, expect, it } from 'vitest'
import { addressOf, attempt, good } from './attempts.fixture.ts'
import { defaultRetryPolicy, openTurn, RetryBudgets, waitBefore } from './attempts.ts'
import { Breakers } from './breaker.ts'
import { GatewayError } from './errors.ts'
import type { TurnEvent } from './events.ts'

describe('openTurn', () => {
  it('retries at most twice, and only retryable failures', async () => {
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

  it('falls back to the next target, unless the request itself is wrong', async () => {
    const next = attempt({ a: ['unauthenticated'], b: [] })
    expect(await next.result).toBe('b')
    const wrong = attempt({ a: ['invalid-request'], b: [] })
    expect(await wrong.result).toBe('invalid-request')
    expect(wrong.log).not.toContain('b')
  })

  it('names every backend that failed', async () => {
    const all = attempt({ a: ['unauthenticated'], b: ['quota-exhausted'] })
    expect(await all.message).toBe('quota-exhausted Tried before it: unauthenticated')
  })

  it('falls back, or fails, at once if the wait would be too long', async () => {
    const slow = () => new GatewayError('rate-limited', 'x', { retryAfterMs: 10_000 })
    expect(await attempt({ a: [slow()], b: [] }).result).toBe('b')
    expect(await attempt({ a: [slow()] }).result).toBe('rate-limited')
  })

  it('does not retry once anything was sent to the client', async () => {
    const late = attempt({ a: ['timeout'], b: [] }, { mayRetry: () => false })
    expect(await late.result).toBe('timeout')
    expect(late.log).toEqual(['a', 'a timeout give up'])
  })

  it('retries failures up to the end of an answer that is not streamed', async () => {
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
        addressOf,
        budgets: new RetryBudgets(),
        breakers: new Breakers(),
        whole,
        signal: new AbortController().signal,
        mayRetry: () => true,
        onFailure: () => undefined,
      }).then(({ turn }) => turn.next())
    }
    expect((await open(true))?.at(-1)?.type).toBe('turn-end')
    expect((await open(false))?.at(-1)?.type).toBe('turn-error')
  })

  it('waits for the whole Retry-After, plus jitter', () => {
    const policy = { baseDelayMs: 400 }
    const waits = (retryAfterMs: number | undefined, tries: number) =>
      [0, 0.5, 1].map((chance) => waitBefore(tries, { retryAfterMs }, policy, () => chance))
    expect(waits(undefined, 0)).toEqual([200, 400, 600])
    expect(waits(undefined, 1)).toEqual([400, 800, 1200])
    expect(waits(30_000, 1)).toEqual([30_000, 30_200, 30_400])
  })

  it('waits 30 s at most', async () => {
    const abort = new AbortController()
    const asked = (retryAfterMs: number) => {
      const decisions: string[] = []
      const running = openTurn({
        targets: ['a'],
        run: async function* () {
          yield [{ type: 'turn-error', error: new GatewayError('rate-limited', 'x', { retryAfterMs }) }]
        },
        addressOf,
        policy: defaultRetryPolicy,
        budgets: new RetryBudgets(),
        breakers: new Breakers(),
        signal: abort.signal,
        mayRetry: () => true,
        onFailure: (_target, _error, next) => {
          decisions.push(next)
          setImmediate(() => abort.abort())
        },
      })
      return running.catch(() => decisions)
    }
    expect(await asked(30_001)).toEqual(['give up'])
    expect(await asked(30_000)).toEqual(['retry'])
  })
})

describe('the retry budget', () => {
  const triesOf = async (requests: number, budgets: RetryBudgets, target = 'a') => {
    let tries = 0
    for (let request = 0; request < requests; request++) {
      const { log, result } = attempt({ [target]: ['timeout', 'timeout', 'timeout'] }, { budgets })
      await result
      tries += log.filter((line) => line === target).length
    }
    return tries
  }

  it('keeps retries below a fifth of the requests', async () => {
    expect(await triesOf(200, new RetryBudgets())).toBeLessThanOrEqual(200 + 10 + 200 * 0.2)
  })

  it('is separate for each backend', async () => {
    const budgets = new RetryBudgets()
    await triesOf(100, budgets, 'broken:m')
    expect(await triesOf(1, budgets, 'broken:n')).toBe(1)
    expect(await triesOf(5, budgets, 'other:m')).toBe(15)
  })
})
