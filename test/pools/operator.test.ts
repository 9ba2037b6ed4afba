// What the operator sees of accounts, and changes.

import { describe, expect, it } from 'vitest'
import type { AccountView } from '../../src/core/pool/account.ts'
import { keyOf, say, usePoolBench } from './pool-bench.ts'

const control = { token: 'control-token-0123456789', reload: async () => ({ state: 'unchanged' as const }) }
const operator = { 'x-dragoman-control': control.token }

async function accounts(url: string, body?: unknown, headers: Record<string, string> = operator) {
  const answer = await fetch(`${url}/control/accounts`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const json = (await answer.json()) as { accounts: AccountView[]; error?: { message: string } }
  return { status: answer.status, views: json.accounts, message: json.error?.message ?? '' }
}

describe('the accounts of a gateway', () => {
  const bench = usePoolBench({ gateway: { control } })

  it('are shown with state, reason, limits and last error, and without their keys', async () => {
    for (const session of ['s1', 's2', 's3']) await say(bench.url, { session })
    bench.accounts.revoke(keyOf('b'))
    for (const session of ['s1', 's2', 's3']) await say(bench.url, { session })
    const { status, views } = await accounts(bench.url)
    expect(status).toBe(200)
    expect(views.map(({ account, state }) => [account, state])).toEqual([
      ['a', 'ready'],
      ['b', 'needs-login'],
      ['c', 'ready'],
    ])
    expect(views[1]).toMatchObject({
      reason: 'its key or login was refused (HTTP 401)',
      errors24h: 1,
      lastError: { code: 'upstream-credential' },
    })
    expect(views[1]?.since).toBeLessThanOrEqual(Date.now())
    expect(views[0]?.windows.map(({ name }) => name)).toEqual([
      'requests',
      'tokens',
      'input-tokens',
      'output-tokens',
    ])
    expect(JSON.stringify(views)).not.toContain('sk-pool')
  })

  it('are taken out, in, and cleared', async () => {
    const change = (action: string, account: string) => accounts(bench.url, { action, account })
    const { views } = await change('disable', 'claude@a')
    expect(views[0]?.state).toBe('disabled')
    for (const session of ['s1', 's2']) expect((await say(bench.url, { session })).account).not.toBe('a')
    expect((await change('enable', 'a')).views[0]?.state).toBe('ready')
    expect((await say(bench.url, { session: 's3' })).account).toBe('a')
    bench.accounts.revoke(keyOf('a'))
    await say(bench.url, { session: 's3' })
    bench.accounts.heal(keyOf('a'))
    expect((await change('clear', 'claude@a')).views[0]?.state).toBe('ready')
  })

  it('are for the operator alone', async () => {
    for (const headers of [{}, { 'x-dragoman-control': 'guess' }])
      expect((await accounts(bench.url, undefined, headers as Record<string, string>)).status).toBe(401)
    const refusals = [
      [{ action: 'clear', account: 'nobody' }, 404],
      [{ action: 'clear', account: 'other@a' }, 404],
      [{ action: 'drop', account: 'a' }, 400],
      [[], 400],
    ] as const
    for (const [body, status] of refusals) expect((await accounts(bench.url, body)).status).toBe(status)
  })

  it('are counted', async () => {
    for (const session of ['s1', 's2', 's3']) await say(bench.url, { session })
    bench.accounts.exhaust(keyOf('a'))
    for (const session of ['s1', 's2', 's3']) await say(bench.url, { session })
    const metrics = await (await fetch(`${bench.url}/metrics`)).text()
    for (const line of [
      'dragoman_account_state{backend="claude",account="a",state="out-of-quota"} 1',
      'dragoman_account_state{backend="claude",account="b",state="ready"} 1',
      'dragoman_account_inflight{backend="claude",account="b"} 0',
      'dragoman_account_bindings{backend="claude",account="a"} 0',
      'dragoman_account_switches_total{backend="claude",why="money"} 1',
    ])
      expect(metrics).toContain(line)
    expect(metrics).not.toContain('sk-pool')
  })
})

describe('one account', () => {
  const bench = usePoolBench({ accounts: [{ name: 'default', apiKey: keyOf('a') }], gateway: { control } })

  it('is shown too, and cannot be taken out', async () => {
    bench.accounts.revoke(keyOf('a'))
    await say(bench.url)
    // The code for accounts is loaded with the first failure.
    await expect
      .poll(async () => (await accounts(bench.url)).views)
      .toMatchObject([{ account: 'default', state: 'needs-login' }])
    const refused = await accounts(bench.url, { action: 'disable', account: 'claude@default' })
    expect([refused.status, refused.message]).toEqual([409, expect.stringContaining('no other account')])
    bench.accounts.heal(keyOf('a'))
    await say(bench.url)
    expect((await accounts(bench.url)).views).toMatchObject([{ state: 'ready' }])
  })
})
