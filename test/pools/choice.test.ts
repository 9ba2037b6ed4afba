// Which account takes a turn, and what it takes to leave it.

import { describe, expect, it } from 'vitest'
import { account, keyOf, model, say, usePoolBench } from './pool-bench.ts'

const accountsOf = async (url: string, sessions: readonly string[]) => {
  const found = new Map<string, string | null>()
  for (const session of sessions) found.set(session, (await say(url, { session })).account)
  return found
}

describe('a pool of three accounts', () => {
  const bench = usePoolBench()

  it('spreads new conversations, and each stays with its account', async () => {
    const sessions = ['s1', 's2', 's3', 's4', 's5', 's6']
    const first = await accountsOf(bench.url, sessions)
    expect([...first.values()].sort()).toEqual(['a', 'a', 'b', 'b', 'c', 'c'])
    expect(await accountsOf(bench.url, sessions)).toEqual(first)
    for (const { key } of bench.accounts.seen) expect(key).toMatch(/^sk-pool-[abc]-/)
  })

  it('keeps conversations with the same first message apart, by their ids', async () => {
    const [one, two] = [await say(bench.url, { session: 's1' }), await say(bench.url, { session: 's2' })]
    expect(one.account).not.toBe(two.account)
  })

  it('lets a subagent begin with the account of its parent', async () => {
    for (const session of ['s1', 's2']) {
      const parent = await say(bench.url, { session })
      const headers = { 'x-claude-code-agent-id': 'agent-1' }
      expect((await say(bench.url, { session, headers })).account).toBe(parent.account)
    }
  })

  it('finds a conversation without an id by what was said so far', async () => {
    const begin = await say(bench.url, { text: 'one of its kind' })
    const body = {
      messages: [
        { role: 'user', content: 'one of its kind' },
        { role: 'assistant', content: 'yes' },
        { role: 'user', content: 'and now?' },
      ],
    }
    for (let times = 0; times < 3; times++)
      expect((await say(bench.url, { body })).account).toBe(begin.account)
  })

  it('takes the account that the client names, in the name of the model or in a header', async () => {
    for (const name of ['c', 'b']) {
      const inName = await say(bench.url, { body: { model: `claude@${name}/claude-sonnet-4-5` } })
      expect([inName.status, inName.account]).toEqual([200, name])
      const inHeader = await say(bench.url, { headers: { 'x-dragoman-account': name } })
      expect([inHeader.status, inHeader.account]).toEqual([200, name])
    }
  })

  it('has a 404 for an account that does not exist, and asks none', async () => {
    const inName = await say(bench.url, { body: { model: 'claude@nobody/claude-sonnet-4-5' } })
    const inHeader = await say(bench.url, { headers: { 'x-dragoman-account': 'nobody' } })
    for (const { status, message } of [inName, inHeader]) {
      expect(status).toBe(404)
      expect(message).toContain('no account "nobody" at claude; there is a, b, c')
    }
    expect(bench.accounts.seen).toEqual([])
  })

  it('never leaves a named account in silence', async () => {
    bench.accounts.revoke(keyOf('a'))
    const headers = { 'x-dragoman-account': 'a' }
    expect((await say(bench.url, { headers })).status).toBe(502)
    const again = await say(bench.url, { headers })
    expect(again).toMatchObject({ status: 502, account: null })
    expect(again.message).toContain('account "a": its key or login was refused (HTTP 401)')
    expect(bench.accounts.seen.map(({ key }) => key)).toEqual([keyOf('a')])
  })

  it('moves a conversation whose account is limited for long, with a note', async () => {
    const home = (await say(bench.url, { session: 's1' })).account ?? ''
    bench.accounts.limit(keyOf(home), 60_000)
    const away = await say(bench.url, { session: 's1' })
    expect(away).toMatchObject({ status: 200 })
    expect(away.account).not.toBe(home)
    expect(away.notes).toContain(`account "${home}" could not be used (its rate limit is reached (HTTP 429)`)
    expect(away.notes).toContain(`account "${away.account}" was used`)
    expect((await say(bench.url, { session: 's1' })).account).not.toBe(home)
    expect(bench.accounts.tooEarly).toEqual([])
  })

  it('releases the conversations of an account whose key was revoked, or whose money has run out', async () => {
    const home = (await say(bench.url, { session: 's1' })).account ?? ''
    bench.accounts.revoke(keyOf(home))
    const away = await say(bench.url, { session: 's1' })
    expect(away.status).toBe(200)
    bench.accounts.heal(keyOf(home))
    const later = await say(bench.url, { session: 's1' })
    expect([later.account, later.notes]).toEqual([away.account, ''])
    bench.accounts.exhaust(keyOf(away.account ?? ''))
    expect((await say(bench.url, { session: 's1' })).account).not.toBe(away.account)
  })

  it('tries no other account after words of abuse', async () => {
    const home = (await say(bench.url, { session: 's1' })).account ?? ''
    bench.accounts.lock(keyOf(home), 'This account was suspended for suspicious activity.')
    const before = bench.accounts.seen.length
    expect((await say(bench.url, { session: 's1' })).status).toBe(502)
    expect(bench.accounts.seen.length - before).toBe(1)
  })

  it('ends the search when two accounts say the same', async () => {
    for (const name of ['a', 'b', 'c']) bench.accounts.limit(keyOf(name), 60_000)
    const refused = await say(bench.url, { session: 's1' })
    expect(refused.status).toBe(429)
    expect(bench.accounts.seen).toHaveLength(2)
  })

  it('says when the next account is free if none is', async () => {
    for (const name of ['a', 'b', 'c']) bench.accounts.limit(keyOf(name), 60_000)
    for (const session of ['s1', 's2']) await say(bench.url, { session })
    const count = bench.accounts.seen.length
    const refused = await say(bench.url, { session: 's3' })
    expect(refused.status).toBe(429)
    expect(Number(refused.retryAfter)).toBeGreaterThan(50)
    expect(refused.message).toContain('no account can take this now: account "a": its rate limit is reached')
    expect(bench.accounts.seen).toHaveLength(count)
  })

  it('says again that there is no such model, and asks no account for it meanwhile', async () => {
    const unknown = { session: 's1', body: { model: 'claude/claude-2.0' } }
    await say(bench.url, unknown)
    const first = await say(bench.url, unknown)
    const asked = bench.accounts.seen.length
    const again = await say(bench.url, unknown)
    expect([first.status, again.status, again.retryAfter]).toEqual([404, 404, null])
    expect(again.message).toContain('no account that may take this has the model "claude-2.0"')
    expect(bench.accounts.seen).toHaveLength(asked)
    expect((await say(bench.url, { session: 's1' })).status).toBe(200)
  })

  it('cools one model alone where the service counts so', async () => {
    const home = (await say(bench.url, { session: 's1' })).account ?? ''
    bench.accounts.limit(keyOf(home), 60_000, 'claude-sonnet-4-5')
    expect((await say(bench.url, { session: 's1' })).account).not.toBe(home)
    const other = await say(bench.url, { session: 's1', body: { model: 'claude/claude-opus-4-5' } })
    expect(other.account).toBe(home)
  })

  it('leaves every account alone for a wrong request', async () => {
    for (const name of ['a', 'b', 'c']) bench.accounts.fail(keyOf(name), 400)
    for (const session of ['s1', 's2', 's3']) expect((await say(bench.url, { session })).status).toBe(400)
    expect(bench.accounts.seen).toHaveLength(3)
    for (const name of ['a', 'b', 'c']) bench.accounts.heal(keyOf(name))
    const after = await accountsOf(bench.url, ['s1', 's2', 's3'])
    expect([...after.values()].sort()).toEqual(['a', 'b', 'c'])
  })
})

