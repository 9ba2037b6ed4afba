// Retries: at most two, before the first byte, for temporary errors, after the delay that the upstream requests.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startQwenWebSim } from '../../sim/qwen-web.ts'
import type { Step } from '../../sim/script.ts'
import { atTestEnd } from '../at-end.ts'
import { spread } from '../depth.ts'
import {
  ask,
  type Bench,
  chatStream,
  post,
  quickRetries,
  startBench,
  startGateway,
  upstreamKey,
} from '../harness.ts'
import { chunk, messageStart } from '../wire-cases/frames.ts'
import { freePort, startUpstream, until } from './wire.ts'

const models = { anthropic: 'anthropic/claude-demo', openai: 'openai/gpt-demo' }
type Backend = keyof typeof models
let bench: Bench

// Each test has its own gateway, because retries have a budget.
beforeEach(async () => {
  bench = await startBench({ gateway: { retryPolicy: quickRetries } })
})
afterEach(() => bench.close())

const status = (code: number, headers: Record<string, string> = {}): Step[] => [
  { status: code, headers, body: 'refused' },
]

describe.each(spread(['anthropic', 'openai'] as const, 1))('%s', (backend: Backend) => {
  const tries = () => bench[backend].requests.filter((request) => request.method === 'POST').length
  const slowUrl = (of: Bench) => of[backend].url + (backend === 'openai' ? '/v1' : '')
  const asked = (stream: boolean) => post(bench.url, ask(models[backend], { stream }))

  it.each(spread([408, 429, 500, 502, 503, 529], 3))('%i is tried three times in all', async (code) => {
    for (const stream of [true, false]) {
      bench[backend].play(...Array.from({ length: 5 }, () => status(code)))
      expect((await asked(stream)).status).toBeGreaterThanOrEqual(400)
      expect(tries()).toBe(3)
      bench[backend].clear()
    }
  })

  it.each(spread([408, 429, 500, 502, 503, 529], 3))('%i once is not seen by the client', async (code) => {
    for (const stream of [true, false]) {
      bench[backend].play(status(code))
      expect((await asked(stream)).status).toBe(200)
      expect(tries()).toBe(2)
      bench[backend].clear()
    }
  })

  it.each(spread([301, 307, 400, 401, 402, 403, 404, 405, 409, 413, 415, 422, 451], 5))(
    '%i is final',
    async (code) => {
      for (const stream of [true, false]) {
        bench[backend].play(...Array.from({ length: 5 }, () => status(code)))
        expect((await asked(stream)).status).toBeGreaterThanOrEqual(400)
        expect(tries()).toBe(1)
        bench[backend].clear()
      }
    },
  )

  it.each(['reset', 'fin'] as const)('%s before the first token is tried again', async (fault) => {
    const start = backend === 'anthropic' ? messageStart : chunk({ role: 'assistant', content: '' })
    bench[backend].play([{ fault }], [start, { wait: 5 }, { fault }])
    const answer = await chatStream(bench.url, ask(models[backend]))
    expect(answer.status).toBe(200)
    expect(answer.problems).toEqual([])
    expect(answer.finishReason).toBe('stop')
    expect(tries()).toBe(3)
  })

  it.each(['reset', 'fin'] as const)('%s after the first token is not', async (fault) => {
    bench[backend].play([{ say: 'x' }, { wait: 5 }, { fault }])
    const answer = await chatStream(bench.url, ask(models[backend]))
    expect(answer.error).toBeDefined()
    expect(tries()).toBe(1)
  })

  it('a turn that took too long is not paid for again', async () => {
    const slow = await startBench({
      settings: {
        backends: {
          [backend]: { kind: backend, baseUrl: slowUrl(bench), apiKey: upstreamKey, firstByteMs: 100 },
        },
      },
      gateway: { retryPolicy: quickRetries },
    })
    bench[backend].play([{ fault: 'hang' }], [{ fault: 'hang' }], [{ fault: 'hang' }])
    expect((await post(slow.url, ask(models[backend], { stream: false }))).status).toBe(504)
    expect(tries()).toBe(1)
    await slow.close()
  })

  it('Retry-After is waited for', async () => {
    bench[backend].play(status(429, { 'retry-after-ms': '200' }))
    const startedAt = Date.now()
    expect((await asked(false)).status).toBe(200)
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(190)
    expect(tries()).toBe(2)
  })

  it('a Retry-After that is too long is handed to the client instead', async () => {
    bench[backend].play(status(429, { 'retry-after': '2' }), status(503, { 'retry-after': '60' }))
    const first = await asked(true)
    const second = await asked(false)
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '2'])
    expect([second.status, second.headers.get('retry-after')]).toEqual([503, '60'])
    expect(tries()).toBe(2)
  })

  it("a broken backend does not use up another's retries", async () => {
    const other = backend === 'openai' ? 'anthropic' : 'openai'
    bench[backend].play(...Array.from({ length: 100 }, () => status(500)))
    for (let request = 0; request < 20; request++) await asked(false)
    bench[other].play(status(500), status(503))
    expect((await post(bench.url, ask(models[other]))).status).toBe(200)
  })

  it('retries are rationed: a dead upstream is not hit three times as hard', async () => {
    bench[backend].play(...Array.from({ length: 200 }, () => status(500)))
    for (let request = 0; request < 40; request++) await asked(false)
    expect(tries()).toBeGreaterThan(45)
    expect(tries()).toBeLessThan(65)
  })
})

