// Every route without a valid key, on a single gateway and on one of several.

import { describe, expect, it } from 'vitest'
import { ollamaRoutes } from '../../src/server/ollama-routes.ts'
import { type Route, routes as usualRoutes } from '../../src/server/routes.ts'
import { spread } from '../depth.ts'
import { expectNothingStray, hostLine, rawRequest } from '../end-to-end/wire.ts'
import { ask, type Bench } from '../harness.ts'
import { key, otherMethods, unknownPaths, upgrades, withoutKey } from './cases/keys.ts'
import { useLockedBench, useLockedPeer } from './gateways.ts'
import { pipelined, requestBytes } from './pipeline.ts'

/** Who adds a route that needs no key must add it here as well, and say why in docs/threat-model.md. */
const open = ['GET /healthz', 'HEAD /', 'GET /api/hello', 'HEAD /api/hello']

const routes = [...usualRoutes, ...ollamaRoutes]
const pathOf = (route: Route) => route.path.replace('*', 'openai%2Fgpt-4o')
const isOpen = (method: string, path: string) => open.includes(`${method} ${path}`)

interface Call {
  method: string
  path: string
  lines?: readonly string[]
  body?: Record<string, unknown>
}

function toBytes({ url }: Bench, { method, path, lines = [], body }: Call): Buffer {
  const sent = method === 'POST' ? JSON.stringify({ ...ask('openai/gpt-4o'), stream: false, ...body }) : ''
  const about = sent ? ['Content-Type: application/json', `Content-Length: ${sent.length}`] : []
  return requestBytes(method, path, [hostLine(url), ...about, ...lines], sent)
}

const callAll = (bench: Bench, calls: readonly Call[]) =>
  pipelined(
    bench.url,
    calls.map((call) => toBytes(bench, call)),
  )

it('the list of open routes is known', () => {
  const found = routes.filter((route) => route.open).map((route) => `${route.method} ${route.path}`)
  expect(found).toEqual(open)
})

it('routes for other instances are closed to clients', () => {
  const internal = routes.filter((route) => route.path.startsWith('/internal/'))
  expect(internal).toEqual(routes.filter((route) => route.peer))
  expect(internal).toHaveLength(4)
  for (const route of internal) expect([route.open, route.always]).toEqual([undefined, undefined])
})

expectNothingStray()
const alone = useLockedBench()

describe.each([
  ['alone', alone],
  ['one of several', useLockedPeer()],
])('a gateway that is %s', (_name, bench) => {
  it.each(spread(withoutKey, 8))(
    '$name: 401, or open, on every route',
    async ({ lines, query = '', body = {} }) => {
      const calls = routes.map((route) => ({
        method: route.method,
        path: pathOf(route) + query,
        lines,
        body,
      }))
      const answers = await callAll(bench, calls)
      const statuses = routes.map((route, at) => `${route.method} ${route.path} ${answers[at]?.status}`)
      expect(statuses).toEqual(
        routes.map((route) => `${route.method} ${route.path} ${route.open ? 200 : 401}`),
      )
      for (const [at, answer] of answers.entries()) {
        if (answer.status !== 401) continue
        expect(answer.header('www-authenticate')).toBe('Bearer')
        if (routes[at]?.method === 'HEAD') continue
        const { error } = JSON.parse(answer.body)
        expect(error.type ?? error.status ?? error).toMatch(
          /^(authentication_error|UNAUTHENTICATED|A key is needed: .*|This key is not known here\. .*)$/,
        )
        expect(answer.head + answer.body).not.toContain(key)
      }
    },
  )

  const paths = [...new Set(routes.map(pathOf)), ...unknownPaths]

  it.each(spread(otherMethods, 5))('%s on any path: 401 before anything else', async (method) => {
    const answers = await callAll(
      bench,
      paths.map((path) => ({ method, path })),
    )
    expect(paths.map((path, at) => `${path} ${answers[at]?.status}`)).toEqual(
      paths.map((path) => `${path} ${isOpen(method, path) ? 200 : 401}`),
    )
    // TRACE would repeat the request, Allow would reveal the routes.
    for (const { head, body } of answers) expect(head + body).not.toMatch(/^(host|allow):/im)
  })

  it('CONNECT is refused', async () => {
    for (const path of ['127.0.0.1:22', 'localhost:80', '/healthz', '/v1/models'])
      expect(await callAll(bench, [{ method: 'CONNECT', path }])).toEqual([])
  })

  it.each(spread(upgrades, 2))('an upgrade to $name is not made, on any path', async ({ lines }) => {
    const upgrade = [...lines, 'Connection: Upgrade']
    for (const path of paths) {
      const [answer] = await callAll(bench, [{ method: 'GET', path, lines: upgrade }])
      expect([path, answer?.status]).toEqual([path, isOpen('GET', path) ? 200 : 401])
    }
  })

  it('HTTP/2 by prior knowledge is not spoken', async () => {
    const { status } = await rawRequest(bench.url, { method: 'PRI', path: '*' })
    expect([0, 400]).toContain(status)
  })
})

/**
 * A gateway that is alone has no peers: there is nothing behind their routes. A chat request holds no results, no input, no contents
 * and no prompt, and no response was kept.
 */
function letIn({ method, peer, path }: Route): number {
  if (peer || path.startsWith('/v1/responses/*')) return 404
  if (method === 'POST' && path.includes('*:')) return 400
  return path === '/v1/tool_results' || path === '/api/generate' || path.startsWith('/v1/responses')
    ? 400
    : 200
}

describe('the right key', () => {
  const ways = [
    ['Bearer', [`Authorization: Bearer ${key}`]],
    ['bearer, as some write it', [`Authorization: bearer  ${key}`]],
    ['x-api-key', [`x-api-key: ${key}`]],
    ['x-api-key beside a login', [`x-api-key: ${key}`, 'Authorization: Bearer login']],
    ['x-goog-api-key', [`x-goog-api-key: ${key}`]],
    ['x-goog-api-key beside a login', [`x-goog-api-key: ${key}`, 'Authorization: Bearer login']],
  ] as const

  it.each(ways)('%s lets in, everywhere', async (_name, lines) => {
    const calls = routes.map((route) => ({ method: route.method, path: pathOf(route), lines }))
    const answers = await callAll(alone, calls)
    expect(answers.map(({ status }) => status)).toEqual(routes.map(letIn))
  })

  it('in the query lets in where the Gemini API is served, and nowhere else', async () => {
    const calls = routes.map((route) => ({
      method: route.method,
      path: `${pathOf(route)}?alt=sse&key=${key}`,
    }))
    const answers = await callAll(alone, calls)
    const isGemini = ({ path }: Route) => path.startsWith('/v1beta/') || path.startsWith('/v1/models/*:')
    const expected = routes.map((route) => (isGemini(route) ? letIn(route) : route.open ? 200 : 401))
    expect(answers.map(({ status }) => status)).toEqual(expected)
    expect(answers.map(({ head, body }) => head + body).join()).not.toContain(key)
  })
})

describe('a wrong key', () => {
  const locked = useLockedBench()

  it.each(['/v1/messages', '/v1/chat/completions', '/v1/responses'])(
    '%s: is not worth a retry, and says so',
    async (path) => {
      const headers = { 'content-type': 'application/json', authorization: 'Bearer wrong' }
      const answer = await fetch(`${locked.url}${path}`, { method: 'POST', headers, body: '{}' })
      expect([answer.status, answer.headers.get('x-should-retry')]).toEqual([401, 'false'])
    },
  )
})
