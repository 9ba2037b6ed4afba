// WebSocket mode: who gets a connection, what is kept for whom, lanes, limits, and clients that behave badly.

import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { hostLine, rawRequest } from '../end-to-end/wire.ts'
import { startBench, useBench } from '../harness.ts'
import { eventProblems } from './required.ts'
import { clientFrame, rawUpgrade, SocketClient } from './socket-client.ts'

const [one, two] = ['key-of-one-0123456789', 'key-of-two-0123456789'] as const
const keys = [
  { name: 'one', key: one },
  { name: 'two', key: two },
]
const bench = useBench({ gateway: { keys, keepAliveMs: 60 } })
const model = 'anthropic/claude-demo'
const open = (options: Parameters<typeof SocketClient.open>[1] = {}) =>
  SocketClient.open(bench.url, { key: one, ...options })

describe('who gets a connection', () => {
  it.each([
    ['without a key', { key: 'wrong' }, 401],
    ['for another host', { key: one, host: 'evil.example' }, 421],
    ['with the key', { key: one }, 101],
    ['from a page of another site', { key: one, lines: ['Origin: https://evil.example'] }, 403],
    ['on another path', { key: one, path: '/v1/realtime' }, 426],
    ['on another path without a key', { key: 'wrong', path: '/v1/realtime' }, 401],
  ])('%s', async (_name, options, status) => {
    const answer = await rawUpgrade(bench.url, options)
    expect(answer.status).toBe(status)
    answer.socket.destroy()
  })

  it('no compression is agreed', async () => {
    const { text, socket } = await rawUpgrade(bench.url, {
      key: one,
      lines: ['Sec-WebSocket-Extensions: permessage-deflate'],
    })
    expect(text).not.toMatch(/extensions/i)
    socket.destroy()
  })

  it('where it is off: 426, at once', async () => {
    const off = await startBench({ settings: { responses: { webSocket: false } } })
    const { status, text, socket } = await rawUpgrade(off.url)
    expect(status).toBe(426)
    expect(text).toContain('websocket_not_supported')
    socket.destroy()
    await off.close()
  })

  it('a GET without an upgrade: 405 that names POST', async () => {
    const answer = await fetch(`${bench.url}/v1/responses`, { headers: { authorization: `Bearer ${one}` } })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
    expect(await answer.json()).toMatchObject({ error: { code: 'method_not_allowed' } })
  })

  it('a wish for HTTP/2 is ignored: the request is answered, with its body', async () => {
    bench.anthropic.play([{ say: 'still here' }])
    const body = JSON.stringify({ model, input: 'x'.repeat(100_000) })
    const lines = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__']
    const answer = await rawRequest(bench.url, {
      method: 'POST',
      path: '/v1/responses',
      lines: [
        hostLine(bench.url),
        ...lines,
        `Authorization: Bearer ${one}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
      ],
      body,
    })
    expect(answer.status).toBe(200)
    expect(JSON.stringify(answer)).toContain('still here')
  })
})

it('a client may wish for HTTP/2 with each request of a connection', async () => {
  const warnings: Error[] = []
  const onWarning = (warning: Error) => warnings.push(warning)
  process.on('warning', onWarning)
  const { hostname, port } = new URL(bench.url)
  const socket = connect(Number(port), hostname)
  let heard = ''
  socket.on('data', (bytes) => {
    heard += bytes.toString()
  })
  for (let count = 1; count <= 15; count++) {
    socket.write(
      `GET /healthz HTTP/1.1\r\n${hostLine(bench.url)}\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n`,
    )
    await expect.poll(() => heard.split('"status":"ok"').length, { interval: 5 }).toBe(count + 1)
  }
  socket.destroy()
  process.off('warning', onWarning)
  expect(warnings).toEqual([])
})

describe('turns', () => {
  it('a warm-up answers with an id and asks no model; the next message continues it', async () => {
    bench.anthropic.play([{ say: 'warm' }])
    const client = await open()
    const warm = await client.create({ model, store: false, generate: false, input: 'The word is cobalt.' })
    expect(warm.events.flatMap(eventProblems)).toEqual([])
    expect(warm.response).toMatchObject({ status: 'completed', output: [] })
    expect(bench.anthropic.requests).toHaveLength(0)
    const next = await client.create({ model, previous_response_id: warm.response.id, input: 'The word?' })
    expect(next.response.status).toBe('completed')
    expect(JSON.stringify(bench.anthropic.requests[0]?.body)).toContain('cobalt')
    await client.close()
  })

  it('a warm-up may hold system messages alone, as that of Codex does', async () => {
    bench.anthropic.play([{ say: 'warm' }])
    const client = await open()
    const input = [{ role: 'developer', content: 'Be brief.' }]
    const warm = await client.create({ model, store: false, generate: false, input })
    expect(warm.response).toMatchObject({ status: 'completed', output: [] })
    const next = await client.create({ model, previous_response_id: warm.response.id, input: 'Hello' })
    expect(next.response.status).toBe('completed')
    expect(JSON.stringify(bench.anthropic.requests[0]?.body)).toContain('Be brief.')
    await client.close()
  })

  it('only the last response of a lane is kept, and a stored one is found anywhere', async () => {
    bench.anthropic.play([{ say: 'a' }], [{ say: 'b' }], [{ say: 'c' }], [{ say: 'd' }])
    const client = await open()
    const first = await client.create({ model, store: false, input: 'x' })
    await client.create({ model, store: false, input: 'y' })
    const stale = await client.create({
      model,
      store: false,
      previous_response_id: first.response.id,
      input: 'z',
    })
    expect(stale.error.code).toBe('previous_response_not_found')
    const stored = await client.create({ model, input: 'kept' })
    const other = await open()
    const found = await other.create({ model, previous_response_id: stored.response.id, input: 'more' })
    expect(found.response.status).toBe('completed')
    await Promise.all([client.close(), other.close()])
  })

  it('a response of another key is not found, stored or not', async () => {
    bench.anthropic.play([{ say: 'mine' }])
    const mine = await open()
    const { response } = await mine.create({ model, input: 'x' })
    const theirs = await open({ key: two })
    const turn = await theirs.create({ model, previous_response_id: response.id, input: 'give' })
    expect(turn.error.code).toBe('previous_response_not_found')
    await Promise.all([mine.close(), theirs.close()])
  })

  it('lanes run beside each other, messages of one lane in order; each message names its lane', async () => {
    bench.anthropic.play([{ wait: 400 }, { say: 'slow' }], [{ say: 'quick' }], [{ say: 'after' }])
    const client = await open()
    client.send({ type: 'response.create', model, stream_id: 'a', input: 'slow' })
    await expect.poll(() => bench.anthropic.requests.length).toBe(1)
    client.send({ type: 'response.create', model, stream_id: 'a', input: 'after' })
    client.send({ type: 'response.create', model, stream_id: 'b', input: 'quick' })
    const ends = []
    while (ends.length < 3) {
      const { events } = await client.turn()
      ends.push(events.at(-1).stream_id)
    }
    expect(ends).toEqual(['b', 'a', 'a'])
    expect(client.messages.every(({ stream_id }) => stream_id === 'a' || stream_id === 'b')).toBe(true)
    await client.close()
  })

  it('a failure in the middle is one terminal event, and the connection goes on', async () => {
    bench.anthropic.play([{ say: 'half' }, { wait: 20 }, { fault: 'reset' }], [{ say: 'whole' }])
    const client = await open()
    const failed = await client.create({ model, input: 'x' })
    expect(failed.response.status).toBe('failed')
    expect(failed.events.map(({ type }) => type)).not.toContain('error')
    expect((await client.create({ model, input: 'y' })).response.status).toBe('completed')
    await client.close()
  })

  it('a client that leaves in the middle ends its turn', async () => {
    bench.anthropic.play([{ say: 'on' }, { forever: { everyMs: 5 } }])
    const client = await open()
    client.send({ type: 'response.create', model, input: 'x' })
    await expect
      .poll(() => client.messages.some(({ type }) => type === 'response.output_text.delta'))
      .toBe(true)
    await client.close()
    await bench.anthropic.requests[0]?.waitForAbort()
  })

  it('Codex is kept waiting by events', async () => {
    bench.anthropic.play([{ wait: 300 }, { say: 'late' }])
    const client = await open({ headers: { 'user-agent': 'codex_exec/1' } })
    const { events } = await client.create({ model, input: 'x' })
    expect(events.filter(({ type }) => type === 'response.in_progress').length).toBeGreaterThan(1)
    await client.close()
  })
})

describe('clients that behave badly', () => {
  it.each([
    ['text that is not JSON', 'hello'],
    ['JSON that is no object', '[1]'],
    ['no type', '{}'],
    ['another type', '{"type":"response.steer"}'],
    ['a lane that is no string', '{"type":"response.create","stream_id":7}'],
    ['deep nesting', `{"type":"response.create","input":${'['.repeat(100)}${']'.repeat(100)}}`],
    ['nothing to answer', '{"type":"response.create","model":"m"}'],
    ['an empty message', ''],
  ])('%s is an error, and the connection goes on', async (_name, message) => {
    bench.anthropic.play([{ say: 'fine' }])
    const client = await open()
    client.send(message)
    expect((await client.turn()).events).toMatchObject([{ type: 'error', status: 400 }])
    expect((await client.create({ model, input: 'x' })).response.status).toBe('completed')
    await client.close()
  })

  it('binary messages end the connection', async () => {
    const client = await open()
    client.send(new Uint8Array([1, 2, 3]))
    expect(await client.closed).toBe(1003)
  })

  it('text that is not UTF-8, and a message beyond the limit', async () => {
    const { socket } = await rawUpgrade(bench.url, { key: one })
    let heard = ''
    socket.on('data', (bytes) => {
      heard += bytes.toString('latin1')
    })
    socket.write(clientFrame(1, Buffer.from([0xff, 0xfe])))
    await expect.poll(() => heard).toContain('not valid UTF-8')
    const closed = new Promise((resolve) => socket.on('close', resolve))
    const head = Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0x7f, 0, 0, 0, 1, 2, 3, 4])
    socket.write(head)
    const flood = setInterval(() => socket.write(Buffer.alloc(4 * 1024 * 1024)), 1)
    socket.on('error', () => undefined)
    await closed
    clearInterval(flood)
  })

  it('a flood of messages is refused beyond the limit, and the rest is served', async () => {
    bench.anthropic.play(...Array.from({ length: 16 }, () => [{ wait: 20 }, { say: 'x' }]))
    const client = await open()
    for (let at = 0; at < 40; at++) client.send({ type: 'response.create', model, input: 'x' })
    await expect
      .poll(() => client.messages.filter(({ type }) => type === 'response.completed').length)
      .toBe(16)
    const refused = client.messages.filter(({ type }) => type === 'error')
    expect(refused).toHaveLength(24)
    expect(refused[0]).toMatchObject({ status: 429, error: { code: 'websocket_stream_limit_reached' } })
    await client.close()
  })

  it('more lanes than allowed', async () => {
    const client = await open()
    for (let at = 0; at < 33; at++) {
      const turn = await client.create({ model, stream_id: `lane ${at}`, generate: false, input: 'x' })
      if (at < 32) expect(turn.response.status).toBe('completed')
      else expect(turn.error.code).toBe('websocket_stream_limit_reached')
    }
    await client.close()
  })

  it('the gateway stops: turns end, connections close', async () => {
    const stopped = await startBench()
    stopped.anthropic.play([{ say: 'on' }, { forever: { everyMs: 5 } }])
    const [busy, idle] = await Promise.all([SocketClient.open(stopped.url), SocketClient.open(stopped.url)])
    busy.send({ type: 'response.create', model, input: 'x' })
    await expect
      .poll(() => busy.messages.some(({ type }) => type === 'response.output_text.delta'))
      .toBe(true)
    await stopped.close()
    expect(await idle.closed).toBe(1001)
    expect([1001, 1006]).toContain(await busy.closed)
    expect(busy.messages.at(-1).type).toBe('response.failed')
  })
})