describe('the other kinds', () => {
  interface Refusing {
    clear(): void
    play(...turns: { status: number }[][]): void
  }
  const qwenToken = 'eyJ-test'
  const cursor = (url: string, transport: string) => ({
    kind: 'cursor',
    baseUrl: url,
    apiKey: 'crsr_test',
    transport,
  })
  const kinds = {
    'cursor over HTTP/2': async () => ({
      sim: bench.cursor as Refusing,
      backend: cursor(bench.cursor.url, 'http2'),
    }),
    'cursor over HTTP/1.1': async () => ({
      sim: bench.cursor as Refusing,
      backend: cursor(bench.cursor.url, 'sse'),
    }),
    'tools as text': async () => ({
      sim: bench.text as Refusing,
      backend: { kind: 'openai', baseUrl: `${bench.text.url}/v1`, apiKey: upstreamKey, tools: 'text' },
    }),
    'qwen-web': async () => {
      const sim = await startQwenWebSim({ apiKey: qwenToken })
      atTestEnd(() => sim.close())
      return { sim: sim as Refusing, backend: { kind: 'qwen-web', baseUrl: sim.url, token: qwenToken } }
    },
  }
  const namesOf = { cursor: 'composer-2', openai: 'any-text', 'qwen-web': 'qwen3-max' }

  it.each(Object.entries(kinds))(
    '%s: 408, 429 and 5xx three times in all, other 4xx once',
    async (_kind, start) => {
      const { sim, backend } = await start()
      const { url, logs, gateway } = await startGateway(
        { backends: { it: backend } },
        { retryPolicy: quickRetries },
      )
      atTestEnd(() => gateway.close())
      const retriesOf = async (code: number) => {
        logs.length = 0
        sim.clear()
        sim.play(...Array.from({ length: 5 }, () => [{ status: code, body: 'refused' }]))
        const model = `it/${namesOf[backend.kind as keyof typeof namesOf]}`
        const answer = await post(url, ask(model, { stream: code % 2 === 0 }))
        expect(answer.status).toBeGreaterThanOrEqual(400)
        return logs.filter((line) => line.includes('an upstream attempt failed')).length
      }
      for (const code of [408, 429, 500, 503, 529]) expect([code, await retriesOf(code)]).toEqual([code, 2])
      for (const code of [400, 403, 404, 413, 425]) expect([code, await retriesOf(code)]).toEqual([code, 0])
    },
  )
})

it('a connection that is refused is tried again', async () => {
  const port = await freePort()
  const other = await startBench({
    settings: { backends: { openai: { kind: 'openai', baseUrl: `http://127.0.0.1:${port}/v1` } } },
    gateway: { retryPolicy: quickRetries },
  })
  expect((await post(other.url, ask(models.openai))).status).toBe(503)
  const turn = other.logs.filter((line) => line.includes('an upstream attempt failed'))
  expect(turn).toHaveLength(2)
  await other.close()
})

it('an idle connection that the upstream closed is not a failure', async () => {
  let served = 0
  const upstream = await startUpstream((request, response) => {
    request.on('end', () => {
      served++
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end('{"choices":[{"index":0,"message":{"content":"x"},"finish_reason":"stop"}]}')
      setImmediate(() => response.socket?.destroy())
    })
  })
  const other = await startBench({
    settings: { backends: { openai: { kind: 'openai', baseUrl: upstream.url } } },
    gateway: { retryPolicy: quickRetries },
  })
  for (let request = 0; request < 10; request++)
    expect((await post(other.url, ask(models.openai))).status).toBe(200)
  expect(served).toBe(10)
  await Promise.all([other.close(), upstream.close()])
})

describe('after 15 s of silence', () => {
  afterEach(() => vi.useRealTimers())

  /** Only the ticks of the keep-alive are made to pass. */
  async function silence(): Promise<void> {
    for (let tick = 0; tick < 3; tick++) vi.advanceTimersByTime(5_000)
  }

  it('keep-alives go out, and an error that comes then is in the stream', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    bench.openai.play([{ wait: 200 }, ...status(500)])
    const pending = post(bench.url, ask(models.openai, { stream: true }))
    await until(() => bench.openai.requests.length === 1)
    await silence()
    const answer = await pending
    expect(answer.status).toBe(200)
    const text = await answer.text()
    expect(text).toMatch(/^: keepalive\n/)
    expect(text).toContain('"error"')
    expect(text).not.toContain('finish_reason')
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  it('keep-alives do not come between the lines of an answer', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    bench.openai.play([{ say: 'a' }, { wait: 100 }, { say: 'b' }])
    const pending = chatStream(bench.url, ask(models.openai))
    await until(() => bench.openai.requests.length === 1)
    await new Promise((resolve) => setTimeout(resolve, 30))
    await silence()
    const answer = await pending
    expect(answer.problems).toEqual([])
    expect(answer.text).toBe('ab')
    expect(answer.comments).toContain(': keepalive')
  })

  it('a Retry-After that was waited for is not waited for in vain', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    bench.openai.play(status(429, { 'retry-after-ms': '200' }), [{ say: 'at last' }])
    const pending = chatStream(bench.url, ask(models.openai))
    // The gateway's word for it, not the simulator's: keep-alives that go out before the refusal has arrived make it final.
    await until(() => bench.logs.some((line) => line.includes('an upstream attempt failed')))
    await silence()
    const answer = await pending
    expect(answer.error).toBeUndefined()
    expect(answer.text).toBe('at last')
  })
})