describe('the wait for an account', () => {
  const bench = usePoolBench({ pool: { maxWaitMs: 5_000 } })

  it('is short, and within the request', async () => {
    const home = (await say(bench.url, { session: 's1' })).account ?? ''
    bench.accounts.limit(keyOf(home), 900)
    const later = await say(bench.url, { session: 's1' })
    expect([later.status, later.account, later.notes]).toEqual([200, home, ''])
    expect(bench.accounts.tooEarly).toEqual([])
  })
})

describe('without failover', () => {
  const bench = usePoolBench({ pool: { failover: 'never' } })

  it('a conversation fails with its account, and new ones go elsewhere', async () => {
    const home = (await say(bench.url, { session: 's1' })).account ?? ''
    bench.accounts.exhaust(keyOf(home))
    expect((await say(bench.url, { session: 's1' })).status).toBe(402)
    const again = await say(bench.url, { session: 's1' })
    expect(again).toMatchObject({ status: 402 })
    expect(again.message).toContain(`account "${home}": its quota is used up`)
    const fresh = await say(bench.url, { session: 's2' })
    expect(fresh.status).toBe(200)
    expect(fresh.account).not.toBe(home)
  })
})

describe('settings of accounts', () => {
  const bench = usePoolBench({
    accounts: [
      account('low'),
      account('high', { priority: 1 }),
      account('one', { models: ['claude-opus-4-5'] }),
    ],
  })

  it('priority and models decide before the policy', async () => {
    for (const session of ['s1', 's2', 's3']) expect((await say(bench.url, { session })).account).toBe('high')
    bench.accounts.exhaust(keyOf('high'))
    expect((await say(bench.url, { session: 's1' })).account).toBe('low')
    bench.accounts.exhaust(keyOf('low'))
    expect((await say(bench.url, { session: 's1' })).status).toBe(402)
    const opus = await say(bench.url, { session: 's4', body: { model: 'claude/claude-opus-4-5' } })
    expect(opus.account).toBe('one')
  })
})

