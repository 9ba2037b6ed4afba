// The shared server: the queue of turns, the records of requests, and every fault, over real sockets.

import { request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startAnthropicSim } from './anthropic.ts'
import { parseScript } from './script.ts'
import type { Sim } from './server.ts'

let sim: Sim
beforeEach(async () => {
  sim = await startAnthropicSim()
})
afterEach(() => sim.close())

const BODY = { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] }

function post(extra: object = {}, init: RequestInit = {}) {
  return fetch(`${sim.url}/v1/messages`, {
    method: 'POST',
    headers: { 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
    body: JSON.stringify({ ...BODY, ...extra }),
    ...init,
  })
}
const stream = (init?: RequestInit) => post({ stream: true }, init)
const text = async (response: Promise<Response>) => (await response).text()

/** The chunks as they arrive, and how the answer ended. */
function chunksOf(extra: object): Promise<{ chunks: string[]; aborted: boolean }> {
  return new Promise((resolve, reject) => {
    const headers = { 'anthropic-version': '2023-06-01' }
    const chunks: string[] = []
    const request = httpRequest(`${sim.url}/v1/messages`, { method: 'POST', headers }, (response) => {
      response.on('data', (chunk: Buffer) => chunks.push(chunk.toString('latin1')))
      response.on('error', () => resolve({ chunks, aborted: true }))
      response.on('end', () => resolve({ chunks, aborted: false }))
    })
    request.on('error', (error) => (chunks.length > 0 ? resolve({ chunks, aborted: true }) : reject(error)))
    request.end(JSON.stringify({ ...BODY, ...extra }))
  })
}

describe('turns', () => {
  it('are played in order, and then the demo model answers', async () => {
    sim.play([{ say: 'first' }], { steps: [{ say: 'second' }] })
    expect(sim.queued).toBe(2)
    expect(await text(post())).toContain('first')
    expect(await text(post())).toContain('second')
    expect(await text(post())).toContain('simulated model')
  })

  it('wait for the request they are for', async () => {
    sim.play(
      { when: { model: 'b' }, steps: [{ say: 'for b' }] },
      { when: (request) => request.headers['x-who'] === 'c', steps: [{ say: 'for c' }] },
      { steps: [{ say: 'for any' }] },
    )
    expect(await text(post())).toContain('for any')
    expect(await text(post({ model: 'b' }))).toContain('for b')
    expect(sim.queued).toBe(1)
    const headers = { 'anthropic-version': '2023-06-01', 'x-who': 'c' }
    expect(await text(post({}, { headers }))).toContain('for c')
  })

  it('say what differed from what they expected', async () => {
    sim.play({ expect: { max_tokens: 7 }, steps: [{ say: 'x' }] })
    const response = await post()
    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { type: 'api_error', message: expect.stringContaining('body.max_tokens: wanted 7, got 100') },
    })
    expect(sim.requests[0]?.difference).toBe('body.max_tokens: wanted 7, got 100')
  })

  it('that fail themselves are shown, not fatal', async () => {
    sim.play({
      when: () => {
        throw new Error('a bad test')
      },
      steps: [],
    })
    const response = await post()
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining('a bad test')])
  })

  it('are not used up by refused requests', async () => {
    sim.play([{ say: 'kept' }])
    expect((await post({ nonsense: 1 })).status).toBe(400)
    expect(await text(post())).toContain('kept')
  })

  it('come from a script', async () => {
    const script = parseScript('{"script":1,"kind":"anthropic"}\n{"turn":{}}\n{"say":"scripted"}')
    await sim.close()
    sim = await startAnthropicSim({ script })
    expect(await text(post())).toContain('scripted')
  })

  it('must be of the simulator’s kind', async () => {
    const script = parseScript('{"script":1,"kind":"openai"}')
    await expect(startAnthropicSim({ script })).rejects.toThrow(
      'a script of kind "openai" on the anthropic simulator',
    )
  })
})

