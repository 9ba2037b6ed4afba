// Live events of the inspector, which hold no secrets.

import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { LiveMessage } from '../../src/inspector/api.ts'
import { parseTapes } from '../../src/tapes/read.ts'
import { atTestEnd } from '../at-end.ts'
import { expectNothingStray, until, within } from '../end-to-end/wire.ts'
import { ask, type Bench, chat, chatStream, startBench, upstreamKey, user } from '../harness.ts'
import { json, login, useInspected } from './inspected.ts'

expectNothingStray()
const bench = useInspected()

/** What comes, message by message; `ended` once nothing more does. */
async function listen(to: Bench, headers: Record<string, string>) {
  const stop = new AbortController()
  atTestEnd(() => stop.abort())
  const answer = await fetch(`${to.url}/inspector/events`, { headers, signal: stop.signal })
  expect(answer.headers.get('content-type')).toContain('text/event-stream')
  const messages: LiveMessage[] = []
  const ended = (async () => {
    let text = ''
    for await (const chunk of answer.body ?? []) {
      const events = (text + Buffer.from(chunk).toString()).split('\n\n')
      text = events.pop() ?? ''
      for (const event of events)
        if (event.startsWith('data: ')) messages.push(JSON.parse(event.slice(6)) as LiveMessage)
    }
  })().catch(() => undefined)
  await until(() => messages.length > 0)
  return { messages, ended, stop }
}

const linesOf = (headers: Record<string, string>) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')

const titled = (messages: readonly LiveMessage[], title: string) =>
  messages.flatMap((message) =>
    message.type === 'bye' ? [] : message.turns.filter((turn) => turn.title === title),
  )

describe('events', () => {
  it('list all turns first, then changed ones, in batches rather than for each delta', async () => {
    await chat(bench.url, ask('openai/gpt-4o', { messages: [user('Before')] }))
    const { messages } = await listen(bench, await login(bench))
    expect(messages[0]).toMatchObject({ type: 'all', version: expect.any(String) })
    expect(titled(messages, 'Before')).toHaveLength(1)
    bench.openai.play([{ flood: { deltas: 500, text: 'word ' } }, { end: 'stop' }])
    await chatStream(bench.url, ask('openai/gpt-4o', { messages: [user('Flood')] }))
    await until(() => titled(messages, 'Flood').some(({ running }) => !running))
    const last = titled(messages, 'Flood').at(-1)
    expect(last).toMatchObject({ outcome: 'stop', backend: 'openai', upstreamModel: 'gpt-4o', calls: [] })
    expect(last?.frames).toBeGreaterThan(100)
    expect(titled(messages, 'Flood').length).toBeLessThan(50)
    expect(titled(messages, 'Before')).toHaveLength(1)
  })

  it('end when the session does', async () => {
    const headers = await login(bench)
    const { messages, ended } = await listen(bench, headers)
    await fetch(`${bench.url}/inspector/logout`, { method: 'POST', headers })
    await ended
    expect(messages.at(-1)).toEqual({ type: 'bye', why: 'logout' })
    expect((await json(bench, '/inspector/turns', headers)).status).toBe(401)
  })

  it('do not keep the gateway from stopping', async () => {
    const own = await startBench({ settings: { inspector: { enabled: true } } })
    const { messages, ended } = await listen(own, await login(own))
    // Patient with turns, but not with pages.
    expect(await within(5_000, own.gateway.close(60_000))).not.toBe('late')
    await ended
    expect(messages.at(-1)).toEqual({ type: 'bye', why: 'stopping' })
    await own.close()
  })

  it('without a reader do not delay the shutdown', async () => {
    const own = await startBench({ settings: { inspector: { enabled: true, turns: 10_000 } } })
    for (let nth = 0; nth < 5_000; nth++)
      own.gateway.inspector?.shelf.begin({ turnId: `turn_${nth}`, asked: false })?.add({
        ...{ side: 'gateway', do: 'begin', door: 'd', model: 'm'.repeat(4_000) },
        ...{ stream: true, key: 'k', createdAt: 1 },
      })
    const { hostname, port } = new URL(own.url)
    const headers = linesOf(await login(own))
    const socket = connect(Number(port), hostname).pause()
    atTestEnd(() => void socket.destroy())
    socket.on('error', () => undefined)
    socket.write(`GET /inspector/events HTTP/1.1\r\nHost: ${hostname}:${port}\r\n${headers}\r\n`)
    await new Promise((resolve) => socket.once('readable', resolve))
    expect(await within(10_000, own.gateway.close(60_000))).not.toBe('late')
    await own.close()
  })

  it('are left without a trace', async () => {
    const { ended, stop } = await listen(bench, await login(bench))
    stop.abort()
    await ended
    expect((await chat(bench.url, ask('openai/gpt-4o'))).status).toBe(200)
  })
})

