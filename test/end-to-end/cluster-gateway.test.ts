// Gateways that share a Redis: access to internal routes, registration, shutdown.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inspectorPath, responsesPath, resultsPath, turnsPath } from '../../src/cluster/relay-messages.ts'
import { digestOf, peerHeader, signRequest } from '../../src/cluster/signature.ts'
import type { InternalOptions } from '../../src/gateway.ts'
import { routes } from '../../src/server/routes.ts'
import { peerSecret } from '../cluster-parts.ts'
import { firstRequest } from '../fake-instance.ts'
import { ask, type Bench, post, startBench, user } from '../harness.ts'
import { describeWithRedis, startRedis, type TestRedis } from '../redis.ts'
import { expectNothingStray, freePort, rawRequest, until } from './wire.ts'

expectNothingStray()
const key = 'gateway-canary-key-3141592653'
const instances = (redis: TestRedis) =>
  redis.command('EVAL', "return #redis.call('keys', 'dragoman:i:*')", '0')

const start = (redis: string, more: Partial<InternalOptions> = {}) =>
  startBench({
    settings: { sessions: { redis, peerSecret }, auth: undefined },
    gateway: { keys: [{ name: 'laptop', key }], ...more },
  })

const turn = JSON.stringify({
  ...{ backend: 'cursor', owner: 'AAAAAAAAAAAAAAAA|1', request: firstRequest() },
  ...{ turnId: 'turn_1', caller: 'laptop', wholeArguments: true },
})
const results = JSON.stringify({ backend: 'cursor', owner: 'x|1', results: [], caller: 'laptop' })
const response = JSON.stringify({ instance: 'x', id: 'resp_x', caller: 'laptop', action: 'find' })

const inspection = JSON.stringify({ path: '/inspector/turns', query: '' })