describe('records', () => {
  it('hold the request', async () => {
    const seen: string[] = []
    const own = await startAnthropicSim({ onRequest: ({ path }) => seen.push(path) })
    await fetch(`${own.url}/v1/models?limit=1`, { headers: { 'anthropic-version': '2023-06-01' } })
    expect(own.requests[0]).toMatchObject({ method: 'GET', path: '/v1/models', status: 200, bodyBytes: 0 })
    expect(own.requests[0]?.query.get('limit')).toBe('1')
    expect(seen).toEqual(['/v1/models'])
    own.clear()
    expect(own.requests).toEqual([])
    await own.close()
  })

  it('say when the client left', async () => {
    sim.play([{ say: 'x' }, { forever: { everyMs: 1 } }])
    const controller = new AbortController()
    const response = await stream({ signal: controller.signal })
    await response.body?.getReader().read()
    controller.abort()
    const left = await sim.requests[0]?.waitForAbort()
    expect(left).toBe(sim.requests[0]?.closedByClientAt)
    expect(left).toBeGreaterThan(0)
  })

  it('say when it did not', async () => {
    await text(stream())
    await expect(sim.requests[0]?.waitForAbort(1000)).rejects.toThrow('finished before')
    sim.play([{ fault: 'hang' }])
    stream().catch(() => undefined)
    while (sim.requests.length < 2) await sleep(5)
    await expect(sim.requests[1]?.waitForAbort(10)).rejects.toThrow('did not leave within 10 ms')
  })
})

describe('steps', () => {
  it('frame, raw and raw64 go out as they are, and nothing is added', async () => {
    sim.play([
      { raw64: Buffer.from('\uFEFF').toString('base64') },
      { raw: ': comment\r\n\r\n' },
      { frame: { type: 'ping' } },
      { frame: { a: 1 }, event: 'own' },
      { raw: 'data: {"half' },
    ])
    const bytes = Buffer.from(await (await stream()).arrayBuffer())
    expect(bytes.toString()).toBe(
      '\uFEFF: comment\r\n\r\nevent: ping\ndata: {"type":"ping"}\n\nevent: own\ndata: {"a":1}\n\ndata: {"half',
    )
  })

  it('frame and raw are the body of an answer that is no stream', async () => {
    sim.play([{ frame: { odd: true } }], [{ raw: '{"half' }])
    expect(await text(post())).toBe('{"odd":true}')
    expect(await text(post())).toBe('{"half')
  })

  it('status answers instead, with headers and any body', async () => {
    sim.play(
      [{ wait: 30 }, { status: 429, headers: { 'retry-after': '1' }, body: { error: 'slow' } }],
      [{ status: 502, body: '<html>Bad gateway</html>' }],
      [{ status: 503 }],
    )
    const started = Date.now()
    const limited = await stream()
    expect(Date.now() - started).toBeGreaterThanOrEqual(25)
    expect([limited.status, limited.headers.get('retry-after'), await limited.json()]).toEqual([
      429,
      '1',
      { error: 'slow' },
    ])
    const html = await post()
    expect([html.status, html.headers.get('content-type')]).toEqual([502, 'text/html; charset=utf-8'])
    expect(await html.text()).toBe('<html>Bad gateway</html>')
    expect((await post()).status).toBe(503)
  })

  it('wait holds the rest back', async () => {
    sim.play([{ say: 'a' }, { wait: 60 }, { say: 'b' }])
    const started = Date.now()
    await text(stream())
    expect(Date.now() - started).toBeGreaterThanOrEqual(55)
  })

  it('split sends every byte alone, until it is switched off', async () => {
    sim.play([{ split: 1 }, { raw: 'data: é\n\n' }, { split: 0 }, { raw: 'rest' }])
    const { chunks } = await chunksOf({ stream: true })
    expect(chunks.map(({ length }) => length)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 4])
  })

  it('split also cuts an answer that is no stream', async () => {
    sim.play([{ split: 3 }, { say: 'hello' }])
    const { chunks } = await chunksOf({})
    expect(Math.max(...chunks.map(({ length }) => length))).toBe(3)
    expect(JSON.parse(chunks.join('')).content[0].text).toBe('hello')
  })

  it('flood sends many deltas, streamed or whole', async () => {
    sim.play([{ flood: { deltas: 20_000, text: 'xy' } }], [{ flood: { deltas: 50, text: 'xy' } }])
    const events = (await text(stream())).split('\n\n')
    expect(events.filter((event) => event.includes('text_delta'))).toHaveLength(20_000)
    expect(events.at(-2)).toContain('message_stop')
    expect(JSON.parse(await text(post())).content[0].text).toBe('xy'.repeat(50))
  })

  it('flood honours backpressure', async () => {
    sim.play([{ flood: { deltas: 1_000_000, text: 'x'.repeat(100) } }])
    const controller = new AbortController()
    const before = process.memoryUsage().rss
    const response = await stream({ signal: controller.signal })
    await sleep(200)
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024)
    await response.body?.getReader().read()
    controller.abort()
    await sim.requests[0]?.waitForAbort()
  })

  it('flood can be slow', async () => {
    sim.play([{ flood: { deltas: 5, text: 'x', everyMs: 10 } }])
    const started = Date.now()
    await text(stream())
    expect(Date.now() - started).toBeGreaterThanOrEqual(45)
  })
})

