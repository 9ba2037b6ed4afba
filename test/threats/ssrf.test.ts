// The gateway sends requests only to configured addresses: no redirect, DNS answer, client or service can change that.

import dns from 'node:dns'
import http2 from 'node:http2'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { startCursorSim } from '../../sim/cursor.ts'
import { startQwenWebSim } from '../../sim/qwen-web.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { parseConfig } from '../../src/config/load.ts'
import { spread } from '../depth.ts'
import { expectNothingStray, type RawUpstream, startUpstream } from '../end-to-end/wire.ts'
import { ask, chat, claudeAt, post, startGateway, upstreamKey, useBench, user } from '../harness.ts'
import { listen } from '../raw-peer.ts'
import {
  harmlessHosts,
  hostileAgentHosts,
  metadataAnswers,
  metadataHosts,
  redirects,
  steeringBodies,
  steeringFields,
  steeringHeaders,
  steeringModels,
  steeringParts,
} from './cases/addresses.ts'
import { askDoor, type ThreatDoor, threatDoors } from './doors.ts'

expectNothingStray()

/** Nothing may come here. */
let trap: RawUpstream
let trapped: string[] = []
beforeAll(async () => {
  trap = await startUpstream((request, response) => {
    trapped.push(`${request.method} ${request.url}`)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}')
  })
})
afterAll(() => trap.close())
afterEach(() => {
  vi.restoreAllMocks()
  const seen = trapped
  trapped = []
  expect(seen).toEqual([])
})

const environment = readEnvironment({ HOME: '/nonexistent' })
const withTrap = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value).replaceAll('TRAP', trap.url).replaceAll('PORT', new URL(trap.url).port))

const { lookup } = dns

/** Names of `.example` have these addresses, one a question, and then the last for ever. */
function resolveTo(...answers: string[]): { asked: string[] } {
  const asked: string[] = []
  const resolve = (name: string, options: dns.LookupOptions, callback: (...args: unknown[]) => void) => {
    if (!name.endsWith('.example') && !name.endsWith('.cursor.sh')) return lookup(name, options, callback)
    const address = answers[Math.min(asked.length, answers.length - 1)] as string
    asked.push(name)
    const family = address.includes(':') ? 6 : 4
    const all = [{ address, family }]
    return setImmediate(() => (options.all ? callback(null, all) : callback(null, address, family)))
  }
  vi.spyOn(dns, 'lookup').mockImplementation(resolve as unknown as typeof dns.lookup)
  return { asked }
}

/** One backend of each kind, all at one place. */
const kindsAt = (baseUrl: string) => ({
  openai: { kind: 'openai', baseUrl, apiKey: upstreamKey },
  text: { kind: 'openai', baseUrl, apiKey: upstreamKey, tools: 'text' },
  anthropic: { kind: 'anthropic', baseUrl, apiKey: upstreamKey },
  gemini: { kind: 'gemini', baseUrl, apiKey: upstreamKey },
  bedrock: {
    ...{ kind: 'anthropic', provider: 'bedrock', region: 'us-east-1', baseUrl },
    ...{ accessKeyId: 'AKIATESTTESTTEST', secretAccessKey: upstreamKey },
  },
  vertex: {
    ...{ kind: 'anthropic', provider: 'vertex', region: 'us-east5', project: 'my-project', baseUrl },
    ...{ accessToken: upstreamKey, models: ['claude-x'] },
  },
  'qwen-web': { kind: 'qwen-web', baseUrl, token: upstreamKey },
  'cursor-key': { kind: 'cursor', baseUrl, apiKey: 'crsr_test', transport: 'sse' },
  'cursor-sse': { kind: 'cursor', baseUrl, accessToken: 'token', transport: 'sse' },
  'cursor-http2': { kind: 'cursor', baseUrl, accessToken: 'token', transport: 'http2' },
})
const kinds = Object.keys(kindsAt('')) as (keyof ReturnType<typeof kindsAt>)[]

