// The contract of every search service, against its simulator.

import { describe, expect, it } from 'vitest'
import { type SearchHit, startSearchSim } from '../../sim/search.ts'
import { atTestEnd } from '../../test/at-end.ts'
import { type SearchServiceName, searchServices } from '../protocols/web-tools/search-services.ts'
import { type SearchSettings, search } from './search.ts'

const apiKey = 'search-key-canary-31415'
const never = new AbortController().signal

const hit = (url: string, more: Partial<SearchHit> = {}): SearchHit => ({
  url,
  title: 'A title',
  text: 'words',
  ...more,
})

async function start(service: SearchServiceName) {
  const sim = await startSearchSim(service, { apiKey })
  atTestEnd(() => sim.close())
  const settings: SearchSettings = { service, baseUrl: sim.url, apiKey }
  const ask = (query: string, more = {}, changed: Partial<SearchSettings> = {}) =>
    search({ ...settings, ...changed }, { query, count: 5, ...more }, never)
  return { sim, ask }
}

describe.each(searchServices)('%s', (service) => {
  it('finds pages, with title, address, excerpt and age', async () => {
    const { sim, ask } = await start(service)
    sim.finds([
      hit('https://a.example/1', { age: '2026-11-01' }),
      hit('https://b.example/2', { text: 'a & b' }),
    ])
    expect(await ask('two words & more')).toEqual({
      results: [
        { url: 'https://a.example/1', title: 'A title', text: 'words', age: '2026-11-01' },
        { url: 'https://b.example/2', title: 'A title', text: 'a & b' },
      ],
    })
    expect(sim.requests).toHaveLength(1)
  })

  it('nothing found is no failure', async () => {
    const { ask } = await start(service)
    expect(await ask('nothing')).toEqual({ results: [] })
  })

  it('no more results than were asked for, each page once, addresses of the web only', async () => {
    const { sim, ask } = await start(service)
    const odd = ['javascript:alert(1)', 'ftp://a.example/', 'not an address'].map((url) => hit(url))
    const [one, two, three] = ['https://a.example/1', 'https://b.example/', 'https://c.example/']
    sim.finds([hit(one), hit(two), hit(three)])
    expect(await ask('many', { count: 2 })).toMatchObject({ results: [{ url: one }, { url: two }] })
    sim.finds([hit(one), hit(one), hit(two)])
    expect(await ask('twice')).toMatchObject({ results: [{ url: one }, { url: two }] })
    if (service !== 'tavily') sim.finds([...odd, hit('https://d.example/')])
    else sim.finds([hit('https://d.example/')])
    expect(await ask('odd')).toMatchObject({ results: [{ url: 'https://d.example/' }] })
  })

  it('only the domains that are allowed', async () => {
    const { sim, ask } = await start(service)
    sim.finds([hit('https://docs.a.example/1'), hit('https://b.example/2'), hit('https://nota.example/3')])
    const allowed = await ask('x', { allowed: ['a.example'] })
    expect(allowed).toMatchObject({ results: [{ url: 'https://docs.a.example/1' }] })
    const blocked = await ask('x', { blocked: ['a.example', 'b.example'] })
    expect('results' in blocked && blocked.results.map(({ url }) => url)).toEqual(['https://nota.example/3'])
  })

  it.each([
    ['429', { status: 429, body: {} }, 'too_many_requests', 'HTTP 429'],
    ['500', { status: 500, body: 'oops' }, 'unavailable', 'HTTP 500'],
    ['a redirect', { status: 302, body: '' }, 'unavailable', 'HTTP 302'],
    ['another form', { status: 200, body: { found: 1 } }, 'unavailable', 'lacks.search.baseUrl'],
    ['HTML', { status: 200, body: '<html>' }, 'unavailable', 'lacks.search.baseUrl'],
    ['a closed connection', 'reset', 'unavailable', 'failed'],
    ['no answer', 'hang', 'unavailable', 'did not answer within 100 ms'],
  ] as const)('%s is an error without the key', async (_name, fault, error, words) => {
    const { sim, ask } = await start(service)
    sim.fail(fault)
    const found = await ask('x', {}, fault === 'hang' ? { timeoutMs: 100 } : {})
    expect(found).toMatchObject({ error, problem: expect.stringContaining(words) })
    expect(JSON.stringify(found)).not.toContain(apiKey)
  })

  it('a wrong key is named', async () => {
    if (service === 'searxng') return
    const { ask } = await start(service)
    const found = await ask('x', {}, { apiKey: 'wrong' })
    expect(found).toMatchObject({
      error: 'unavailable',
      problem: expect.stringContaining('lacks.search.apiKey'),
    })
  })
})

it('SearXNG without JSON says what to change', async () => {
  const sim = await startSearchSim('searxng', { json: false })
  atTestEnd(() => sim.close())
  const found = await search({ service: 'searxng', baseUrl: sim.url }, { query: 'x', count: 3 }, never)
  expect(found).toMatchObject({ problem: expect.stringContaining('search.formats') })
})

it('a metadata address is refused before anything is sent', async () => {
  const found = await search(
    { service: 'searxng', baseUrl: 'http://169.254.169.254' },
    { query: 'x', count: 3 },
    never,
  )
  expect(found).toMatchObject({ error: 'unavailable', problem: expect.stringContaining('not allowed') })
})
