import { describe, expect, it } from 'vitest'
import { attempt } from './attempts.fixture.ts'
import { Breakers, type Permit } from './breaker.ts'
import { type ErrorCode, GatewayError } from './errors.ts'

describe('openTurn with a breaker', () => {
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
