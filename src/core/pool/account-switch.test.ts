// A conversation leaves an account, and returns to it.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Cancellation } from '../../base/signal.ts'
import { account, asked, broke, choose, limited, poolOf, turnOf } from './account-pool.fixture.ts'

describe('a switch', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('of fifty conversations at once lets five begin in the first second, and all in time', async () => {
    const accounts = [account('a', { priority: 1 }), account('b')]
    const pool = poolOf([], { accounts })
    const keys = Array.from({ length: 50 }, (_, at) => `k${at}`)
    for (const key of keys) pool.succeeded(await choose(pool, key))
    pool.saw('a', broke(), { model: 'm', startedAt: Date.now() })
    let begun = 0
    const all = keys.map((key) => choose(pool, key).then(() => begun++))
    await vi.advanceTimersByTimeAsync(999)
    expect(begun).toBeGreaterThanOrEqual(4)
    expect(begun).toBeLessThanOrEqual(5)
    await vi.advanceTimersByTimeAsync(11_000)
    await Promise.all(all)
    expect(begun).toBe(50)
  })

  it('lasts as long as the pause: then the conversation comes home', async () => {
    const pool = poolOf(['a', 'b'])
    pool.succeeded(await choose(pool, 'k'))
    pool.saw('a', limited(60_000), { model: 'm', startedAt: Date.now() })
    const away = await choose(pool, 'k')
    pool.succeeded(away)
    await vi.advanceTimersByTimeAsync(60_001)
    expect([away.account, (await choose(pool, 'k')).account]).toEqual(['b', 'a'])
  })

  it('is over as soon as the client leaves', async () => {
    const pool = poolOf(['a'])
    pool.saw('a', limited(5_000), { model: 'm', startedAt: Date.now() })
    const leaving = new Cancellation()
    const waiting = pool.choose(turnOf(pool, 'k'), asked, leaving)
    const outcome = expect(waiting).rejects.toMatchObject({ code: 'canceled' })
    await vi.advanceTimersByTimeAsync(100)
    leaving.abort()
    await outcome
  })
})
