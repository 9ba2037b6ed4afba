// Requests of other sites' pages, by the headers that browsers send. browser.test.ts uses a real browser.

import { describe, expect, it } from 'vitest'
import { spread } from '../depth.ts'
import { expectNothingStray, hostLine, rawRequest } from '../end-to-end/wire.ts'
import { ask, type Bench, useBench } from '../harness.ts'
import { key } from './cases/keys.ts'
import { bodyPaths, foreignOrigins, foreignSites, foreignTypes, jsonTypes } from './cases/pages.ts'
import { allowedOrigin as origin, useLockedBench } from './gateways.ts'

expectNothingStray()
const bench = useLockedBench()
const authorized = { authorization: `Bearer ${key}` }
const get = (headers: Record<string, string>, path = '/v1/models', method = 'GET') =>
  fetch(`${bench.url}${path}`, { method, headers })
const corsOf = (answer: Response) =>
  [...answer.headers.keys()].filter((name) => name.startsWith('access-control'))

const asked = [
  ['GET', '/v1/models'],
  ['GET', '/healthz'],
  ['GET', '/metrics'],
  ['POST', '/v1/chat/completions'],
  ['OPTIONS', '/v1/chat/completions'],
  ['POST', '/internal/v1/turns'],
  ['POST', '/v1beta/models/openai/gpt-4o:generateContent'],
  ['GET', '/api/tags'],
  ['POST', '/api/chat'],
] as const

/** The request is refused without details, even with the key. */
async function expectForbidden(lines: readonly string[]): Promise<void> {
  for (const more of [[], [`Authorization: Bearer ${key}`]]) {
    for (const [method, path] of asked) {
      const sent = [hostLine(bench.url), ...lines, ...more]
      const answer = await rawRequest(bench.url, { method, path, lines: sent })
      expect([path, answer.status]).toEqual([path, 403])
      expect(answer.head).not.toMatch(/^(access-control|set-cookie)/im)
      expect(answer.body).not.toMatch(/gpt-4o|"ok"/)
    }
  }
}

it.each(foreignOrigins)('Origin %j: 403 without a CORS header, key or not', (from) =>
  expectForbidden([`Origin: ${from.replace('PORT', new URL(bench.url).port)}`]),
)

it('two origins, one of them allowed: 403', () =>
  expectForbidden([`Origin: ${origin}`, 'Origin: https://evil.example']))

it.each(foreignSites.map((lines) => [lines.join(', '), lines] as const))('%s: 403', (_name, lines) =>
  expectForbidden(lines),
)

it.each([['Origin: https://evil.example'], ['Sec-Fetch-Site: cross-site']])(
  '%s after 2,000 other headers: 403',
  (line) => expectForbidden([...Array.from({ length: 2_000 }, () => 'a:1'), line]),
)

it.each(['none', 'same-origin'])('Sec-Fetch-Site: %s is not another site', async (site) => {
  const lines = [hostLine(bench.url), `Sec-Fetch-Site: ${site}`, `Authorization: Bearer ${key}`]
  expect((await rawRequest(bench.url, { path: '/v1/models', lines })).status).toBe(200)
})

const body = JSON.stringify({
  ...ask('openai/gpt-4o'),
  ...{
    input: 'hello',
    max_tokens: 5,
    contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
    stream: false,
  },
  ...{ tool_call_id: 'call_1', content: 'x' },
})
const sender = (to: Bench, more: readonly string[]) => (path: string, lines: readonly string[]) => {
  const all = [hostLine(to.url), ...more, `Content-Length: ${body.length}`, ...lines]
  return rawRequest(to.url, { method: 'POST', path, lines: all, body })
}
/** Of the same base URL without a key: the likeliest target, because many set up Ollama's clients so. */
const openBench = useBench()

describe.each([
  { keys: 'with the key', to: bench, lines: [`Authorization: Bearer ${key}`] },
  { keys: 'where no key is needed', to: openBench, lines: [] },
])('bodies that a page may send without asking, $keys', ({ to, lines }) => {
  const post = sender(to, lines)

  it.each(spread(foreignTypes, 6))('%j: 415 at every door, and nothing went upstream', async (type) => {
    for (const path of bodyPaths)
      expect([path, (await post(path, [`Content-Type: ${type}`])).status]).toEqual([path, 415])
    expect(to.openai.requests).toEqual([])
  })

  it('no type at all: 415', async () => {
    for (const path of bodyPaths) expect([path, (await post(path, [])).status]).toEqual([path, 415])
  })

  it.each(jsonTypes)('%s is accepted', async (type) => {
    for (const path of bodyPaths)
      expect([path, (await post(path, [`Content-Type: ${type}`])).status]).not.toEqual([path, 415])
    expect((await post('/v1/chat/completions', [`Content-Type: ${type}`])).status).toBe(200)
  })
})

it('a page without any of these headers cannot list the models of a gateway that asks for no key: no CORS header', async () => {
  for (const path of ['/v1/models', '/v1beta/models', '/api/tags', '/api/version']) {
    const answer = await fetch(openBench.url + path)
    expect([path, answer.status, corsOf(answer)]).toEqual([path, 200, []])
    const foreign = await fetch(openBench.url + path, { headers: { origin: 'https://evil.example' } })
    expect([path, foreign.status, corsOf(foreign)]).toEqual([path, 403, []])
  }
})

describe('CORS', () => {
  it('without Origin there is no header of it at all', async () => {
    for (const path of ['/healthz', '/v1/models', '/nowhere'])
      expect(corsOf(await get(authorized, path))).toEqual([])
    expect(corsOf(await get({}, '/v1/models'))).toEqual([])
  })

  it('a configured origin gets headers, also on errors, and still needs the key', async () => {
    const served = await get({ ...authorized, origin })
    expect(served.status).toBe(200)
    expect(served.headers.get('access-control-allow-origin')).toBe(origin)
    expect(served.headers.get('vary')).toBe('origin')
    const stranger = await get({ origin })
    expect(stranger.status).toBe(401)
    expect(stranger.headers.get('access-control-allow-origin')).toBe(origin)
  })

  it('a configured origin may ask first', async () => {
    const answer = await get(
      { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
      '/v1/chat/completions',
      'OPTIONS',
    )
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
    expect(answer.headers.get('access-control-allow-methods')).toContain('POST')
    expect(answer.headers.get('access-control-allow-headers')).toContain('authorization')
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
  })

  it('a configured origin may use the OpenAI SDK, which sends its own headers', async () => {
    const wanted = 'authorization, content-type, x-stainless-lang, x-stainless-package-version'
    const answer = await get(
      { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': wanted },
      '/v1/chat/completions',
      'OPTIONS',
    )
    const allowed = (answer.headers.get('access-control-allow-headers') ?? '').toLowerCase().split(/, */)
    expect(wanted.split(', ').filter((name) => !allowed.includes(name))).toEqual([])
  })

  it('OPTIONS from no page is a method like any other', async () => {
    expect((await get({}, '/v1/models', 'OPTIONS')).status).toBe(401)
    expect((await get(authorized, '/v1/models', 'OPTIONS')).status).toBe(405)
  })
})
