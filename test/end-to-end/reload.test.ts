// Another configuration for a running gateway: what changes, what stays, and who keeps what it began with.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CursorSim, type CursorStep, startCursorSim } from '../../sim/cursor.ts'
import { startOpenAISim } from '../../sim/openai.ts'
import type { Sim } from '../../sim/server.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { parseConfig } from '../../src/config/load.ts'
import { pageHeader } from '../../src/inspector/api.ts'
import { atTestEnd } from '../at-end.ts'
import { readChatStream } from '../chat-stream.ts'
import { answerOf, askCursor, cursorKey, followUp } from '../cursor-bench.ts'
import { type Bench, type Body, chat, chatStream, post, startGateway, user } from '../harness.ts'
import { SocketClient } from '../open-responses/socket-client.ts'
import { until } from './wire.ts'

const keyed = (...names: string[]) => names.map((name) => ({ name, key: `${name}-key-0123456789` }))
const as = (name: string) => ({ authorization: `Bearer ${name}-key-0123456789` })
const hello = (model: string, more: Body = {}): Body => ({ model, messages: [user('hello')], ...more })

interface Place extends Pick<Bench, 'gateway' | 'url' | 'logs'> {
  sims: Sim[]
  cursor: CursorSim
  /** Of the settings: the usual ones, with these in their place. */
  take(more?: Body, keys?: readonly { name: string; key: string }[]): Promise<void>
  backend(sim: number, more?: Body): Body
  account(more?: Body): Body
}

const place = {} as Place

beforeEach(async () => {
  const sims = [await startOpenAISim({ lenient: true }), await startOpenAISim({ lenient: true })]
  const cursor = await startCursorSim({ apiKey: cursorKey })
  const backend = (sim: number, more: Body = {}) => ({
    kind: 'openai',
    baseUrl: `${sims[sim]?.url}/v1`,
    apiKey: 'upstream-key-0123',
    ...more,
  })
  const account = (more: Body = {}) => ({
    ...{ kind: 'cursor', baseUrl: cursor.url, apiKey: cursorKey, transport: 'http2' },
    ...more,
  })
  const usual = { backends: { box: backend(0), cursor: account() }, models: { fast: 'box/gpt-4o' } }
  const started = await startGateway({ ...usual, inspector: { enabled: true } }, { keys: keyed('laptop') })
  Object.assign(place, started, { sims, cursor, backend, account })
  place.take = async (more = {}, keys = keyed('laptop')) => {
    const settings = { auth: 'none', listen: { port: 0 }, log: { level: 'debug' }, ...usual, ...more }
    const environment = readEnvironment({ HOME: '/nonexistent' })
    const { config, secrets } = parseConfig(JSON.stringify(settings), { environment })
    const prepared = await started.gateway.prepare({ config, keys, secrets })
    prepared.commit()
  }
  atTestEnd(async () => {
    await started.gateway.close()
    await Promise.all([...sims, cursor].map((sim) => sim.close()))
  })
})

afterEach(() => expect(place.cursor.violations).toEqual([]))

const statusOf = async (model: string, name = 'laptop') =>
  (await chat(place.url, hello(model), as(name))).status

