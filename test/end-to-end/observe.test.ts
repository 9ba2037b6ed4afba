// Observation of turns: headers, log, metrics, usage.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { scaled } from '../depth.ts'
import { ask, readTool } from '../harness.ts'
import { chunk, done } from '../wire-cases/frames.ts'
import { canaries, type Observed, startObserved } from './observed.ts'
import { until } from './wire.ts'

let observed: Observed
beforeAll(async () => {
  observed = await startObserved()
})
afterAll(() => observed.close())
beforeEach(() => observed.clear())

describe('x-dragoman-turn', () => {
  it.each([
    ['success', ask('openai/gpt-demo'), 200],
    ['a stream', ask('openai/gpt-demo', { stream: true }), 200],
    ['an unknown model', ask('nothing'), 404],
    ['a dead backend', ask('dead/x'), 503],
  ])('%s: in the answer and in the log', async (_name, body, status) => {
    const answer = await observed.call(body)
    expect(answer.status).toBe(status)
    const turn = answer.headers.get('x-dragoman-turn') ?? 'none'
    expect(turn).toMatch(/^turn_[A-Za-z0-9]{16}$/)
    const lines = observed.logs
      .map((line) => JSON.parse(line))
      .filter((line) => line.turn === turn && line.message === 'turn')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({ key: 'laptop', door: 'openai-chat', model: body.model })
  })

  it('each has its own', async () => {
    const turns = await Promise.all(Array.from({ length: 50 }, () => observed.call(ask('openai/gpt-demo'))))
    expect(new Set(turns.map((answer) => answer.headers.get('x-dragoman-turn'))).size).toBe(50)
  })
})

describe('x-dragoman-notes', () => {
  it('are ASCII, and no longer than a header may be', async () => {
    const name = `r\u00e9ad\u{1f600}\r\nx: y\0${'\u4e2d'.repeat(3_000)}`
    const tools = [
      { ...readTool, function: { ...readTool.function, name } },
      { type: `web\u{1f600}\nsearch` },
    ]
    for (const stream of [true, false]) {
      const answer = await observed.call(ask('anthropic/claude-demo', { tools, stream }))
      expect(answer.status).toBe(200)
      const notes = answer.headers.get('x-dragoman-notes') ?? ''
      expect(notes).toMatch(/^[\x20-\x7e]+$/)
      expect(notes.length).toBeLessThanOrEqual(2_000)
    }
  })

  it('a failed turn has its notes, too', async () => {
    observed.anthropic.play([
      { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message: 'no' } } },
    ])
    const answer = await observed.call(ask('anthropic/claude-demo', { seed: 5 }))
    expect(answer.status).toBe(400)
    expect(answer.headers.get('x-dragoman-notes') ?? 'no notes').toContain('seed')
  })
})

describe('usage', () => {
  const counted = { prompt_tokens: 11, completion_tokens: 5, total_tokens: 16 }

  async function lineOf(answer: { headers: Headers }) {
    const turn = answer.headers.get('x-dragoman-turn')
    let found: Record<string, unknown> | undefined
    for (let tries = 0; tries < 100 && !found; tries++) {
      found = (await observed.usage()).find((line) => line.turn === turn)
      if (!found) await new Promise((resolve) => setTimeout(resolve, 10))
    }
    return found
  }

  it.each([true, false])("is one line per turn, with the upstream's counts (stream: %s)", async (stream) => {
    observed.openai.play([{ say: 'x' }, { end: 'stop', usage: counted }])
    const answer = await observed.call(ask('openai/gpt-demo', { stream }), { key: canaries.other })
    expect(await lineOf(answer)).toMatchObject({
      key: 'desk',
      model: 'openai/gpt-demo',
      backend: 'openai',
      outcome: 'stop',
      inputTokens: 11,
      outputTokens: 5,
      milliseconds: expect.any(Number),
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    })
    expect(await lineOf(answer)).not.toHaveProperty('estimated')
  })

  it('is the backend that answered, where an alias fell back', async () => {
    const answer = await observed.call(ask('fallen'))
    expect(await lineOf(answer)).toMatchObject({ model: 'openai/gpt-demo', backend: 'openai' })
  })

  it('is estimated where the upstream does not count', async () => {
    const uncounted = [chunk({ role: 'assistant', content: 'twelve chars' }), chunk({}, 'stop'), done]
    observed.openai.play(uncounted)
    const answer = await observed.call(
      ask('openai/gpt-demo', { stream: true, stream_options: { include_usage: true } }),
    )
    expect(await lineOf(answer)).toMatchObject({
      estimated: true,
      outputTokens: 3,
      inputTokens: expect.any(Number),
    })
    expect(((await lineOf(answer))?.inputTokens as number) > 10).toBe(true)
    expect(answer.text).toContain('"completion_tokens":3')
  })

  it('is estimated for a body of unstated length too', async () => {
    observed.openai.play([chunk({ role: 'assistant', content: 'x' }), chunk({}, 'stop'), done])
    const body = new Blob([JSON.stringify(ask('openai/gpt-demo', { stream: true }))]).stream()
    const answer = await observed.send({ body, duplex: 'half' })
    expect(((await lineOf(answer))?.inputTokens as number) > 10).toBe(true)
  })

  it('counts failed turns, but not those without a backend', async () => {
    observed.openai.play([{ status: 500, body: {} }])
    expect(await lineOf(await observed.call(ask('openai/gpt-demo')))).toMatchObject({
      outcome: 'upstream-unavailable',
    })
    const before = (await observed.usage()).length
    await observed.call(ask('nothing'))
    await observed.call('{')
    await observed.call(ask('x'), { key: 'wrong' })
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect((await observed.usage()).length).toBe(before)
  })
})

