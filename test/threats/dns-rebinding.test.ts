// Requests with a foreign Host header: refused before the key check, on every route.

import { describe, expect, it } from 'vitest'
import { routes } from '../../src/server/routes.ts'
import { expectNothingStray, hostLine, rawRequest } from '../end-to-end/wire.ts'
import type { Bench } from '../harness.ts'
import { ambiguousHosts, foreignHosts, ownHosts } from './cases/hosts.ts'
import { key } from './cases/keys.ts'
import { useLockedBench, useLockedPeer } from './gateways.ts'

expectNothingStray()
const bench = useLockedBench()
const peer = useLockedPeer()

const fill = (text: string, { url }: Bench) => text.replaceAll('PORT', new URL(url).port)
const authorized = `Authorization: Bearer ${key}`

describe.each([
  ['alone', bench],
  ['one of several', peer],
])('a gateway that is %s', (_name, gateway) => {
  it.each(foreignHosts)('Host %j: 421, open or not, key or not', async (host) => {
    for (const path of ['/healthz', '/v1/models', '/internal/v1/turns']) {
      const lines = [`Host: ${fill(host, gateway)}`, authorized]
      const method = path.startsWith('/internal') ? 'POST' : 'GET'
      const answer = await rawRequest(gateway.url, { method, path, lines })
      expect([path, answer.status]).toEqual([path, 421])
      expect(JSON.parse(answer.body).error.code).toBe('misdirected_request')
      expect(answer.head).not.toMatch(/access-control|www-authenticate|allow:/i)
    }
  })

  it.each(ambiguousHosts)('$name', async ({ lines, target = '', version }) => {
    for (const path of ['/healthz', '/v1/models']) {
      const sent = [...lines, authorized].map((line) => fill(line, gateway))
      const answer = await rawRequest(gateway.url, {
        ...(version && { version }),
        path: fill(target, gateway) + path,
        lines: sent,
      })
      // Node itself refuses invalid HTTP.
      expect([400, 421]).toContain(answer.status)
    }
  })

  it('no route is an exception, and none says more than another', async () => {
    const answers = await Promise.all(
      routes.map((route) =>
        rawRequest(gateway.url, {
          method: route.method === 'HEAD' ? 'GET' : route.method,
          path: route.path.replace('*', 'x'),
          lines: ['Host: evil.example', authorized],
        }),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([421]))
    const messages = answers.map(({ body }) => JSON.parse(body).error.message)
    expect(new Set(messages).size).toBe(1)
  })
})

it.each(ownHosts)('Host %s is ours', async (host) => {
  const lines = [`Host: ${fill(host, bench)}`]
  expect((await rawRequest(bench.url, { path: '/healthz', lines })).status).toBe(200)
  expect((await rawRequest(bench.url, { path: '/v1/models', lines })).status).toBe(401)
})

it('a whole URL in the request line is served where it names us', async () => {
  const lines = [hostLine(bench.url)]
  expect((await rawRequest(bench.url, { path: `${bench.url}/healthz?x`, lines })).status).toBe(200)
  expect((await rawRequest(bench.url, { path: `${bench.url}/v1/models`, lines })).status).toBe(401)
  expect((await rawRequest(bench.url, { method: 'HEAD', path: bench.url, lines })).status).toBe(200)
})
