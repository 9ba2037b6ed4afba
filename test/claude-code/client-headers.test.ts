// Headers of Claude Code: which of them reach Anthropic, and which nobody. The other services get none (others-behind.test.ts).

import { afterAll, describe, expect, it } from 'vitest'
import { startGateway, upstreamKey } from '../harness.ts'
import { claude, send, useContractBench } from './bench.ts'
import * as cc from './requests.ts'

const bench = useContractBench()
const short = (model: string) => cc.turn(model, { messages: [cc.user('x')] })
const ask = async (more: Record<string, string>) => {
  expect((await send(bench, short(claude), { more })).status).toBe(200)
  return bench.anthropic.requests.at(-1)?.headers ?? {}
}

describe('with Anthropic behind', () => {
  it('what the program says of itself and of the request passes, names of tomorrow too', async () => {
    expect(await ask(cc.aboutClient)).toMatchObject({
      ...cc.aboutClient,
      'user-agent': 'claude-cli/2.1.325 (external, sdk-cli)',
    })
  })

  it('ids of sessions and agents, and what speaks of its SDK, stay at the gateway', async () => {
    const headers = await ask({
      'x-claude-code-agent-id': 'a0123456789abcdef',
      'x-claude-code-parent-agent-id': 'afedcba9876543210',
      'x-claude-code-api-key': 'sk-client-canary',
      'x-custom': 'of the user',
    })
    const names = Object.keys(headers).filter((name) =>
      /claude-code|stainless|x-app|x-custom|browser/.test(name),
    )
    expect(names).toEqual([])
  })

  it('a count of tokens brings them too', async () => {
    const path = '/v1/messages/count_tokens?beta=true'
    const body = { model: claude, messages: [cc.user('x')] }
    expect((await send(bench, body, { path, more: cc.aboutClient })).status).toBe(200)
    expect(bench.anthropic.requests.at(-1)?.headers).toMatchObject(cc.aboutClient)
  })
})

describe('credentials', () => {
  const key = 'sk-dragoman-0123456789abcdef0123456789'
  const auth = { keys: [{ name: 'laptop', key }] }
  const gateways: { gateway: { close(): Promise<unknown> } }[] = []
  afterAll(() => Promise.all(gateways.map(({ gateway }) => gateway.close())))

  it.each([
    ['ANTHROPIC_AUTH_TOKEN', { authorization: `Bearer ${key}` }, 200],
    ['ANTHROPIC_API_KEY', { 'x-api-key': key }, 200],
    ['apiKeyHelper', { authorization: `Bearer ${key}`, 'x-api-key': key }, 200],
    ['a wrong key', { authorization: 'Bearer wrong' }, 401],
  ])('of %s', async (_, credential: Record<string, string>, expected) => {
    const { authorization: __, ...headers } = cc.headers()
    const backends = { anthropic: { kind: 'anthropic', baseUrl: bench.anthropic.url, apiKey: upstreamKey } }
    const started = await startGateway({ auth, backends }, { keys: auth.keys })
    gateways.push(started)
    const answer = await fetch(`${started.url}/v1/messages?beta=true`, {
      method: 'POST',
      headers: { ...headers, ...credential },
      body: JSON.stringify({ ...short(claude), stream: false }),
    })
    expect([answer.status, answer.headers.get('x-should-retry')]).toEqual([
      expected,
      expected === 401 ? 'false' : null,
    ])
    expect(JSON.stringify(bench.anthropic.requests.map((request) => request.headers))).not.toContain(key)
  })
})

describe('other requests', () => {
  it('the first word needs no credential', async () => {
    const answer = await fetch(`${bench.url}/api/hello`, {
      method: 'HEAD',
      headers: { 'user-agent': 'Bun/1.3' },
    })
    expect(answer.status).toBe(200)
  })

  it.each([
    ['GET', '/.well-known/oauth-authorization-server'],
    ['POST', '/oauth/device/code'],
    ['GET', '/managed/settings'],
    ['POST', '/v1/metrics'],
    ['GET', '/api/oauth/usage'],
    ['POST', '/model/us.anthropic.claude-opus-5-5/invoke-with-response-stream'],
    ['POST', '/projects/p/locations/l/publishers/anthropic/models/claude-opus-5-5:streamRawPredict'],
  ])('%s %s is not served', async (method, path) => {
    const answer = await fetch(bench.url + path, { method, ...(method === 'POST' ? { body: '{}' } : {}) })
    expect(answer.status).toBe(404)
    await answer.text()
  })
})