describe('base URLs', () => {
  const parse = (backend: unknown) =>
    parseConfig(JSON.stringify({ backends: { one: backend } }), { environment })

  it.each(spread(metadataHosts, 6))(
    'http://%s is refused for every kind, as a proxy and as a website too',
    (host) => {
      for (const backend of Object.values(kindsAt(`http://${host}/x`)))
        expect(() => parse(backend)).toThrow(/baseUrl: .* is a link-local or metadata address/)
      const cursor = { kind: 'cursor', websiteUrl: `http://${host}` }
      expect(() => parse(cursor)).toThrow(/websiteUrl: .* metadata address/)
      const proxied = { kind: 'cursor', connect: { proxy: `http://${host}:3128` } }
      expect(() => parse(proxied)).toThrow(/connect.proxy: .* metadata address/)
    },
  )

  it.each(harmlessHosts)('http://%s is a place like any other', (host) => {
    expect(parse(kindsAt(`http://${host}/x`).openai).config.backends.one?.baseUrl).toBe(`http://${host}/x`)
  })

  it.each([
    'file:///etc/passwd',
    'ftp://x/',
    'gopher://x/',
    'unix:///run/x.sock',
    'data:,x',
    '//x',
    'x:80',
    'http://u:p@x/',
  ])('%s is no base URL', (baseUrl) => {
    expect(() => parse(kindsAt(baseUrl).openai)).toThrow(/baseUrl/)
  })
})

describe('redirects', () => {
  const targets = ['TRAP/v1', 'http://169.254.169.254/latest/meta-data/', '//127.0.0.1:PORT/', '/elsewhere']

  it.each(kinds)('%s: none is followed, wherever it leads', async (kind) => {
    let asked = 0
    let reply = { status: 302, location: '' }
    const answer = (end: (status: number, headers: Record<string, string>) => void) => {
      asked++
      end(reply.status, { location: reply.location })
    }
    const upstream =
      kind === 'cursor-http2'
        ? await startRedirectingHttp2(answer)
        : await startUpstream((_request, response) =>
            answer((status, headers) => response.writeHead(status, headers).end('moved')),
          )
    const { gateway, url } = await startGateway({ backends: { one: kindsAt(upstream.url)[kind] } })
    for (const [at, status] of redirects.entries()) {
      reply = { status, location: withTrap(targets[at % targets.length] ?? '') }
      const { status: told, json } = await chat(url, ask('one/gpt-4o'))
      expect(told).toBe(502)
      expect(json.error.message).not.toContain(reply.location)
    }
    expect(asked).toBeGreaterThanOrEqual(redirects.length)
    await gateway.close()
    await upstream.close()
  })

  async function startRedirectingHttp2(
    answer: (end: (status: number, headers: Record<string, string>) => void) => void,
  ): Promise<RawUpstream> {
    const server = http2.createServer()
    server.on('stream', (stream) => {
      stream.on('error', () => undefined)
      answer((status, headers) => stream.respond({ ':status': status, ...headers }, { endStream: true }))
    })
    server.on('session', (session) => session.on('error', () => undefined))
    const { url } = await listen(server)
    return { url, close: async () => undefined }
  }
})

describe('names', () => {
  it.each(spread(metadataAnswers, 3))(
    'a name that resolves to %s is not contacted, by any kind of backend',
    async (address) => {
      resolveTo(address)
      const { gateway, url } = await startGateway({ backends: kindsAt('http://innocent.example:1/v2') })
      const answers = await Promise.all(kinds.map((kind) => chat(url, ask(`${kind}/x`))))
      for (const [at, { status, json }] of answers.entries())
        expect([kinds[at], status, json.error.message]).toEqual([
          kinds[at],
          403,
          expect.stringContaining('metadata address'),
        ])
      await gateway.close()
    },
  )

  it('DNS rebinding: public at the check, metadata at the next connection', async () => {
    const upstream = await startUpstream((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', connection: 'close' })
      response.end('{"choices":[{"index":0,"message":{"content":"hello"},"finish_reason":"stop"}]}')
    })
    const baseUrl = `http://rebinding.example:${new URL(upstream.url).port}`
    const { gateway, url } = await startGateway({ backends: { one: kindsAt(baseUrl).openai } })
    const { asked } = resolveTo('127.0.0.1', '169.254.169.254')
    expect((await chat(url, ask('one/x'))).json.choices[0].message.content).toBe('hello')
    const second = await chat(url, ask('one/x'))
    expect([second.status, second.json.error.message]).toEqual([
      403,
      expect.stringMatching(/metadata address/),
    ])
    expect(asked).toEqual(['rebinding.example', 'rebinding.example'])
    await gateway.close()
    await upstream.close()
  })
})