describeWithRedis('gateways that share a Redis', () => {
  let redis: TestRedis
  let bench: Bench
  beforeAll(async () => {
    redis = await startRedis()
    bench = await start(redis.url)
  })
  afterAll(async () => {
    await bench.close()
    await redis.stop()
  })

  function call(path: string, body: string, headers: Record<string, string> = {}) {
    const method = 'POST'
    const sent = { 'content-type': 'application/json', ...headers }
    return fetch(`${bench.url}${path}`, { method, headers: sent, body })
  }
  const signed = (path: string, body: string, secret = peerSecret, at = Date.now()) => ({
    [peerHeader]: signRequest(secret, { method: 'POST', path, body }, at),
  })

  describe.each([
    [turnsPath, turn],
    [resultsPath, results],
    [responsesPath, response],
    [inspectorPath, inspection],
  ])('%s', (path, body) => {
    it('an instance is admitted; an unknown session is gone', async () => {
      expect((await call(path, body, signed(path, body))).status).toBe(410)
    })

    it.each<[string, () => Record<string, string>]>([
      ['nothing', () => ({})],
      ["a client's key", () => ({ authorization: `Bearer ${key}` })],
      ['the secret itself', () => ({ [peerHeader]: peerSecret, authorization: `Bearer ${peerSecret}` })],
      ['another secret', () => signed(path, body, `${peerSecret}x`)],
      ['another path', () => signed('/internal/v1/other', body)],
      ['another body', () => signed(path, `${body} `)],
      ['an old signature', () => signed(path, body, peerSecret, Date.now() - 70_000)],
      [
        'the digest of the right body in a signature of another',
        () => ({
          [peerHeader]: String(signed(path, 'other')[peerHeader]).replace(digestOf('other'), digestOf(body)),
        }),
      ],
    ])('%s: 401', async (_case, headers) => {
      expect((await call(path, body, headers())).status).toBe(401)
    })

    it('a signature counts once', async () => {
      const headers = signed(path, body)
      expect((await call(path, body, headers)).status).toBe(410)
      expect((await call(path, body, headers)).status).toBe(401)
    })

    it.each([{ origin: 'https://page.example' }, { origin: 'null' }, { 'sec-fetch-site': 'same-origin' }])(
      'a web page (%j): 403, signed or not',
      async (headers) => {
        const lines = Object.entries({
          ...{ host: new URL(bench.url).host, 'content-length': String(Buffer.byteLength(body)) },
          ...{ 'content-type': 'application/json', ...signed(path, body), ...headers },
        }).map(([name, value]) => `${name}: ${value}`)
        expect((await rawRequest(bench.url, { method: 'POST', path, lines, body })).status).toBe(403)
      },
    )

    it('the Host does not matter: instances call each other by addresses', async () => {
      const lines = Object.entries({
        ...{ host: 'pod-7.internal:8080', 'content-length': String(Buffer.byteLength(body)) },
        ...{ 'content-type': 'application/json', ...signed(path, body) },
      }).map(([name, value]) => `${name}: ${value}`)
      expect((await rawRequest(bench.url, { method: 'POST', path, lines, body })).status).toBe(410)
    })

    it('other methods get no details', async () => {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        expect((await fetch(`${bench.url}${path}`, { method })).status).toBe(401)
        const headers = { authorization: `Bearer ${key}` }
        expect((await fetch(`${bench.url}${path}`, { method, headers })).status).toBe(404)
      }
    })

    it.each(['', 'nonsense', 'null', '[]', '{}', '{"__proto__":1}', `${'['.repeat(200)}${']'.repeat(200)}`])(
      'a signed body that is nonsense (%j): 400',
      async (nonsense) => {
        expect((await call(path, nonsense, signed(path, nonsense))).status).toBe(400)
      },
    )
  })

  it('without a signature, a body that is too large is not read', async () => {
    const body = 'x'.repeat(1024)
    const lines = [`host: ${new URL(bench.url).host}`, 'content-length: 999999999']
    expect((await rawRequest(bench.url, { method: 'POST', path: turnsPath, lines, body })).status).toBe(401)
  })

  it.each([
    '{"messages":null}',
    '{"messages":[{"role":"tool"}]}',
    '{"messages":[{"role":"tool","results":[{"callId":5}]}]}',
    '{"messages":[{"role":"user","content":[null]}]}',
    '{"messages":[{"role":"user","content":[{"type":"__proto__"}]}]}',
    '{"messages":[{"role":"root","content":[]}]}',
  ])('a turn that is none (%s): 400', async (part) => {
    const whole = JSON.parse(turn)
    const body = JSON.stringify({ ...whole, request: { ...whole.request, ...JSON.parse(part) } })
    expect((await call(turnsPath, body, signed(turnsPath, body))).status).toBe(400)
  })

  it('GET / does not list them, and all other routes still need their keys', async () => {
    const home = await fetch(bench.url, { headers: { authorization: `Bearer ${key}` } })
    expect(await home.text()).not.toContain('/internal/')
    for (const { method, path, open, peer } of routes) {
      if (open || peer) continue
      expect((await fetch(`${bench.url}${path.replace('*', 'x')}`, { method })).status).toBe(401)
    }
  })

  it('is announced when it listens, and withdrawn before it stops answering', async () => {
    expect(await instances(redis)).toBe(':1')
    const other = await start(redis.url)
    expect(await instances(redis)).toBe(':2')
    other.openai.play([{ say: 'first', pieces: 1 }, { wait: 400 }, { say: ' last', pieces: 1 }])
    const pending = post(other.url, ask('openai/gpt-demo', { stream: true }), {
      authorization: `Bearer ${key}`,
    })
    await until(() => other.openai.requests.length === 1)
    const closed = other.gateway.close(10_000)
    const answer = await pending
    expect(await instances(redis)).toBe(':1')
    const path = turnsPath
    const headers = { 'content-type': 'application/json', ...signed(path, turn) }
    expect((await fetch(`${other.url}${path}`, { method: 'POST', headers, body: turn })).status).toBe(503)
    expect(await answer.text()).toContain('last')
    await closed
    await other.close()
    expect(await instances(redis)).toBe(':1')
  })

  it('every instance continues, shows and deletes a stored answer, for its own caller only', async () => {
    const keys = ['laptop', 'stranger'].map((name) => ({ name, key: `${name}-${key}` }))
    const two = { keys }
    const [here, there] = [await start(redis.url, two), await start(redis.url, two)]
    const call = async (at: Bench, method: string, path: string, body?: object, name = 'laptop') => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${name}-${key}` }
      const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }
      const answer = await fetch(`${at.url}${path}`, init)
      return {
        status: answer.status,
        json: (await answer.json()) as { id: string; output: { id: string }[] },
      }
    }
    const model = 'openai/gpt-demo'
    const first = await call(here, 'POST', '/v1/responses', { model, input: 'my number is 4711' })
    expect(first.json.id).toMatch(/^resp_[A-Za-z0-9]{32}$/)
    const place = `/v1/responses/${first.json.id}`
    expect((await call(there, 'GET', place)).json).toEqual(first.json)
    expect((await call(there, 'GET', place, undefined, 'stranger')).status).toBe(404)
    const next = { model, input: 'and?', previous_response_id: first.json.id }
    expect((await call(there, 'POST', '/v1/responses', next, 'stranger')).status).toBe(400)
    expect(there.openai.requests).toHaveLength(0)
    const second = await call(there, 'POST', '/v1/responses', next)
    expect(second.status).toBe(200)
    const named = { model, input: [user('well?'), { type: 'item_reference', id: first.json.output[0]?.id }] }
    expect((await call(there, 'POST', '/v1/responses', named)).status).toBe(200)
    for (const sent of there.openai.requests.slice(0, 1)) expect(JSON.stringify(sent.body)).toContain('4711')
    expect((await call(there, 'DELETE', place, undefined, 'stranger')).status).toBe(404)
    expect((await call(there, 'DELETE', place)).status).toBe(200)
    for (const at of [here, there]) expect((await call(at, 'GET', place)).status).toBe(404)
    // The instance that continued the conversation has it all, even after the first instance is gone.
    await here.close()
    const last = { model, input: 'so?', previous_response_id: second.json.id }
    expect((await call(there, 'POST', '/v1/responses', last)).status).toBe(200)
    const lost = { model, input: 'so?', previous_response_id: `${first.json.id.slice(0, -1)}x` }
    expect((await call(there, 'POST', '/v1/responses', lost)).status).toBe(400)
    await there.close()
  })

  it('says in its metrics whether Redis is there', async () => {
    const answer = await fetch(`${bench.url}/metrics`, { headers: { authorization: `Bearer ${key}` } })
    expect(await answer.text()).toMatch(/^dragoman_cluster_redis_up 1$/m)
  })

  it('listens without Redis too, and soon; the password is nowhere to be seen', async () => {
    const since = Date.now()
    const alone = await start(`redis://:redis-password-canary@127.0.0.1:${await freePort()}`)
    expect(Date.now() - since).toBeLessThan(5_000)
    const headers = { authorization: `Bearer ${key}` }
    expect((await post(alone.url, ask('openai/gpt-demo'), headers)).status).toBe(200)
    expect(alone.logs.filter((line) => line.includes('Redis cannot be used'))).toHaveLength(1)
    await alone.close()
    expect(alone.logs.join('')).not.toMatch(/redis-password-canary|peer-secret-canary/)
  })
})
