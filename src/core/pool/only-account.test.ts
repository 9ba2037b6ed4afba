import { expect, it } from 'vitest'
import { GatewayError } from '../errors.ts'
import type { AccountPool } from './account-pool.ts'
import { OnlyAccount } from './only-account.ts'

const failure = new GatewayError('upstream-unavailable', 'no')

it('is loaded once for failures at the same time, and is settled when that is done', async () => {
  const seen: string[] = []
  const pool = { saw: (account: string) => void seen.push(account) } as unknown as AccountPool
  let loads = 0
  const load = async () => {
    loads++
    await new Promise((resolve) => setImmediate(resolve))
    return pool
  }
  const only = new OnlyAccount({ backend: 'box', account: 'default', load })
  const both = [only.saw(failure, 'm'), only.saw(failure, 'm')]
  await only.settled()
  await Promise.all(both)
  expect([loads, seen]).toEqual([1, ['default', 'default']])
})

it('a failure to load it is no failure of the turn', async () => {
  const load = () => Promise.reject(new Error('the package is gone'))
  const only = new OnlyAccount({ backend: 'box', account: 'default', load })
  await only.saw(failure, 'm')
  await only.settled()
  expect(only.views()[0]?.state).toBe('ready')
})
