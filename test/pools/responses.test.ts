// A Responses client that continues by `previous_response_id`: the account that has answered has its reasoning and its prompt cache.

import { expect, it } from 'vitest'
import { SimAccounts } from '../../sim/accounts.ts'
import { startOpenAISim } from '../../sim/openai.ts'
import { atTestEnd } from '../at-end.ts'
import { type Body, startGateway } from '../harness.ts'
import { account, keyOf } from './pool-bench.ts'

const names = ['a', 'b', 'c']

async function start() {
  const accounts = new SimAccounts()
  const sim = await startOpenAISim({ accounts, lenient: true })
  atTestEnd(() => sim.close())
  const box = {
    kind: 'openai',
    api: 'responses',
    baseUrl: `${sim.url}/v1`,
    accounts: names.map((name) => account(name)),
    pool: { maxWaitMs: 100 },
  }
  const { gateway, url } = await startGateway({ backends: { box } })
  atTestEnd(() => gateway.close())
  const create = async (body: Body) => {
    const answer = await fetch(`${url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'box/gpt-5.6-sol', ...body }),
    })
    const { id } = (await answer.json()) as { id: string }
    const { headers, status } = answer
    return { status, id, account: headers.get('x-dragoman-account'), notes: headers.get('x-dragoman-notes') }
  }
  return { accounts, create }
}

it('conversations that begin with the same words go on with the accounts that have answered them', async () => {
  const { create } = await start()
  const begun = [
    await create({ input: 'hello' }),
    await create({ input: 'hello' }),
    await create({ input: 'hello' }),
  ]
  expect(begun.map((one) => one.account).sort()).toEqual(names)
  for (const first of begun) {
    const second = await create({ input: 'go on', previous_response_id: first.id })
    const third = await create({ input: 'once more', previous_response_id: second.id })
    // A second branch from the same answer.
    const fork = await create({ input: 'or else', previous_response_id: first.id })
    expect([second, third, fork].map((one) => [one.status, one.account, one.notes])).toEqual(
      [1, 2, 3].map(() => [200, first.account, null]),
    )
  }
})

it('leaves an account that is gone, with a note, and stays with the next', async () => {
  const { accounts, create } = await start()
  const first = await create({ input: 'hello' })
  accounts.revoke(keyOf(first.account ?? ''))
  const second = await create({ input: 'go on', previous_response_id: first.id })
  expect(second.status).toBe(200)
  expect(second.notes).toContain(`account "${first.account}" could not be used`)
  const third = await create({ input: 'once more', previous_response_id: second.id })
  expect([third.account, third.notes]).toEqual([second.account, null])
})
