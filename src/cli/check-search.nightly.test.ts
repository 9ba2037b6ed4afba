import { expect, it } from 'vitest'
import { startSearchSim } from '../../sim/search.ts'
import { atTestEnd } from '../../test/at-end.ts'
import { readEnvironment } from '../config/environment.ts'
import { parseConfig } from '../config/load.ts'
import { checkSearch } from './check-search.ts'

const apiKey = 'search-key-canary-27182'
const environment = readEnvironment({ HOME: '/nonexistent' })

async function found(lacks: unknown) {
  const backends = { box: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' } }
  const { config } = parseConfig(JSON.stringify({ backends, lacks }), { environment })
  return checkSearch(config, environment)
}

it('says nothing without a search service', async () => {
  expect(await found({})).toEqual([])
})

it('names a service that answers, and one that does not, never its key', async () => {
  const sim = await startSearchSim('brave', { apiKey })
  atTestEnd(() => sim.close())
  const search = { service: 'brave', baseUrl: sim.url, apiKey }
  expect(await found({ search })).toEqual([
    { check: 'web search', status: 'ok', message: `brave answers at ${sim.url}` },
  ])
  const refused = await found({ search: { ...search, apiKey: 'wrong-canary' } })
  expect(refused).toMatchObject([
    { status: 'warning', message: expect.stringContaining('check "lacks.search.apiKey"') },
  ])
  const dead = await found({ search: { ...search, baseUrl: 'http://127.0.0.1:9' } })
  expect(dead).toMatchObject([
    { status: 'warning', message: expect.stringContaining('Searches of models would fail') },
  ])
  expect(JSON.stringify([refused, dead])).not.toContain('canary')
})