describe('faults', () => {
  it('reset breaks the connection', async () => {
    sim.play([{ fault: 'reset' }], [{ say: 'something' }, { wait: 10 }, { fault: 'reset' }])
    await expect(stream()).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
    const { chunks, aborted } = await chunksOf({ stream: true })
    expect(aborted).toBe(true)
    expect(chunks.join('')).toContain('content_block_stop')
    expect(sim.requests[1]?.closedByClientAt).toBeUndefined()
  })

  it('fin ends the answer cleanly without its end', async () => {
    sim.play([{ say: 'something' }, { fault: 'fin' }, { say: 'never' }])
    const { chunks, aborted } = await chunksOf({ stream: true })
    expect(aborted).toBe(false)
    expect(chunks.join('')).toContain('content_block_stop')
    expect(chunks.join('')).not.toMatch(/message_delta|never/)
  })

  it('hang sends nothing more', async () => {
    sim.play([{ say: 'something' }, { fault: 'hang' }], [{ fault: 'hang' }])
    const controller = new AbortController()
    const response = await stream({ signal: controller.signal })
    const reader = response.body?.getReader()
    let received = ''
    while (!received.includes('content_block_stop'))
      received += Buffer.from((await reader?.read())?.value ?? []).toString()
    const more = reader?.read().then(
      () => 'more',
      () => 'aborted',
    )
    expect(await Promise.race([more, sleep(50, 'quiet')])).toBe('quiet')
    controller.abort()
    await sim.requests[0]?.waitForAbort()
    await expect(post({}, { signal: AbortSignal.timeout(50) })).rejects.toThrow()
  })

  it('truncate stops in the middle of the next frame', async () => {
    sim.play([{ say: 'something' }, { fault: 'truncate' }, { call: { name: 'read', arguments: {} } }])
    const { chunks, aborted } = await chunksOf({ stream: true })
    expect(aborted).toBe(false)
    const last = chunks.join('').split('\n\n').at(-1) ?? ''
    expect(last).toMatch(/^event: content_block_start\ndata: \{/)
    expect(() => JSON.parse(last.split('data: ')[1] ?? '')).toThrow()
  })

  it('fin and truncate cut an answer that is no stream', async () => {
    sim.play([{ say: 'x' }, { fault: 'fin' }], [{ say: 'x' }, { fault: 'truncate' }])
    const cut = await chunksOf({})
    expect(cut.aborted).toBe(false)
    expect(() => JSON.parse(cut.chunks.join(''))).toThrow()
    expect((await chunksOf({})).aborted).toBe(true)
  })

  it('close destroys what is open', async () => {
    sim.play([{ say: 'x' }, { fault: 'hang' }])
    const ended = chunksOf({ stream: true })
    while (sim.requests.length < 1) await sleep(5)
    await sim.close()
    await expect(ended.catch(() => ({ aborted: true }))).resolves.toMatchObject({ aborted: true })
  })
})

it('paces the demo model, which makes streaming visible', async () => {
  const slow = await startAnthropicSim({ paceMs: 5 })
  const started = Date.now()
  const response = await fetch(`${slow.url}/v1/messages`, {
    method: 'POST',
    headers: { 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ ...BODY, stream: true }),
  })
  const deltas = (await response.text()).split('\n\n').filter((event) => event.includes('text_delta'))
  expect(deltas.length).toBeGreaterThan(20)
  expect(Date.now() - started).toBeGreaterThan(100)
  await slow.close()
})