describe('its answers', () => {
  it('holds no secret, however that came', async () => {
    const half = Math.floor(upstreamKey.length / 2)
    bench.openai.play([
      { say: `Your key is ${upstreamKey}, in pieces ${upstreamKey.slice(0, half)}` },
      { say: upstreamKey.slice(half) },
      { call: { name: 'read', arguments: { path: upstreamKey } } },
      { end: 'tool_calls' },
    ])
    await chatStream(bench.url, ask('openai/gpt-4o', { messages: [user(`Is ${upstreamKey} my key?`)] }))
    const headers = await login(bench)
    const { messages } = await listen(bench, headers)
    const { body: listed } = await json(bench, '/inspector/turns', headers)
    const [{ id }] = listed.turns
    const { body: detail } = await json(bench, `/inspector/turns/${id}`, headers)
    const tape = await (await fetch(`${bench.url}/inspector/turns/${id}/tape`, { headers })).text()
    expect(tape.split('\n').length).toBeGreaterThan(10)
    for (const told of [JSON.stringify(messages), JSON.stringify(listed), JSON.stringify(detail), tape]) {
      expect(told).toContain('[secret]')
      expect(told).not.toContain(upstreamKey)
    }
    expect(detail.segments.map(({ kind }: { kind: string }) => kind)).toEqual(['text', 'tool-call'])
  })

  it('holds no half of one, where it is cut', async () => {
    const before = 'x'.repeat(190)
    bench.openai.play([{ say: `${before} ` }, { say: upstreamKey }, { end: 'stop' }])
    await chatStream(bench.url, ask('openai/gpt-4o', { messages: [user('Cut')] }))
    const headers = await login(bench)
    const { body: listed } = await json(bench, '/inspector/turns', headers)
    const { body: detail } = await json(bench, `/inspector/turns/${listed.turns[0].id}`, headers)
    expect(detail.segments).toMatchObject([{ preview: `${before} [secret]`.slice(0, 200) }])
  })

  it('is gone when newer turns needed the place, and was never there for strange names', async () => {
    const headers = await login(bench)
    for (const name of ['turn_none', 'x', 'turn_..%2f', '__proto__', 'turn_x/other'])
      expect((await json(bench, `/inspector/turns/${name}`, headers)).status).toBe(404)
  })

  it('is not cached', async () => {
    const headers = await login(bench)
    const answer = await fetch(`${bench.url}/inspector/turns`, { headers })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  it('of the page itself is asked for again, and not sent again', async () => {
    const first = await fetch(`${bench.url}/inspector/app.js`)
    const etag = first.headers.get('etag') ?? ''
    expect([first.status, (await first.text()).length < 250_000]).toEqual([200, true])
    const second = await fetch(`${bench.url}/inspector/app.js`, { headers: { 'if-none-match': etag } })
    expect([second.status, await second.text()]).toEqual([304, ''])
  })

  it('names the sessions that wait', async () => {
    await chatStream(bench.url, ask('cursor/composer-2', { messages: [user('Read waiting.txt')] }))
    const headers = await login(bench)
    const { body } = await json(bench, '/inspector/sessions', headers)
    expect(body).toEqual([
      {
        backend: 'cursor',
        answering: 0,
        waiting: 1,
        waitingBytes: expect.any(Number),
        sessions: [
          {
            id: expect.stringMatching(/^\w{12}$/),
            model: 'composer-2',
            state: 'waiting',
            since: expect.any(Number),
          },
        ],
      },
    ])
  })
})

describe('a tape', () => {
  it('includes the tapes of the earlier turns that a replay needs', async () => {
    const respond = async (body: object) => {
      const answer = await fetch(`${bench.url}/v1/responses`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'openai/gpt-4o', ...body }),
      })
      const { id } = (await answer.json()) as { id: string }
      return { id, turn: answer.headers.get('x-dragoman-turn') ?? '' }
    }
    const first = await respond({ input: 'Hello' })
    const second = await respond({ input: 'And now?', previous_response_id: first.id })
    const answer = await fetch(`${bench.url}/inspector/turns/${second.turn}/tape`, {
      headers: await login(bench),
    })
    const tapes = parseTapes(await answer.text(), 'exported')
    expect(tapes.map(({ turn }) => turn)).toEqual([first.turn, second.turn])
  })
})
