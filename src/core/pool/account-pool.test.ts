import { describe, expect, it } from 'vitest'
import { GatewayError } from '../errors.ts'
import {
  account,
  asked,
  broke,
  choose,
  limited,
  poolOf,
  settings,
  signal,
  turnOf,
} from './account-pool.fixture.ts'
import { PoolMemory, type Taken } from './pool-parts.ts'
import type { PoolStore } from './pool-store.ts'
import { withUnsaidBindings } from './unsaid-bindings.ts'

/** The values of a store that several pools share. */
function sharedStore(): PoolStore & { isDown: boolean } {
  const records = new Map<string, string>()
  const bindings = new Map<string, string>()
  const store = {
    isDown: false,
    async look(ids: readonly string[], keys: readonly string[]) {
      if (store.isDown) return undefined
      return {
        accounts: ids.map((id) => records.get(id) ?? ''),
        bindings: keys.map((key) => bindings.get(key) ?? ''),
      }
    },
    async bind(key: string, value: string, seen: string) {
      if (store.isDown) return undefined
      const now = bindings.get(key) ?? ''
      if (now !== '' && now !== seen) return now
      bindings.set(key, value)
      return value
    },
    tell(id: string, record: string) {
      if (!store.isDown) records.set(id, record)
    },
  }
  return store
}