const postLogin = (token: string) =>
  fetch(`${place.url}/inspector/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  })

async function login(token: string): Promise<Record<string, string>> {
  const response = await postLogin(token)
  const { page } = (await response.json()) as { page: string }
  return { cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '', [pageHeader]: page }
}

describe('keys', () => {
  it('a new one is let in, a removed one is not, and one with another value counts as removed', async () => {
    await place.take({}, keyed('laptop', 'phone'))
    expect([await statusOf('fast', 'laptop'), await statusOf('fast', 'phone')]).toEqual([200, 200])
    await place.take({}, keyed('phone'))
    expect([await statusOf('fast', 'laptop'), await statusOf('fast', 'phone')]).toEqual([401, 200])
    await place.take({}, [{ name: 'phone', key: 'another-value-0123456789' }])
    expect(await statusOf('fast', 'phone')).toBe(401)
    expect((await fetch(`${place.url}/readyz`, { headers: as('phone') })).status).toBe(401)
  })

  it('a running turn of a removed key ends normally', async () => {
    place.sims[0]?.play({ steps: [{ say: 'first ' }, { wait: 300 }, { say: 'last' }, { end: 'stop' }] })
    const response = await post(place.url, { ...hello('fast'), stream: true }, as('laptop'))
    await place.take({}, keyed('phone'))
    expect(await readChatStream(response)).toMatchObject({
      text: 'first last',
      finishReason: 'stop',
      problems: [],
    })
  })

  it('an open WebSocket of a removed key takes no more messages, after its running turn', async () => {
    const socket = await SocketClient.open(place.url, { key: 'laptop-key-0123456789' })
    const idle = await SocketClient.open(place.url, { key: 'laptop-key-0123456789' })
    place.sims[0]?.play({ steps: [{ say: 'first ' }, { wait: 300 }, { say: 'last' }, { end: 'stop' }] })
    const turn = socket.create({ model: 'fast', input: 'hello' })
    await until(() => (place.sims[0]?.requests.length ?? 0) > 0)
    await place.take({}, keyed('phone'))
    expect(await idle.closed).toBe(1008)
    expect(await socket.create({ model: 'fast', input: 'again' })).toMatchObject({
      error: { code: expect.anything() },
    })
    expect((await turn).response.output_text ?? JSON.stringify((await turn).events)).toContain('last')
    expect(await socket.closed).toBe(1008)
  })

  it('a WebSocket of another key goes on, with the new configuration', async () => {
    const socket = await SocketClient.open(place.url, { key: 'laptop-key-0123456789' })
    await place.take(
      { models: { fast: 'other/gpt-4o' }, backends: { other: place.backend(1) } },
      keyed('laptop', 'phone'),
    )
    expect((await socket.create({ model: 'fast', input: 'hello' })).error).toBeUndefined()
    expect(place.sims.map(({ requests }) => requests.length)).toEqual([0, 1])
    socket.close()
  })

  it("the inspector's logins, links and live streams of a removed key end, the operator's stay", async () => {
    const link = async (name: string) => {
      const response = await fetch(`${place.url}/inspector/links`, { method: 'POST', headers: as(name) })
      return ((await response.json()) as { token: string }).token
    }
    const turns = async (headers: Record<string, string>) =>
      (await fetch(`${place.url}/inspector/turns`, { headers })).status
    const operators = await login((place.gateway.inspector?.link(place.url) ?? '').split('#login=')[1] ?? '')
    const own = await login(await link('laptop'))
    const unused = await link('laptop')
    const live = await fetch(`${place.url}/inspector/events`, { headers: own })
    const liveByKey = await fetch(`${place.url}/inspector/events`, { headers: as('laptop') })
    expect([await turns(own), await turns(operators)]).toEqual([200, 200])
    await place.take({}, keyed('phone'))
    expect(await live.text()).toContain('"bye"')
    expect(await liveByKey.text()).toContain('"bye"')
    expect([await turns(own), await turns(operators)]).toEqual([401, 200])
    expect((await postLogin(unused)).status).toBe(403)
  })
})

describe('backends and models', () => {
  it('an added one is called and listed, a removed one is neither', async () => {
    const listed = async () => {
      const response = await fetch(`${place.url}/v1/models`, { headers: as('laptop') })
      return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id)
    }
    expect(await statusOf('other/gpt-4o')).toBe(404)
    await place.take({ backends: { other: place.backend(1) }, models: { slow: 'other/gpt-4o' } })
    expect([await statusOf('other/gpt-4o'), await statusOf('slow'), await statusOf('fast')]).toEqual([
      200, 200, 404,
    ])
    expect(await statusOf('box/gpt-4o')).toBe(404)
    expect(await listed()).toContain('slow')
    expect((await listed()).some((id) => id.startsWith('box/'))).toBe(false)
  })

  it('a running turn keeps its backend, which is closed after it', async () => {
    place.sims[0]?.play({ steps: [{ say: 'old ' }, { wait: 300 }, { say: 'end' }, { end: 'stop' }] })
    const response = await post(place.url, { ...hello('box/gpt-4o'), stream: true }, as('laptop'))
    await place.take({ backends: { box: place.backend(1) } })
    place.sims[1]?.play({ steps: [{ say: 'new' }, { end: 'stop' }] })
    const next = await chatStream(place.url, hello('box/gpt-4o'), as('laptop'))
    expect(next.text).toBe('new')
    expect(await readChatStream(response)).toMatchObject({
      text: 'old end',
      finishReason: 'stop',
      problems: [],
    })
    expect(place.logs.join('')).not.toContain('could not be closed')
  })

  it('an unchanged backend stays as it is, whatever else changes: its connection, and its models', async () => {
    expect(await statusOf('gpt-4o')).toBe(200)
    const listings = () => place.sims[0]?.listings.length
    const before = listings()
    await place.take({
      backends: { box: place.backend(0, { calls: { check: 'off' } }), other: place.backend(1) },
      log: { level: 'info' },
    })
    expect(await statusOf('box/gpt-4o')).toBe(200)
    await fetch(`${place.url}/v1/models`, { headers: as('laptop') })
    expect(listings()).toBe(before)
  })

  it('limits, hosts and the level of the log follow', async () => {
    await place.take({
      limits: { bodyBytes: 1_024 },
      allow: { hosts: ['box.lan'] },
      log: { level: 'silent' },
    })
    const long = { model: 'fast', messages: [user('x'.repeat(2_000))] }
    expect((await chat(place.url, long, as('laptop'))).status).toBe(413)
    const lines = place.logs.length
    expect(await statusOf('fast')).toBe(200)
    expect(place.logs).toHaveLength(lines)
  })

  it('prices follow', async () => {
    const lastCost = async () => {
      expect(await statusOf('box/gpt-4o')).toBe(200)
      const response = await fetch(`${place.url}/inspector/turns`, { headers: as('laptop') })
      const [turn] = ((await response.json()) as { turns: { cost?: unknown }[] }).turns
      return JSON.stringify(turn?.cost)
    }
    const box = place.backend(0, { prices: { '*': { input: 5_000, output: 5_000 } } })
    await place.take({ backends: { box } })
    expect(await lastCost()).toContain('configuration')
    await place.take({ prices: 'off' })
    expect(await lastCost()).toBeUndefined()
  })

  it('a configuration that cannot be used changes nothing', async () => {
    const before = place.gateway.catalog
    const wrong = { ...place.backend(1), connect: { ca: '/nonexistent/ca.pem' } }
    await expect(place.take({ models: {}, backends: { other: place.backend(1), wrong } })).rejects.toThrow(
      'ca.pem',
    )
    expect(place.gateway.catalog).toBe(before)
    expect(await statusOf('fast')).toBe(200)
  })

  it('secrets of a configuration that was refused, or is gone, stay out of the log', async () => {
    const apiKey = 'canary-of-the-new-one'
    await place.take({ backends: { box: place.backend(0, { apiKey }) } })
    await place.take()
    place.gateway.log.info(`${apiKey} laptop-key-0123456789`)
    expect(place.logs.join('')).not.toMatch(/canary-of|laptop-key/)
  })
})

describe('parked runs', () => {
  const loop: CursorStep[] = [
    { exec: { read: { path: 'a' } } },
    { await: 'results' },
    { say: 'live' },
    { end: true },
  ]
  const twice: CursorStep[] = [loop[0] as CursorStep, { await: 'results' }, ...loop]
  const ask = (body: Body) => answerOf(place.url, body, 'streamed', as('laptop'))
  const waiting = async () => {
    const text = await (await fetch(`${place.url}/metrics`, { headers: as('laptop') })).text()
    return Number(/^dragoman_sessions_waiting (\d+)/m.exec(text)?.[1])
  }

  const changes: readonly (readonly [what: string, more: () => Body])[] = [
    ['the backend has other settings', () => ({ backends: { cursor: place.account({ privacy: false }) } })],
    [
      'the backend has another address',
      () => ({ backends: { cursor: place.account({ baseUrl: 'http://127.0.0.1:9' }) } }),
    ],
    ['the backend is gone', () => ({ backends: { box: place.backend(0) } })],
    ['another has its name', () => ({ backends: { cursor: place.backend(1) }, models: {} })],
    ['nothing of the backend has changed', () => ({ deferTools: 'off' })],
  ]

  it.each(changes)('go on where they wait: %s', async (_what, more) => {
    place.cursor.play(twice)
    const body = askCursor('read it')
    const first = await ask(body)
    expect(first).toMatchObject({ session: 'fresh', finish: 'tool_calls' })
    await place.take({ models: {}, ...more() })
    const again = followUp(body, first, ['A'])
    const second = await ask(again)
    expect(second).toMatchObject({ session: 'live', finish: 'tool_calls' })
    await place.take({ models: {}, ...more(), toolArguments: 'streamed' })
    expect(await ask(followUp(again, second, ['B']))).toMatchObject({ text: 'live', session: 'live' })
    expect(place.cursor.runs).toHaveLength(1)
    expect(await waiting()).toBe(0)
  })

  it('by an alias that means another model now', async () => {
    await place.take({ models: { fast: 'cursor/composer-2' } })
    place.cursor.play(loop)
    const body = { ...askCursor('read it'), model: 'fast' }
    const first = await ask(body)
    await place.take({ models: { fast: 'box/gpt-4o' } })
    expect(await ask(followUp(body, first, ['A']))).toMatchObject({ text: 'live', session: 'live' })
    expect((await chat(place.url, hello('fast'), as('laptop'))).status).toBe(200)
    expect(place.sims[0]?.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })

  it('results that are handed in ahead reach them', async () => {
    place.cursor.play(loop)
    const body = askCursor('read it')
    const first = await ask(body)
    await place.take({ backends: { box: place.backend(0) } })
    const handed = await fetch(`${place.url}/v1/tool_results`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...as('laptop') },
      body: JSON.stringify({ tool_call_id: first.calls[0]?.id, content: 'A' }),
    })
    expect(await handed.json()).toEqual({ accepted: [first.calls[0]?.id], duplicate: [] })
    expect(await ask(followUp(body, first, ['A']))).toMatchObject({ text: 'live', session: 'live' })
  })

  it('of a removed key are not continued', async () => {
    place.cursor.play(loop)
    const body = askCursor('read it')
    const first = await ask(body)
    await place.take({}, keyed('phone'))
    expect(await ask(followUp(body, first, ['A']))).toMatchObject({ status: 401 })
    expect(await waiting().catch(() => 1)).not.toBe(0)
  })

  it('a backend without runs is closed at once, one with a run after its end', async () => {
    const connections = () => place.cursor.connections
    place.cursor.play(loop)
    const body = askCursor('read it')
    const first = await ask(body)
    await place.take({ backends: { box: place.backend(0) } })
    expect(connections()).toBeGreaterThan(0)
    await ask(followUp(body, first, ['A']))
    await until(() => connections() === 0)
  })
})
