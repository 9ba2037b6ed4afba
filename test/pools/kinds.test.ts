// Pools of the other kinds of service, and of a configuration that changes.

import { describe, expect, it } from 'vitest'
import { SimAccounts } from '../../sim/accounts.ts'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import { startGeminiSim } from '../../sim/gemini.ts'
import { startOpenAISim } from '../../sim/openai.ts'
import type { RecordedRequest } from '../../sim/recording.ts'
import type { Reply } from '../../sim/server.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { parseConfig } from '../../src/config/load.ts'
import { atTestEnd } from '../at-end.ts'
import { type Body, startGateway } from '../harness.ts'
import { account, keyOf, say, usePoolBench } from './pool-bench.ts'

const names = ['a', 'b']
const configured = { accounts: names.map((name) => account(name)), pool: { maxWaitMs: 100 } }

const kinds = {
  openai: async (accounts: SimAccounts) => {
    const sim = await startOpenAISim({ accounts, lenient: true })
    return { sim, model: 'gpt-4o', backend: { kind: 'openai', baseUrl: `${sim.url}/v1` } }
  },
  gemini: async (accounts: SimAccounts) => {
    const sim = await startGeminiSim({ accounts })
    return { sim, model: 'gemini-3-pro-preview', backend: { kind: 'gemini', baseUrl: sim.url } }
  },
}

it.each(Object.entries(kinds))(
  'a pool of kind %s stays with an account, and leaves it for a reason',
  async (_, start) => {
    const accounts = new SimAccounts()
    const { sim, model, backend } = await start(accounts)
    atTestEnd(() => sim.close())
    const { gateway, url } = await startGateway({ backends: { box: { ...backend, ...configured } } })
    atTestEnd(() => gateway.close())
    const turn = (session: string) => say(url, { session, body: { model: `box/${model}` } })
    const [one, other] = [await turn('s1'), await turn('s2')]
    expect([one.status, other.status, [one.account, other.account].sort()]).toEqual([200, 200, names])
    expect((await turn('s1')).account).toBe(one.account)
    accounts.revoke(keyOf(one.account ?? ''))
    const moved = await turn('s1')
    expect([moved.status, moved.account]).toEqual([200, other.account])
    expect(moved.notes).toContain(`account "${one.account}" could not be used`)
  },
)

/** As for a project without billing, of a model that has no free quota. */
class WithoutPro extends SimAccounts {
  override async answer(request: RecordedRequest): Promise<Reply | undefined> {
    if (!request.path.includes('-pro')) return super.answer(request)
    const violations = [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }]
    const error = {
      ...{ code: 429, status: 'RESOURCE_EXHAUSTED' },
      message: 'You exceeded your current quota.\n* Quota exceeded, limit: 0, model: gemini-3-pro',
      details: [{ '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations }],
    }
    return { status: 429, body: { error } }
  }
}

it('a Gemini model without quota leaves the other models to every account', async () => {
  const { sim, model, backend } = await kinds.gemini(new WithoutPro())
  atTestEnd(() => sim.close())
  const { gateway, url } = await startGateway({ backends: { box: { ...backend, ...configured } } })
  atTestEnd(() => gateway.close())
  for (let times = 0; times < 2; times++)
    expect((await say(url, { body: { model: `box/${model}` } })).status).toBe(402)
  const flash = await say(url, { body: { model: 'box/gemini-2.5-flash' } })
  expect([flash.status, flash.message]).toEqual([200, ''])
})

describe('a configuration that changes', () => {
  const bench = usePoolBench()
  const apply = async (baseUrl: string, accounts: readonly Body[]) => {
    const backends = { claude: { kind: 'anthropic', baseUrl, accounts } }
    const { config, secrets } = parseConfig(JSON.stringify({ auth: 'none', backends }), {
      environment: readEnvironment({ HOME: '/nonexistent' }),
    })
    ;(await bench.gateway.prepare({ config, secrets, keys: [] })).commit()
  }

  it('gives accounts that the service at a wrong address refused to the one at the right address', async () => {
    const accounts = names.map((name) => account(name))
    const elsewhere = await startAnthropicSim({ apiKey: 'another' })
    atTestEnd(() => elsewhere.close())
    await apply(elsewhere.url, accounts)
    expect((await say(bench.url)).status).toBe(502)
    const refused = await say(bench.url)
    expect([refused.status, refused.message]).toEqual([
      502,
      expect.stringContaining('`dragoman accounts clear claude@ACCOUNT`'),
    ])
    await apply(bench.sim.url, accounts)
    expect(await say(bench.url)).toMatchObject({ status: 200, message: '' })
  })

  it('leaves conversations with their accounts, and those of a removed one go elsewhere, with a note', async () => {
    const homes = new Map<string, string | null>()
    for (const session of ['s1', 's2', 's3']) homes.set(session, (await say(bench.url, { session })).account)
    await apply(bench.sim.url, [account('b'), account('c')])
    for (const [session, home] of homes) {
      const { account: used, notes } = await say(bench.url, { session })
      if (home === 'a') expect(notes).toContain('account "a" is not configured any more')
      else expect([used, notes]).toEqual([home, ''])
    }
  })
})