describe('a pool', () => {
  it('counts turns under way, and a turn over its limit waits for one to end', async () => {
    const accounts = [account('a', { maxConcurrent: 1 })]
    const pool = poolOf([], { accounts: [...accounts, account('b', { priority: -1 })] })
    const first = await choose(pool, 'k')
    let second: Taken | undefined
    const waiting = choose(pool, 'k').then((taken) => {
      second = taken
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect([first.account, second]).toEqual(['a', undefined])
    pool.succeeded(first)
    await waiting
    expect(second?.account).toBe('a')
  })

  it('lets a subagent begin elsewhere if the account of its parent is busy', async () => {
    const pool = poolOf([], { accounts: [account('a', { maxConcurrent: 1 }), account('b')] })
    await choose(pool, 'parent')
    const turn = pool.begin({ affinity: { key: 'child', parent: 'parent' } })
    expect((await pool.choose(turn, asked, signal)).account).toBe('b')
  })

  it('stays with an account that has the run, and waits for it through a pause', async () => {
    const pool = poolOf(['a', 'b'])
    pool.saw('a', limited(60_000), { model: 'm', startedAt: Date.now() })
    await expect(choose(pool, 'k', { run: 'a' })).rejects.toMatchObject({ code: 'rate-limited' })
    pool.act('a', 'clear')
    expect((await choose(pool, 'k', { run: 'a' })).account).toBe('a')
  })

  it('leaves a run behind if the quota of its account is gone, with a note', async () => {
    const pool = poolOf(['a', 'b'])
    pool.saw('a', broke(), { model: 'm', startedAt: Date.now() })
    const notes: string[] = []
    const turn = turnOf(pool, 'k', { note: (text: string) => notes.push(text) })
    expect((await pool.choose(turn, { ...asked, run: 'a' }, signal)).account).toBe('b')
    expect(notes).toEqual([expect.stringMatching(/^account "a" .* account "b" was used: what it had kept/)])
  })

  it('takes two conversations without an id that have said the same for neither', async () => {
    const pool = poolOf(['a', 'b'])
    const begin = () => pool.choose(pool.begin({ affinity: { next: ['said'] } }), asked, signal)
    const [one, other] = [await begin(), await begin()]
    expect(one.account).not.toBe(other.account)
    for (const taken of [one, other]) pool.succeeded(taken)
    pool.called('call', other.account, { isBound: false, isFirst: true })
    const next = pool.begin({ affinity: { key: 'said', next: ['more'] } })
    expect((await pool.choose(next, { ...asked, call: 'call' }, signal)).account).toBe(other.account)
  })

  it('leaves a conversation where it was answered first', async () => {
    const pool = poolOf(['a', 'b'])
    const turn = turnOf(pool, 'k')
    const first = await pool.choose(turn, asked, signal)
    pool.failed(first, limited(60_000))
    const second = await pool.choose(turn, asked, signal)
    pool.succeeded(second)
    pool.act('a', 'clear')
    expect([first.account, second.account, (await choose(pool, 'k')).account]).toEqual(['a', 'b', 'b'])
  })

  it('finds the account of a tool loop by its call, and keeps to it if reasoning belongs to it', async () => {
    const pool = poolOf(['a', 'b'], { settings: { ...settings, maxWaitMs: 100 } })
    for (const isBound of [true, false]) {
      pool.called('call', 'b', { isBound, isFirst: true })
      expect((await choose(pool, `new ${isBound}`, { call: 'call' })).account).toBe('b')
    }
    pool.saw('b', broke(), { model: 'm', startedAt: Date.now() })
    expect((await choose(pool, 'other', { call: 'call' })).account).toBe('a')
    pool.called('call', 'b', { isBound: true, isFirst: true })
    const kept = choose(pool, 'more', { call: 'call', mayLoseReasoning: false })
    await expect(kept).rejects.toThrow('account "b": its quota is used up')
  })

  it('forgets on order, and takes an account out and in', async () => {
    const pool = poolOf(['a', 'b'])
    expect(pool.act('nobody', 'clear')).toBe(false)
    pool.act('a', 'disable')
    for (const key of ['1', '2', '3']) expect((await choose(pool, key)).account).toBe('b')
    expect(pool.views()[0]).toMatchObject({ state: 'disabled', reason: 'it was disabled by the operator' })
    pool.act('a', 'enable')
    expect((await choose(pool, '4')).account).toBe('a')
  })

  it('shows each account with its limits and its last error', async () => {
    const pool = poolOf(['a', 'b'])
    const taken = await choose(pool, 'k')
    pool.limited('a', 'm', 'openai', {
      'x-ratelimit-limit-requests': '10',
      'x-ratelimit-remaining-requests': '4',
      'x-ratelimit-reset-requests': '1m0s',
    })
    pool.failed(taken, limited(60_000))
    expect(pool.views()[0]).toMatchObject({
      ...{ backend: 'box', account: 'a', state: 'ready', conversations: 1, inFlight: 0, turns24h: 1 },
      ...{ errors24h: 1, lastError: { code: 'rate-limited' } },
      models: [{ model: 'm', status: 'paused', reason: 'its rate limit is reached (HTTP 429)' }],
      windows: [{ name: 'requests', limit: 10, remaining: 4, usedPercent: 60 }],
    })
  })

  it('prefers the account with more room', async () => {
    const pool = poolOf(['a', 'b'])
    const room = (remaining: number) => ({
      'x-ratelimit-limit-tokens': '100',
      'x-ratelimit-remaining-tokens': String(remaining),
      'x-ratelimit-reset-tokens': '1m',
    })
    pool.limited('a', 'm', 'openai', room(50))
    pool.limited('b', 'm', 'openai', room(80))
    expect((await choose(pool, '1')).account).toBe('b')
  })

  it('with the policy fill, keeps to one account until it is nearly used up', async () => {
    const pool = poolOf(['a', 'b'], { settings: { ...settings, policy: 'fill' } })
    for (const key of ['1', '2', '3']) expect((await choose(pool, key)).account).toBe('a')
    pool.limited('a', 'm', 'openai', {
      'x-ratelimit-limit-tokens': '100',
      'x-ratelimit-remaining-tokens': '4',
      'x-ratelimit-reset-tokens': '1m',
    })
    for (const key of ['4', '5']) expect((await choose(pool, key)).account).toBe('b')
    expect((await choose(pool, '1')).account).toBe('a')
  })

  it('with the policy spread, goes by turns under way', async () => {
    const pool = poolOf(['a', 'b'], { settings: { ...settings, policy: 'spread' } })
    const all = [await choose(pool, '1'), await choose(pool, '1'), await choose(pool, '1')]
    expect(
      all
        .map((taken) => taken.account)
        .sort()
        .join(''),
    ).toMatch(/^(aab|abb)$/)
  })

  it('keeps what it knows when the configuration changes, unless the credential is another', async () => {
    const memory = new PoolMemory()
    const before = poolOf(['a', 'b', 'c'], { memory })
    const home = await choose(before, 'k')
    before.saw('c', broke(), { model: 'm', startedAt: Date.now() })
    const accounts = [account('a'), { ...account('c'), id: 'box@c:2' }]
    const after = poolOf([], { memory, accounts })
    expect((await choose(after, 'k')).account).toBe(home.account)
    expect(after.views().map(({ state }) => state)).toEqual(['ready', 'ready'])
    const without = poolOf(['b', 'c'], { memory })
    const notes: string[] = []
    const turn = turnOf(without, 'k', { note: (text: string) => notes.push(text) })
    expect((await without.choose(turn, asked, signal)).account).toBe('b')
    expect(notes).toEqual([expect.stringContaining('account "a" is not configured any more; account "b"')])
  })
})

describe('a model that accounts lack', () => {
  const missing = () =>
    new GatewayError('not-found', 'no', { detail: 'model_not_found', upstream: { status: 404 } })
  const denied = (excerpt = 'Not allowed.') =>
    new GatewayError('upstream-credential', 'no', { upstream: { status: 403, excerpt } })
  const refusedAfter = async (...failures: (readonly [string, GatewayError])[]) => {
    const clock = { now: 1_000_000_000_000 }
    const pool = poolOf(['a', 'b'], { now: () => clock.now })
    for (const [name, error] of failures) pool.saw(name, error, { model: 'm', startedAt: clock.now })
    const refusal = await choose(pool, 'k').catch((error: unknown) => error)
    return { clock, pool, refusal }
  }

  it('is not found, and a request five minutes later asks again', async () => {
    const { clock, pool, refusal } = await refusedAfter(['a', missing()], ['b', missing()])
    expect(refusal).toMatchObject({
      ...{ code: 'not-found', status: 404, detail: 'model_not_found', retryAfterMs: undefined },
      message: expect.stringMatching(
        /^box: no account that .* has the model "m": account "a": it does not .* asked again after/,
      ),
    })
    expect(pool.views()[0]?.models).toMatchObject([{ model: 'm', status: 'no-model' }])
    await expect(choose(pool, 'k', { model: 'n' })).resolves.toMatchObject({ model: 'n' })
    clock.now += 300_001
    expect((await choose(pool, 'k')).model).toBe('m')
  })

  it.each(['Not allowed.', 'Upgrade your plan.'])(
    'because they may not use it is a matter of rights: %s',
    async (words) => {
      const { clock, pool, refusal } = await refusedAfter(['a', denied(words)], ['b', missing()])
      expect(refusal).toMatchObject({ code: 'upstream-credential', retryAfterMs: undefined })
      expect(pool.views()[0]?.models).toMatchObject([{ status: 'no-rights' }])
      clock.now += 300_001
      expect((await choose(pool, 'k')).model).toBe('m')
    },
  )

  it('is waited for if another account has it, as long as that one is limited', async () => {
    const { refusal } = await refusedAfter(['a', missing()], ['b', limited(3_000_000)])
    expect(refusal).toMatchObject({ code: 'quota-exhausted', retryAfterMs: 3_000_000 })
    const paused = await refusedAfter(['a', missing()], ['b', limited(400_000)])
    expect(paused.refusal).toMatchObject({ code: 'rate-limited', retryAfterMs: 400_000 })
  })

  it('lets a run of the account that lost it go on elsewhere', async () => {
    const { pool } = await refusedAfter(['a', denied()])
    expect((await choose(pool, 'k', { run: 'a' })).account).toBe('b')
  })
})

describe('two instances', () => {
  const both = () => {
    const store = sharedStore()
    return { store, one: poolOf(['a', 'b', 'c'], { store }), other: poolOf(['a', 'b', 'c'], { store }) }
  }

  it('give a conversation the same account, also if it begins at both at once', async () => {
    const { one, other } = both()
    await choose(one, 'first')
    const [here, there] = await Promise.all([choose(one, 'k'), choose(other, 'k')])
    expect(here.account).toBe(there.account)
  })

  it('know at once what the other has learned, and what the operator says', async () => {
    const { one, other } = both()
    one.saw('a', broke(), { model: 'm', startedAt: Date.now() })
    for (const key of ['1', '2', '3', '4']) expect((await choose(other, key)).account).not.toBe('a')
    other.act('a', 'clear')
    await one.refresh()
    expect(one.views()[0]?.state).toBe('ready')
  })

  it('both use an account in full again once a turn at one of them has shown that it works', async () => {
    let now = 1_000_000_000_000
    const store = sharedStore()
    const accounts = [account('a', { priority: 1 }), account('b')]
    const pools = () => poolOf([], { accounts, store, now: () => now })
    const [one, other] = [pools(), pools()]
    one.saw('a', broke(), { model: 'm', startedAt: now })
    await other.refresh()
    now += 3_700_000
    const trial = await choose(one, 'trial')
    now += 1_000
    one.succeeded(trial)
    // The other has a copy of the old state, and tells it with its own news.
    other.saw('a', limited(60_000), { model: 'n', startedAt: now })
    for (const pool of [one, other, one]) {
      await pool.refresh()
      const taken = [await choose(pool, 'k1'), await choose(pool, 'k2')]
      expect(taken.map(({ account: used }) => used)).toEqual(['a', 'a'])
      for (const each of taken) pool.release(each)
    }
    expect(one.views()[0]?.models).toMatchObject([{ model: 'n' }])
  })

  it('shorten the pauses of an account again with every turn that succeeds', async () => {
    let now = 1_000_000_000_000
    const pool = poolOf(['a'], { store: sharedStore(), now: () => now, countsByModel: false })
    const pause = async () => {
      const taken = await choose(pool, 'k')
      now += 10
      pool.failed(taken, new GatewayError('rate-limited', 'no', { upstream: { status: 429 } }))
      const ms = (pool.views()[0]?.until ?? 0) - now
      now += 400_000
      return ms
    }
    for (let times = 0; times < 9; times++) await pause()
    expect(await pause()).toBe(300_000)
    for (let times = 0; times < 4; times++) {
      const taken = await choose(pool, 'k')
      now += 10
      pool.succeeded(taken)
    }
    expect(await pause()).toBe(1_000)
  })

  it('find a tool loop that began at the other', async () => {
    const { one, other } = both()
    one.called('call', 'c', { isBound: true, isFirst: true })
    expect((await choose(other, 'k', { call: 'call' })).account).toBe('c')
  })

  it('go on alone while the store is down', async () => {
    const { store, one } = both()
    const home = await choose(one, 'k')
    store.isDown = true
    expect((await choose(one, 'k')).account).toBe(home.account)
  })

  it('choose the same account for a conversation that begins while the store is down', async () => {
    const { store, one, other } = both()
    store.isDown = true
    const keys = Array.from({ length: 20 }, (_, at) => `k${at}`)
    const homes = new Map<string, string>()
    for (const key of keys) homes.set(key, (await choose(one, key)).account)
    for (const key of keys.reverse()) expect((await choose(other, key)).account).toBe(homes.get(key))
    expect(new Set(homes.values()).size).toBe(3)
  })

  it('tell what they chose meanwhile as soon as the store is back', async () => {
    const shared = sharedStore()
    const pools = () => poolOf(['a', 'b', 'c'], { store: withUnsaidBindings(shared) })
    const [one, other] = [pools(), pools()]
    const keys = Array.from({ length: 12 }, (_, at) => `said ${at}`)
    shared.isDown = true
    const homes: string[] = []
    for (const key of keys) {
      // Without an id of their own, so that the other instance cannot choose alike.
      const taken = await one.choose(one.begin({ affinity: { next: [key] } }), asked, signal)
      one.succeeded(taken)
      homes.push(taken.account)
    }
    await new Promise((resolve) => setImmediate(resolve))
    shared.isDown = false
    await one.refresh()
    const found = await Promise.all(keys.map((key) => choose(other, key)))
    expect(found.map(({ account: used }) => used)).toEqual(homes)
  })
})