describe('one account', () => {
  const bench = usePoolBench({ accounts: [account('only')] })

  it('has no header, and is asked whatever it said before', async () => {
    bench.accounts.limit(keyOf('only'), 60_000)
    for (let times = 0; times < 2; times++) expect((await say(bench.url, { session: 's1' })).status).toBe(429)
    expect(bench.accounts.seen).toHaveLength(2)
    bench.accounts.heal(keyOf('only'))
    expect(await say(bench.url)).toMatchObject({ status: 200, account: null, notes: '' })
    expect((await say(bench.url, { headers: { 'x-dragoman-account': 'only' } })).status).toBe(200)
    expect((await say(bench.url, { body: { model: model.replace('/', '@other/') } })).status).toBe(404)
  })
})

describe('a key with an account of its own', () => {
  const keys = [
    { name: 'ci', key: 'ci-key-0123456789', accounts: ['claude@b'] },
    { name: 'laptop', key: 'laptop-key-0123456789' },
  ]
  const bench = usePoolBench({ settings: { auth: { keys } }, gateway: { keys } })
  const as = (name: string) => ({ authorization: `Bearer ${name}-key-0123456789` })

  it('uses it, unless a request names another', async () => {
    for (const session of ['s1', 's2', 's3'])
      expect((await say(bench.url, { session, headers: as('ci') })).account).toBe('b')
    const named = await say(bench.url, { headers: { ...as('ci'), 'x-dragoman-account': 'c' } })
    expect(named.account).toBe('c')
    const inName = await say(bench.url, { headers: as('ci'), body: { model: 'claude@a/claude-sonnet-4-5' } })
    expect(inName.account).toBe('a')
    const others = ['t1', 't2', 't3'].map((session) => say(bench.url, { session, headers: as('laptop') }))
    expect(new Set((await Promise.all(others)).map(({ account: used }) => used)).size).toBeGreaterThan(1)
  })

  it('never leaves it in silence', async () => {
    bench.accounts.revoke(keyOf('b'))
    expect((await say(bench.url, { headers: as('ci') })).status).toBe(502)
    const again = await say(bench.url, { headers: as('ci') })
    expect(again.status).toBe(502)
    expect(again.message).toContain('account "b": its key or login was refused')
    expect(bench.accounts.seen.map(({ key }) => key)).toEqual([keyOf('b')])
    expect((await say(bench.url, { headers: as('laptop') })).status).toBe(200)
  })
})