describe('addresses in client requests', () => {
  const bench = useBench({ openai: { lenient: true }, clouds: true })
  const vertexFolder = '/v1/projects/my-project/locations/us-east5/publishers/anthropic/models'
  const places = [
    ...['/v1/chat/completions', '/v1/messages', '/v1/models', '/v1/messages/count_tokens'],
    ...['/v1beta/models', '/v1beta/models/gemini-3.8-flash:generateContent'],
    ...['/model/us.anthropic.claude-demo/invoke', `${vertexFolder}/claude-demo:rawPredict`],
    ...['/inference-profiles', '/foundation-models'],
  ]
  const known = [
    ...['openai/gpt-4o', 'anthropic/claude-demo', 'text/text-demo', 'cursor/composer-2'],
    ...['gemini/gemini-3.8-flash', 'bedrock/claude-demo', 'vertex/claude-demo'],
  ]

  /** Refused or not: the gateway itself has not failed. */
  async function expectEach<Call>(calls: readonly Call[], send: (call: Call) => Promise<{ status: number }>) {
    const answers = await Promise.all(calls.map(async (call) => (await send(call)).status))
    expect(Math.max(...answers)).toBeLessThan(500)
  }

  /** All that went upstream went to the places that there are, under the names that were configured. */
  function expectUsualPlaces(): void {
    const { openai, anthropic, text, gemini, bedrock, vertex } = bench
    for (const sim of [openai, anthropic, text, gemini, bedrock, vertex]) {
      for (const { path, headers } of sim.requests) {
        expect(places).toContain(path)
        expect(headers.host).toBe(new URL(sim.url).host)
      }
    }
    for (const { path, headers } of bench.cursor.requests) {
      expect(path).toMatch(/^\/(aiserver|agent)\.v1\.\w+\/\w+$|^\/auth\/\w+$/)
      const { host } = new URL(bench.cursor.url)
      expect(headers.host ?? host).toBe(host)
    }
  }

  it.each(Object.entries(steeringHeaders))('in the header %s leads nowhere else', async (name, value) => {
    const headers = { [name]: withTrap(value) }
    const calls = known.map((model, at) => ({
      model,
      door: threatDoors[at % threatDoors.length] as ThreatDoor,
    }))
    await expectEach(calls, ({ model, door }) => askDoor(bench.url, door, { model }, { headers }))
    expectUsualPlaces()
  })

  it.each(spread(steeringFields, 3))('in the body (%j) leads nowhere else', async (fields) => {
    const calls = known.flatMap((model) => threatDoors.map((door) => ({ model, door })))
    const more = { max_tokens: 10, ...withTrap(fields) }
    await expectEach(calls, ({ model, door }) => askDoor(bench.url, door, { model, more }))
    expectUsualPlaces()
  })

  it.each(spread(steeringModels, 3))('as a model (%j) leads nowhere else', async (model) => {
    await expectEach(threatDoors, (door) => askDoor(bench.url, door, { model: withTrap(model) }))
    const listed = await fetch(`${bench.url}/v1/models/${encodeURIComponent(withTrap(model))}`)
    expect(listed.status).toBeLessThan(500)
    expectUsualPlaces()
  })

  it.each(spread(steeringParts, 3))('in a part (%j) is looked at by nobody here', async (part) => {
    const content = [withTrap(part), { type: 'text', text: 'x' }]
    await expectEach(known, async (model) => {
      const answer = await post(bench.url, { model, messages: [user(content)] })
      await answer.text()
      return answer
    })
    expectUsualPlaces()
  })

  it.each(steeringBodies)(
    'in a part of $door ($fields) is looked at by nobody here',
    async ({ door: name, fields }) => {
      const door = threatDoors.find((one) => one.name === name) as ThreatDoor
      const more = withTrap(fields)
      await expectEach(known, (model) => askDoor(bench.url, door, { model, more }))
      expectUsualPlaces()
    },
  )
})

