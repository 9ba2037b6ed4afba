// The circuit breaker: opens after 5 failed requests, and lets one request try after 30 s.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import { followUp, stream } from '../cursor-bench.ts'
import { ask, type Bench, chat, chatStream, post, startBench, user } from '../harness.ts'
import { expectNothingStray, until } from './wire.ts'

expectNothingStray()

const clock = { now: 0 }
const model = 'openai/gpt-demo'
let bench: Bench

beforeEach(async () => {
  clock.now = 0
  bench = await startBench({
    gateway: { breaker: { now: () => clock.now } },
    settings: { models: { both: ['openai/gpt-demo', 'anthropic/claude-demo'] } },
  })
})
afterEach(() => bench.close())

const status = (code: number): Step[] => [{ status: code, body: 'refused' }]
const tries = () => bench.openai.requests.filter(({ method }) => method === 'POST').length

async function fail(times: number, body = ask(model, { stream: true })) {
  bench.openai.play(...Array.from({ length: times }, () => status(500)))
  for (let request = 0; request < times; request++) expect((await post(bench.url, body)).status).toBe(500)
}
const breakerLines = () =>
  bench.logs
    .map((line) => JSON.parse(line) as { message: string })
    .filter(({ message }) => /left alone|works again/.test(message))
const gauge = async () =>
  /^dragoman_breaker_open\{.*/m.exec(await (await fetch(`${bench.url}/metrics`)).text())?.[0]

it('opens after five failures, streamed or whole, and closes after one success', async () => {
  await fail(3)
  await fail(2, ask(model, { stream: false }))
  expect(await gauge()).toBe('dragoman_breaker_open{backend="openai",model="gpt-demo"} 1')
  clock.now = 12_000
  const refused = await post(bench.url, ask(model))
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '18'])
  expect(await refused.json()).toMatchObject({
    error: {
      code: 'upstream_unavailable',
      message: expect.stringMatching(
        /^openai: "gpt-demo" failed 5 times in a row and is left alone for 18 s more; .* The last failure: HTTP 500\.$/,
      ),
    },
  })
  expect(tries()).toBe(5)
  clock.now = 30_000
  expect((await chat(bench.url, ask(model))).status).toBe(200)
  expect((await chat(bench.url, ask(model))).status).toBe(200)
  expect(await gauge()).toBeUndefined()
  expect(breakerLines()).toMatchObject([
    { level: 'warn', backend: 'openai', model: 'gpt-demo', openMs: 30_000 },
    { level: 'info', backend: 'openai', model: 'gpt-demo' },
  ])
})

it('one request tries; the others wait for what becomes of it, also when its client leaves', async () => {
  await fail(5)
  clock.now = 30_000
  bench.openai.play([{ fault: 'hang' }])
  const leaving = new AbortController()
  const probe = fetch(`${bench.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ask(model)),
    signal: leaving.signal,
  }).catch(() => undefined)
  await until(() => tries() === 6)
  expect((await post(bench.url, ask(model))).status).toBe(503)
  leaving.abort()
  await probe
  await bench.openai.requests.at(-1)?.waitForAbort()
  expect((await chat(bench.url, ask(model))).status).toBe(200)
  expect(tries()).toBe(7)
})

it('the next backend of an alias answers at once', async () => {
  await fail(5)
  const answer = await chat(bench.url, ask('both'))
  expect(answer.status).toBe(200)
  expect(answer.headers.get('x-dragoman-notes')).toContain(
    'openai/gpt-demo has failed too often and is left alone for now; the next of the alias was used',
  )
  expect(tries()).toBe(5)
  expect(await (await fetch(`${bench.url}/metrics`)).text()).toContain(
    'dragoman_breaker_refused_total{backend="openai",model="gpt-demo"} 1',
  )
})

it('refusals of the service, failures after the first token and clients that disconnect never count', async () => {
  const statuses = [400, 401, 403, 404, 408, 413, 429]
  for (const code of [...statuses, ...statuses]) {
    bench.openai.play(status(code))
    expect((await post(bench.url, ask(model))).status).toBeGreaterThanOrEqual(400)
  }
  for (let request = 0; request < 6; request++) {
    bench.openai.play([{ say: 'x' }, { wait: 5 }, { fault: 'reset' }])
    expect((await chatStream(bench.url, ask(model))).error).toBeDefined()
  }
  expect((await chat(bench.url, ask(model))).status).toBe(200)
  expect(breakerLines()).toEqual([])
})

describe('a run that waits for results', () => {
  it('gets them: that is not a new call', async () => {
    const cursor = { kind: 'cursor', baseUrl: bench.cursor.url, apiKey: 'crsr_test', transport: 'http2' }
    const other = await startBench({
      settings: { backends: { cursor } },
      gateway: { breaker: { now: () => 0 } },
    })
    const body = ask('cursor/composer-2', { messages: [user('read it')] })
    bench.cursor.play([
      { exec: { read: { path: 'a' } } },
      { await: 'results' },
      { say: 'done' },
      { end: true },
    ])
    const called = await stream(other.url, body)
    expect(called.calls).toHaveLength(1)
    bench.cursor.play(
      ...Array.from({ length: 6 }, () => [{ error: { code: 'unavailable', message: 'down' } }]),
    )
    for (let request = 0; request < 5; request++) expect((await post(other.url, body)).status).toBe(503)
    const runs = bench.cursor.runs.length
    expect((await post(other.url, body)).headers.get('retry-after')).toBe('30')
    const after = await stream(other.url, followUp(body, called, ['contents']))
    expect([after.text, after.headers.get('x-dragoman-session')]).toEqual(['done', 'live'])
    // What it was has been shown to live, not that others can begin.
    expect((await post(other.url, body)).headers.get('retry-after')).toBe('30')
    expect(bench.cursor.runs.length).toBe(runs)
    await other.close()
  })
})
