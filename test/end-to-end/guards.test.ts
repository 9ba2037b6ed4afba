// Who gets in: every route with every kind of wrong key, every kind of Host, foreign pages.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../src/core/errors.ts'
import type { Exchange } from '../../src/http/exchange.ts'
import { createGuard } from '../../src/http/guard.ts'
import { type Route, routes } from '../../src/routes.ts'
import { ask, useBench } from '../harness.ts'
import { hostLine, rawRequest } from './wire.ts'

const key = 'gateway-canary-key-3141592653'
const origin = 'https://page.example'
const bench = useBench({
  settings: { allow: { hosts: ['Gateway.Internal'], origins: [origin] } },
  gateway: { keys: [{ name: 'laptop', key }] },
})

const pathOf = (route: Route) => route.path.replace('*', 'openai%2Fgpt-4o')

function call(route: Route, headers: Record<string, string>, query = ''): Promise<Response> {
  const post = route.method === 'POST'
  return fetch(`${bench.url}${pathOf(route)}${query}`, {
    method: route.method,
    headers: { ...(post ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(post ? { body: JSON.stringify(ask('openai/gpt-4o')) } : {}),
  })
}

describe.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s',
  (_name, route) => {
    it.each([
      ['no key', {}, ''],
      ['an empty key', { authorization: '' }, ''],
      ['an empty x-api-key', { 'x-api-key': '' }, ''],
      ['Bearer alone', { authorization: 'Bearer' }, ''],
      ['Bearer and a blank', { authorization: 'Bearer ' }, ''],
      ['a wrong Bearer', { authorization: 'Bearer wrong' }, ''],
      ['a wrong x-api-key', { 'x-api-key': 'wrong' }, ''],
      ['the key without Bearer', { authorization: key }, ''],
      ['the key as Basic', { authorization: `Basic ${key}` }, ''],
      ['a part of the key', { authorization: `Bearer ${key.slice(0, -1)}` }, ''],
      ['more than the key', { authorization: `Bearer ${key}x` }, ''],
      ['the key in capitals', { authorization: `Bearer ${key.toUpperCase()}` }, ''],
      ['the key twice', { authorization: `Bearer ${key} ${key}` }, ''],
      ['the key in the query string', {}, `?key=${key}&api_key=${key}&access_token=${key}`],
      ['the key in a cookie', { cookie: `key=${key}; authorization=${key}` }, ''],
    ])('%s: 401, or open', async (_case, headers, query) => {
      const answer = await call(route, headers, query)
      const body = await answer.text()
      if (route.open) return expect(answer.status).toBe(200)
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
      const code = route.path.startsWith('/v1/messages') ? {} : { code: 'invalid_api_key' }
      expect(JSON.parse(body).error).toMatchObject({ type: 'authentication_error', ...code })
      expect(body).not.toContain(key)
    })

    it.each([
      ['Bearer', { authorization: `Bearer ${key}` }],
      ['bearer, as some write it', { authorization: `bearer  ${key}` }],
      ['x-api-key', { 'x-api-key': key }],
      ['x-api-key beside a login', { 'x-api-key': key, authorization: 'Bearer login' }],
    ])('the right key by %s is let in', async (_case, headers) => {
      // A gateway that is alone has no peers: there is nothing behind their routes. A chat request holds no results and
      // no input, and no response was kept.
      const nothingThere = route.peer || route.path === '/v1/responses/*'
      const notChat = route.path === '/v1/tool_results' || route.path === '/v1/responses'
      const letIn = nothingThere ? 404 : notChat ? 400 : 200
      expect((await call(route, headers)).status).toBe(letIn)
    })
  },
)

it('only the health check and what clients probe are open', () => {
  const open = routes.filter((route) => route.open).map((route) => `${route.method} ${route.path}`)
  expect(open).toEqual(['GET /healthz', 'HEAD /', 'GET /api/hello', 'HEAD /api/hello'])
})

it('a route for other instances is open to nobody else', () => {
  const internal = routes.filter((route) => route.path.startsWith('/internal/'))
  expect(internal).toEqual(routes.filter((route) => route.peer))
  expect(internal).toHaveLength(2)
  for (const route of internal) expect([route.open, route.whileDraining]).toEqual([undefined, undefined])
})

it('what does not exist is not told to strangers', async () => {
  expect((await fetch(`${bench.url}/v1/embeddings`, { method: 'POST' })).status).toBe(401)
  expect((await fetch(`${bench.url}/healthz`, { method: 'DELETE' })).status).toBe(401)
})

describe('Host', () => {
  const port = () => new URL(bench.url).port
  const refused = [
    'evil.example', 'evil.example:PORT', 'localhost.evil.com', 'evil.localhost', '127.0.0.1.nip.io', '127.0.0.1.',
    'localhost.', 'user@127.0.0.1', '127.0.0.1@evil.example', 'user:pass@localhost', '0x7f000001', '2130706433',
    '0177.0.0.1', '127.1', '127.0.1', '127.0.0.2', '0.0.0.0', '[::]', '[::ffff:127.0.0.1]', '[0:0:0:0:0:0:0:1]', '::1',
    'localhost evil.example', 'localhost,evil.example', 'localhost/evil', 'localhost#', 'localhost?', 'localhost\\evil',
    'localhost:PORT:1', 'localhost:x', 'localhost:123456', '', 'gateway.internal.evil.com', 'l\u00f6calhost', '%6cocalhost',
  ] // biome-ignore format: a list to be read as one

  it.each(refused)('%j is refused before anyone asks for a key', async (host) => {
    for (const path of ['/healthz', '/v1/models']) {
      const lines = [`Host: ${host.replace('PORT', port())}`]
      const answer = await rawRequest(bench.url, { path, lines })
      expect([400, 421]).toContain(answer.status)
      if (answer.status === 421) expect(JSON.parse(answer.body).error.code).toBe('misdirected_request')
      expect(answer.head).not.toContain('access-control')
    }
  })

  it.each([
    '127.0.0.1',
    '127.0.0.1:PORT',
    'localhost',
    'LOCALHOST:PORT',
    '[::1]:PORT',
    '[::1]',
    'gateway.internal',
    'GATEWAY.internal:80',
  ])('%s is served', async (host) => {
    const lines = [`Host: ${host.replace('PORT', port())}`]
    expect((await rawRequest(bench.url, { path: '/healthz', lines })).status).toBe(200)
    expect((await rawRequest(bench.url, { path: '/v1/models', lines })).status).toBe(401)
  })

  it('is needed: HTTP/1.0 may leave it out, and is refused', async () => {
    expect((await rawRequest(bench.url, { version: '1.0', path: '/healthz' })).status).toBe(421)
    expect((await rawRequest(bench.url, { path: '/healthz' })).status).toBe(400)
  })

  it('must not come twice', async () => {
    const answers = await Promise.all([
      rawRequest(bench.url, { path: '/healthz', lines: ['Host: localhost', 'Host: evil.example'] }),
      rawRequest(bench.url, { path: '/healthz', lines: ['Host: evil.example', 'Host: localhost'] }),
      rawRequest(bench.url, { path: '/healthz', lines: ['Host: localhost', 'hOST: localhost'] }),
    ])
    for (const answer of answers) expect([400, 421]).toContain(answer.status)
  })

  it('counts even where the request line names an allowed one', async () => {
    const path = `${bench.url}/healthz`
    expect((await rawRequest(bench.url, { path, lines: ['Host: evil.example'] })).status).toBe(421)
  })
})

describe('web pages', () => {
  const authorized = { authorization: `Bearer ${key}` }
  const get = (headers: Record<string, string>, path = '/v1/models', method = 'GET') =>
    fetch(`${bench.url}${path}`, { method, headers })
  const corsOf = (answer: Response) =>
    [...answer.headers.keys()].filter((name) => name.startsWith('access-control'))

  it.each([
    'https://evil.example',
    'http://page.example',
    'https://page.example:444',
    'https://page.example.evil.com',
    'null',
    'HTTPS://PAGE.EXAMPLE',
    'https://page.example/',
    'http://localhost',
    'http://127.0.0.1',
    'file://',
    '*',
  ])('Origin %s: 403 without a CORS header, key or not', async (from) => {
    for (const headers of [{}, authorized]) {
      for (const [path, method] of [
        ['/v1/models', 'GET'],
        ['/healthz', 'GET'],
        ['/v1/chat/completions', 'OPTIONS'],
      ] as const) {
        const answer = await get({ ...headers, origin: from }, path, method)
        expect(answer.status).toBe(403)
        expect(corsOf(answer)).toEqual([])
      }
    }
  })

  it.each(['cross-site', 'same-site'])('Sec-Fetch-Site: %s: 403', async (site) => {
    const lines = [hostLine(bench.url), `Sec-Fetch-Site: ${site}`, `Authorization: Bearer ${key}`]
    expect((await rawRequest(bench.url, { path: '/v1/models', lines })).status).toBe(403)
    expect((await rawRequest(bench.url, { path: '/healthz', lines })).status).toBe(403)
  })

  it.each(['none', 'same-origin'])('Sec-Fetch-Site: %s is no page of another site', async (site) => {
    const lines = [hostLine(bench.url), `Sec-Fetch-Site: ${site}`, `Authorization: Bearer ${key}`]
    expect((await rawRequest(bench.url, { path: '/v1/models', lines })).status).toBe(200)
  })

  it('without Origin there is no CORS header at all', async () => {
    for (const path of ['/healthz', '/v1/models', '/nowhere'])
      expect(corsOf(await get(authorized, path))).toEqual([])
    expect(corsOf(await get({}, '/v1/models'))).toEqual([])
  })

  it('a configured origin gets CORS headers, also on errors, and still needs the key', async () => {
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

  it('a configured origin may use the OpenAI SDK, which sends headers of its own', async () => {
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

describe('any header whatever', () => {
  const guard = createGuard({ hosts: [], origins: [origin], keys: [{ name: 'laptop', key }] })
  const exchange = (headers: Record<string, string>) =>
    ({
      inProcess: false,
      ambiguousHost: false,
      header: (name: string) => headers[name],
    }) as unknown as Exchange

  function outcome(run: () => unknown): unknown {
    try {
      return run()
    } catch (error) {
      if (error instanceof GatewayError) return error.code
      throw error
    }
  }

  const anything = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string().map((text) => `Bearer ${text}`),
    fc.constantFrom(
      key,
      `Bearer ${key.slice(1)}`,
      `Bearer\t${key}`,
      `Bearer ${key}\n`,
      `Bearer\u00a0${key}`,
      'Bearer',
    ),
    fc.string({ unit: 'grapheme', maxLength: 3000 }),
  )

  it('10,000 Authorization headers: let in with the key and refused otherwise, nothing else', () => {
    fc.assert(
      fc.property(anything, anything, (authorization, apiKey) => {
        const bearer = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
        const right = bearer === key || apiKey === key
        const found = outcome(() => guard.authenticate(exchange({ authorization, 'x-api-key': apiKey })))
        expect(found).toBe(right ? 'laptop' : 'unauthenticated')
      }),
      { numRuns: 10_000 },
    )
  })

  it('10,000 Hosts and Origins: refused, and only by an error of ours', () => {
    const served = /^(127\.0\.0\.1|\[::1\]|localhost)(:\d{1,5})?$/i
    fc.assert(
      fc.property(anything, anything, (host, from) => {
        expect(outcome(() => guard.checkHost(exchange({ host })))).toBe(
          served.test(host) ? undefined : 'misdirected',
        )
        expect(outcome(() => guard.checkOrigin(exchange({ origin: from })))).toBe(
          from === origin ? undefined : 'forbidden',
        )
      }),
      { numRuns: 10_000 },
    )
  })
})
