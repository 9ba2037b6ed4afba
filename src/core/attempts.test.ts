import { describe, expect, it } from 'vitest'
import { defaultRetryPolicy, openTurn, RetryBudgets, waitBefore } from './attempts.ts'
import { Breakers, type Permit } from './breaker.ts'
import { type ErrorCode, GatewayError } from './errors.ts'
import type { TurnEvent } from './events.ts'

const good: TurnEvent[] = [
  { type: 'turn-start', id: 't', model: 'm' },
  { type: 'turn-end', reason: 'stop' },
]

/** `backend:model`, or one name for both. */
const addressOf = (target: string) => {
  const [backend = target, model = target] = target.split(':')
  return { backend, model }
}

/** Each target fails with its codes in order, then succeeds. */
function attempt(
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

describe('the breaker', () => {
  const failing: ErrorCode[] = ['upstream-unavailable', 'upstream-unavailable', 'upstream-unavailable']
  /** These requests, one after the other. */
  async function fail(times: number, breakers: Breakers, target = 'a') {
    for (let request = 0; request < times; request++)
      await attempt({ [target]: [...failing] }, { breakers }).result
  }

  it('counts a request once, however often it was retried', async () => {
    const breakers = new Breakers()
    await fail(4, breakers)
    expect(breakers.open).toEqual([])
    await fail(1, breakers)
    expect(breakers.open).toEqual([{ backend: 'a', model: 'a' }])
  })

  it('counts a successful retry as success', async () => {
    const breakers = new Breakers()
    await fail(4, breakers)
    await attempt({ a: ['upstream-unavailable'] }, { breakers }).result
    await fail(4, breakers)
    expect(breakers.open).toEqual([])
  })

  it('open: refuses without a call, with the reason and the time left', async () => {
    const breakers = new Breakers({ now: () => 0 })
    await fail(5, breakers)
    const refused = attempt({ a: [] }, { breakers })
    expect(await refused.failure).toMatchObject({
      code: 'upstream-unavailable',
      status: 503,
      retryAfterMs: 30_000,
      message: expect.stringMatching(/left alone for 30 s more.*The last failure: upstream-unavailable/),
    })
    expect(refused.log).toEqual(['a skipped, give up'])
  })

  it('open: falls back to the next target at once, at any time', async () => {
    const breakers = new Breakers()
    await fail(5, breakers)
    const next = attempt({ a: [], b: [] }, { breakers, mayRetry: () => false })
    expect(await next.result).toBe('b')
    expect(next.log).toEqual(['a skipped, fallback', 'b'])
  })

  it('all open: the wait is the shortest of all targets', async () => {
    let now = 0
    const breakers = new Breakers({ now: () => now })
    await fail(5, breakers, 'a')
    now = 10_000
    await fail(5, breakers, 'b')
    const refused = await attempt({ a: [], b: [] }, { breakers }).failure
    expect(refused).toMatchObject({
      retryAfterMs: 20_000,
      message: expect.stringMatching(/Tried before it: a:/),
    })
  })

  it('a request for a live run is not refused, and its outcome does not count', async () => {
    const breakers = new Breakers()
    await fail(5, breakers)
    const continuesRun = () => true
    expect(await attempt({ a: [] }, { breakers, continuesRun }).result).toBe('a')
    expect(breakers.open).toHaveLength(1)
    expect(await attempt({ a: [] }, { breakers }).result).toBe('upstream-unavailable')
  })

  it('a probe is not retried', async () => {
    let now = 0
    const breakers = new Breakers({ now: () => now })
    await fail(5, breakers)
    now = 30_000
    const probe = attempt({ a: ['upstream-unavailable'] }, { breakers })
    expect(await probe.result).toBe('upstream-unavailable')
    expect(probe.log).toEqual(['a', 'a upstream-unavailable give up'])
    expect(await attempt({ a: [] }, { breakers }).failure).toMatchObject({ retryAfterMs: 30_000 })
  })

  describe('opens during the wait before a retry', () => {
    const open = (breakers: Breakers) => {
      for (let at = 0; at < 5; at++)
        (breakers.ask({ backend: 'a', model: 'a' }) as Permit).failed(new GatewayError('timeout', 'x'))
    }
    const waiting = (plan: Parameters<typeof attempt>[0], breakers: Breakers, continuesRun = () => false) => {
      const one = attempt(plan, { breakers, continuesRun, onRetry: () => open(breakers) })
      return one.result.then((result) => [result, ...one.log])
    }

    it('the retry is skipped: falls back, or fails', async () => {
      expect(await waiting({ a: ['upstream-unavailable'] }, new Breakers())).toEqual([
        'upstream-unavailable',
        'a',
        'a upstream-unavailable retry',
        'a skipped, give up',
      ])
      expect(await waiting({ a: ['upstream-unavailable'], b: [] }, new Breakers())).toEqual([
        'b',
        'a',
        'a upstream-unavailable retry',
        'a skipped, fallback',
        'b',
      ])
    })

    it('the retry is made for a request that continues a run', async () => {
      const log = await waiting({ a: ['upstream-unavailable'] }, new Breakers(), () => true)
      expect(log).toEqual(['a', 'a', 'a upstream-unavailable retry', 'a'])
    })
  })

  it('a client that disconnects does not count, not even as the probe', async () => {
    let now = 0
    const breakers = new Breakers({ now: () => now })
    const left = AbortSignal.abort()
    for (let request = 0; request < 9; request++)
      await attempt({ a: [...failing] }, { breakers, signal: left }).result
    expect(breakers.open).toEqual([])
    await fail(5, breakers)
    now = 30_000
    await attempt({ a: [...failing] }, { breakers, signal: left }).result
    expect(await attempt({ a: [] }, { breakers }).result).toBe('a')
    expect(breakers.open).toEqual([])
  })
})