describe('credentials', () => {
  it('each is sent only to its own service, and credentials of clients are sent to none', async () => {
    const bench = await startCanaries()
    const sent = {
      authorization: 'Bearer client-canary',
      'x-api-key': 'client-canary',
      'x-goog-api-key': 'client-canary',
      cookie: 'a=client-canary',
    }
    for (const model of [...upstreamNames.map((name) => `${name}/x`), 'qwen/x', 'cursor/composer-2'])
      await (await post(bench.url, ask(model), sent)).text()
    await (await fetch(`${bench.url}/v1/models`, { headers: sent })).text()
    for (const [name, requests] of Object.entries(bench.requests())) {
      const told = JSON.stringify(requests)
      expect(requests.length).toBeGreaterThan(0)
      expect([...new Set(told.match(/\w+-canary/g))]).toEqual([`${name}-canary`])
    }
    await bench.close()
  })

  const upstreamNames = ['openai', 'anthropic', 'gemini', 'bedrock', 'vertex'] as const

  async function startCanaries() {
    const upstreams = new Map<string, { url: string; seen: unknown[]; close(): Promise<void> }>()
    for (const name of upstreamNames) {
      const seen: unknown[] = []
      const upstream = await startUpstream((request, response) => {
        seen.push(request.headers)
        response.writeHead(500, { 'content-type': 'application/json' }).end('{}')
      })
      upstreams.set(name, { ...upstream, seen })
    }
    const qwen = await startQwenWebSim()
    const cursor = await startCursorSim()
    const at = (name: string) => String(upstreams.get(name)?.url)
    const { gateway, url } = await startGateway({
      backends: {
        openai: { kind: 'openai', baseUrl: at('openai'), apiKey: 'openai-canary' },
        anthropic: { kind: 'anthropic', baseUrl: at('anthropic'), apiKey: 'anthropic-canary' },
        gemini: { kind: 'gemini', baseUrl: at('gemini'), apiKey: 'gemini-canary' },
        bedrock: { ...claudeAt('bedrock', at('bedrock')), apiKey: 'bedrock-canary' },
        vertex: { ...claudeAt('vertex', at('vertex')), accessToken: 'vertex-canary' },
        qwen: { kind: 'qwen-web', baseUrl: qwen.url, token: 'qwen-canary' },
        cursor: { kind: 'cursor', baseUrl: cursor.url, accessToken: 'cursor-canary' },
      },
    })
    const headersOf = (sim: { requests: readonly { headers: unknown }[] }) =>
      sim.requests.map(({ headers }) => headers)
    return {
      url,
      requests: () => ({
        ...Object.fromEntries([...upstreams].map(([name, { seen }]) => [name, seen])),
        qwen: headersOf(qwen),
        cursor: headersOf(cursor),
      }),
      close: async () => {
        await gateway.close()
        await Promise.all([...upstreams.values(), qwen, cursor].map((one) => one.close()))
      },
    }
  }

  it.each(spread(hostileAgentHosts, 4))(
    "Cursor's service names %s: the token does not go there",
    async (named) => {
      resolveTo('127.0.0.1')
      const sim = await startCursorSim({ agentUrl: withTrap(named) })
      const transport = hostileAgentHosts.indexOf(named) % 2 === 0 ? 'http2' : 'sse'
      const cursor = { kind: 'cursor', baseUrl: sim.url, apiKey: 'crsr_test', transport }
      const { gateway, url } = await startGateway({ backends: { cursor } })
      expect((await chat(url, ask('cursor/composer-2'))).status).toBe(200)
      await gateway.close()
      expect(sim.runs).toHaveLength(1)
      await sim.close()
    },
  )
})
