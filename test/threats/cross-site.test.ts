// Requests of other sites' pages, by the headers that browsers send. browser.test.ts uses a real browser.

import { describe, expect, it } from 'vitest'
import { expectNothingStray, hostLine, rawRequest } from '../end-to-end/wire.ts'
import { ask } from '../harness.ts'
import { key } from './cases/keys.ts'
import { foreignOrigins, foreignSites, foreignTypes, jsonTypes } from './cases/pages.ts'
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

describe('bodies that a page may send without asking', () => {
  const doors = ['/v1/chat/completions', '/v1/messages', '/v1/responses', '/v1/messages/count_tokens']
  const paths = [...doors, '/v1/tool_results']
  const body = JSON.stringify({ ...ask('openai/gpt-4o'), input: 'hello', max_tokens: 5 })
  const post = (path: string, lines: readonly string[]) => {
    const all = [
      hostLine(bench.url),
      `Authorization: Bearer ${key}`,
      `Content-Length: ${body.length}`,
      ...lines,
    ]
    return rawRequest(bench.url, { method: 'POST', path, lines: all, body })
  }

  it.each(foreignTypes)('%j: 415 at every door, and nothing went upstream', async (type) => {
    for (const path of paths)
      expect([path, (await post(path, [`Content-Type: ${type}`])).status]).toEqual([path, 415])
    expect(bench.openai.requests).toEqual([])
  })

  it('no type at all: 415', async () => {
    for (const path of paths) expect([path, (await post(path, [])).status]).toEqual([path, 415])
  })

  it.each(jsonTypes)('%s is accepted', async (type) => {
    expect((await post('/v1/chat/completions', [`Content-Type: ${type}`])).status).toBe(200)
  })
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