describe('metrics', () => {
  const value = (text: string, name: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')
        .at(-1) ?? 0,
    )

  it('count turns and tokens by key', async () => {
    const turns = 'dragoman_turns_total{key="desk",backend="openai",model="gpt-demo",outcome="stop"}'
    const tokens = (direction: string) =>
      `dragoman_tokens_total{key="desk",backend="openai",model="gpt-demo",direction="${direction}"}`
    const before = await observed.metrics()
    for (const stream of [true, false]) {
      observed.openai.play([
        { say: 'x' },
        { end: 'stop', usage: { prompt_tokens: 11, completion_tokens: 5, total_tokens: 16 } },
      ])
      await observed.call(ask('openai/gpt-demo', { stream }), { key: canaries.other })
    }
    const after = await observed.metrics()
    const grown = (name: string) => value(after, name) - value(before, name)
    expect([grown(turns), grown(tokens('input')), grown(tokens('output'))]).toEqual([2, 22, 10])
    expect(grown('dragoman_turn_seconds_count{backend="openai"}')).toBe(2)
    expect(grown('dragoman_first_output_seconds_count{backend="openai"}')).toBe(2)
  })

  it('count refusals and failed turns', async () => {
    const refusals = (code: string) => `dragoman_requests_refused_total{code="${code}"}`
    const before = await observed.metrics()
    await observed.call('{')
    await observed.call(ask('x'), { key: 'wrong' })
    observed.openai.play([{ status: 429, body: {} }])
    await observed.call(ask('openai/gpt-demo'))
    const after = await observed.metrics()
    for (const code of ['invalid-request', 'unauthenticated', 'rate-limited'])
      expect(value(after, refusals(code)) - value(before, refusals(code))).toBe(1)
    expect(after).toContain('model="gpt-demo",outcome="rate-limited"')
  })

  it('are valid for Prometheus with any model name', async () => {
    await observed.call(ask('openai/a"b\\c\nd{}= \u00e9'))
    const line = /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{([a-z]+="([^"\\\n]|\\[\\"n])*",?)+\})? [0-9.e+-]+)$/
    for (const text of (await observed.metrics()).trim().split('\n')) expect(text).toMatch(line)
  })

  it('do not grow with every name that a client makes up', async () => {
    const before = (await observed.metrics()).length
    await Promise.all(
      Array.from({ length: scaled(400, 150) }, (_, at) => observed.call(ask(`openai/made-up-${at}`))),
    )
    await observed.call(ask(`openai/${'x'.repeat(100_000)}`))
    expect((await observed.metrics()).length - before).toBeLessThan(60_000)
  })

  it('show the turns in progress', async () => {
    observed.openai.play([{ wait: 200 }, { say: 'x' }])
    const pending = observed.call(ask('openai/gpt-demo'))
    await until(() => observed.openai.requests.length === 1)
    expect(value(await observed.metrics(), 'dragoman_active_requests')).toBe(2)
    await pending
    expect(value(await observed.metrics(), 'dragoman_active_requests')).toBe(1)
  })
})
