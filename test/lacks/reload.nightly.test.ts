// What a model lacks follows the configuration: another one counts for new requests, and none switches it off.

import { expect, it } from 'vitest'
import { startOpenAISim } from '../../sim/openai.ts'
import { startSearchSim } from '../../sim/search.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { parseConfig } from '../../src/config/load.ts'
import { atTestEnd } from '../at-end.ts'
import { startGateway } from '../harness.ts'
import { hits, says, searches } from './search-bench.ts'

it('search is switched on, moved and switched off while the gateway runs', async () => {
  const openai = await startOpenAISim({ lenient: true })
  const [one, two] = [await startSearchSim('searxng'), await startSearchSim('searxng')]
  const backends = { openai: { kind: 'openai', baseUrl: `${openai.url}/v1` } }
  const { gateway, url } = await startGateway({ backends })
  atTestEnd(async () => {
    await gateway.close()
    await Promise.all([openai, one, two].map((sim) => sim.close()))
  })
  const take = async (lacks: object) => {
    const settings = { auth: 'none', listen: { port: 0 }, backends, ollama: { enabled: true }, lacks }
    const environment = readEnvironment({ HOME: '/nonexistent' })
    const { config, secrets } = parseConfig(JSON.stringify(settings), { environment })
    const prepared = await gateway.prepare({ config, keys: [], secrets })
    prepared.commit()
  }
  const ask = async () => {
    for (const sim of [one, two]) sim.finds(hits)
    openai.clear()
    openai.play(searches('x'), says('Done.'))
    const answer = await fetch(`${url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ model: 'openai/m', max_tokens: 100, messages: [{ role: 'user', content: 'x' }] },
        tools: [{ type: 'web_search_20250305', name: 'web_search' }],
      }),
    })
    return [answer.status, one.requests.length, two.requests.length, await answer.text()] as const
  }
  const [refused, , , words] = await ask()
  expect([refused, words]).toEqual([400, expect.stringContaining('lacks.search')])
  await take({ search: { service: 'searxng', baseUrl: one.url } })
  expect((await ask()).slice(0, 3)).toEqual([200, 1, 0])
  await take({ search: { service: 'searxng', baseUrl: two.url } })
  expect((await ask()).slice(0, 3)).toEqual([200, 1, 1])
  await take({})
  expect((await ask()).slice(0, 3)).toEqual([400, 1, 1])
})
