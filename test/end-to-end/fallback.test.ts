// Model names: aliases with several backends, names without a backend, backends that are down.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startOpenAISim } from '../../sim/openai.ts'
import type { Step } from '../../sim/script.ts'
import type { Sim } from '../../sim/server.ts'
import { ask, type Bench, chat, chatStream, post, quickRetries, startBench, upstreamKey } from '../harness.ts'
import { startUpstream } from './wire.ts'

let bench: Bench
let second: Sim
let deadUrl: string

beforeAll(async () => {
  // No program listens there. A port that is free now may be taken by another test.
  deadUrl = 'http://127.0.0.1:1/v1'
  const sims = await startBench()
  second = await startOpenAISim({ models: ['gpt-4o', 'only-second', 'team/with-slash'] })
  bench = await startBench({
    settings: {
      backends: {
        openai: { kind: 'openai', baseUrl: `${sims.openai.url}/v1`, apiKey: upstreamKey },
        anthropic: { kind: 'anthropic', baseUrl: sims.anthropic.url, apiKey: upstreamKey },
        second: { kind: 'openai', baseUrl: `${second.url}/v1` },
        dead: { kind: 'openai', baseUrl: deadUrl },
      },
      models: {
        best: ['openai/gpt-4o', 'anthropic/claude-opus-5'],
        three: ['dead/a', 'openai/gpt-4o', 'anthropic/claude-opus-5'],
        back: ['anthropic/claude-opus-5', 'openai/gpt-4o'],
        alone: 'openai/gpt-4o',
        'gpt-5': 'anthropic/claude-opus-5',
        'openai/renamed': 'anthropic/claude-opus-5',
        lost: ['dead/a', 'dead/b'],
      },
    },
  })
  const close = bench.close
  bench = {
    ...bench,
    openai: sims.openai,
    anthropic: sims.anthropic,
    close: async () => void (await Promise.all([close(), sims.close(), second.close()])),
  }
})
afterAll(() => bench.close())
afterEach(() => {
  for (const sim of [bench.openai, bench.anthropic, second]) sim.clear()
})

const refused = (status: number, error: Record<string, unknown> = {}): Step[] => [
  { status, body: { error: { message: 'no', ...error } } },
]
const posts = (sim: Sim) => sim.requests.filter((request) => request.method === 'POST').length

describe('an alias with several backends', () => {
  it('the answer has no notes of the backend that failed', async () => {
    bench.anthropic.play(refused(500))
    const answer = await chat(bench.url, ask('back', { temperature: 1.7 }))
    const notes = answer.headers.get('x-dragoman-notes')
    expect(notes).toContain('the next of the alias was used')
    expect(notes).not.toContain('temperature')
  })

  it.each([401, 402, 403, 404, 408, 413, 429, 500, 502, 503, 529])(
    '%i: the next backend answers, and a note says so',
    async (status) => {
      for (const stream of [true, false]) {
        bench.openai.play(refused(status))
        bench.anthropic.play([{ say: 'from the second' }])
        const answer = await post(bench.url, ask('best', { stream }))
        expect(answer.status).toBe(200)
        expect(answer.headers.get('x-dragoman-notes')).toMatch(/openai\/gpt-4o failed .*next/)
        expect(await answer.text()).toContain(stream ? '"model":"best"' : 'from the second')
        expect([posts(bench.openai), posts(bench.anthropic)]).toEqual([1, 1])
        bench.openai.clear()
        bench.anthropic.clear()
      }
    },
  )

  it('a prompt too long for one may be short enough for the other', async () => {
    bench.openai.play(refused(400, { code: 'context_length_exceeded' }))
    expect((await chat(bench.url, ask('best'))).status).toBe(200)
    expect(posts(bench.anthropic)).toBe(1)
  })

  it.each([400, 422])('%i is wrong everywhere: no other is tried', async (status) => {
    for (const stream of [true, false]) {
      bench.openai.play(refused(status))
      const answer = await post(bench.url, ask('best', { stream }))
      expect(answer.status).toBe(400)
      expect(posts(bench.anthropic)).toBe(0)
    }
  })

  it.each(['reset', 'fin', 'truncate'] as const)('%s before the first token: the next one', async (fault) => {
    bench.openai.play([{ wait: 5 }, { fault }, { raw: 'data: {"x":"never whole"}\n\n' }])
    bench.anthropic.play([{ say: 'from the second' }])
    const answer = await chatStream(bench.url, ask('best'))
    expect(answer.problems).toEqual([])
    expect(answer.text).toBe('from the second')
  })

  it.each(['reset', 'fin'] as const)(
    '%s after the first token: an error, and no other is tried',
    async (fault) => {
      bench.openai.play([{ say: 'half' }, { wait: 5 }, { fault }])
      const answer = await chatStream(bench.url, ask('best'))
      expect(answer.text).toBe('half')
      expect(answer.error).toMatchObject({ type: 'server_error' })
      expect(posts(bench.anthropic)).toBe(0)
    },
  )

  it('is gone through to its end, each failure noted once', async () => {
    bench.openai.play(refused(500))
    const answer = await chat(bench.url, ask('three'))
    expect(answer.status).toBe(200)
    const notes = answer.headers.get('x-dragoman-notes') ?? ''
    expect(notes).toContain('dead/a failed')
    expect(notes).toContain('openai/gpt-4o failed')
    expect(answer.json.model).toBe('three')
  })

  it('the last failure is the answer when all fail', async () => {
    bench.openai.play(refused(500))
    bench.anthropic.play([
      { status: 529, body: { type: 'error', error: { type: 'overloaded_error', message: 'later' } } },
    ])
    const answer = await chat(bench.url, ask('best'))
    expect(answer.status).toBe(503)
    expect(answer.json.error.message).toContain('anthropic: later')
    expect((await chat(bench.url, ask('lost'))).status).toBe(503)
  })

  it('one retry comes before the next backend', async () => {
    const sims = await startBench()
    const other = await startBench({
      settings: {
        backends: {
          openai: { kind: 'openai', baseUrl: `${sims.openai.url}/v1`, apiKey: upstreamKey },
          anthropic: { kind: 'anthropic', baseUrl: sims.anthropic.url, apiKey: upstreamKey },
        },
        models: { best: ['openai/gpt-4o', 'anthropic/claude-opus-5'] },
      },
      gateway: { retryPolicy: quickRetries },
    })
    sims.openai.play(refused(500), refused(500), refused(500), refused(500))
    expect((await chat(other.url, ask('best'))).status).toBe(200)
    expect([posts(sims.openai), posts(sims.anthropic)]).toEqual([2, 1])
    await Promise.all([other.close(), sims.close()])
  })

  it('notes that came with the failed attempt say what happened to it, not to the answer', async () => {
    bench.anthropic.play([{ say: 'x' }])
    bench.openai.play(refused(500))
    const answer = await chat(bench.url, ask('best', { seed: 5 }))
    expect(answer.headers.get('x-dragoman-notes')).toContain('seed')
  })
})

describe('names', () => {
  it.each([
    ['alone', 'openai'],
    ['gpt-5', 'anthropic'],
    ['openai/renamed', 'anthropic'],
    ['openai/unlisted-model', 'openai'],
    ['gpt-4.1', 'openai'],
    ['claude-opus-5', 'anthropic'],
  ] as const)('%s goes to %s, and the answer carries the name as asked', async (name, to) => {
    const answer = await chat(bench.url, ask(name))
    expect(answer.status).toBe(200)
    expect(answer.json.model).toBe(name)
    expect(posts(bench[to])).toBe(1)
  })

  it.each(['only-second', 'team/with-slash', 'second/team/with-slash'])(
    '%s is found by the listing',
    async (name) => {
      expect((await chat(bench.url, ask(name))).status).toBe(200)
      expect(posts(second)).toBe(1)
    },
  )

  it('a name that two backends list is not guessed', async () => {
    const { status, json } = await chat(bench.url, ask('gpt-4o'))
    expect(status).toBe(404)
    expect(json.error.code).toBe('model_not_found')
    expect(json.error.message).toContain('openai/gpt-4o')
    expect(json.error.message).toContain('second/gpt-4o')
  })

  it('a model that the backend itself does not know: 404 model_not_found', async () => {
    const { status, json } = await chat(bench.url, ask('second/gpt-9'))
    expect(status).toBe(404)
    expect(json.error.code).toBe('model_not_found')
  })
})

describe('a backend that is down', () => {
  it('is left out of the list; the others and the aliases are there', async () => {
    const list = (await (await fetch(`${bench.url}/v1/models`)).json()) as { data: { id: string }[] }
    const ids = list.data.map((model) => model.id)
    expect(ids).toContain('openai/gpt-4o')
    expect(ids).toContain('anthropic/claude-opus-5')
    expect(ids).toContain('best')
    expect(ids.filter((id) => id.startsWith('dead/'))).toEqual([])
    expect(bench.logs.some((line) => line.includes('could not be listed') && line.includes('"dead"'))).toBe(
      true,
    )
  })

  it('in the other shape too', async () => {
    const headers = { 'anthropic-version': '2023-06-01' }
    const list = (await (await fetch(`${bench.url}/v1/models`, { headers })).json()) as {
      data: { type: string; id: string }[]
    }
    expect(list.data.find((model) => model.id === 'anthropic/claude-opus-5')).toMatchObject({ type: 'model' })
  })

  it('fails its own models only, and says what to do', async () => {
    const { status, json } = await chat(bench.url, ask('dead/x'))
    expect(status).toBe(503)
    expect(json.error.message).toContain('baseUrl')
    expect((await chat(bench.url, ask('alone'))).status).toBe(200)
  })

  it('the gateway starts without any backend that works', async () => {
    const alone = await startBench({ settings: { backends: { dead: { kind: 'openai', baseUrl: deadUrl } } } })
    expect((await fetch(`${alone.url}/readyz`)).status).toBe(200)
    expect(await (await fetch(`${alone.url}/v1/models`)).json()).toMatchObject({ data: [] })
    // Whether the model exists is not known before a backend can be listed.
    expect((await chat(alone.url, ask('gpt-4o'))).status).toBe(503)
    await alone.close()
  })

  it.each([
    ['HTML', '<html>'],
    ['an error', '{"error":{"message":"no"}}'],
    [
      'ids of the wrong type',
      '{"data":[{"id":5},null,"x",{"id":"good","created":"x","context_length":"y"}]}',
    ],
    ['no more than its list', '[{"id":"good"},{"id":5}]'],
    ['a date beyond all calendars', '{"data":[{"id":"good","created":1e300}]}'],
  ])('a listing with %s does no harm', async (_name, body) => {
    const upstream = await startUpstream((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(body)
    })
    const other = await startBench({
      settings: { backends: { odd: { kind: 'openai', baseUrl: upstream.url } } },
    })
    for (const headers of [{}, { 'anthropic-version': '2023-06-01' }] as Record<string, string>[]) {
      const answer = await fetch(`${other.url}/v1/models`, { headers })
      expect(answer.status).toBe(200)
      const { data } = (await answer.json()) as { data: { id: string }[] }
      expect(data.map((model) => model.id)).toEqual(body.includes('good') ? ['odd/good'] : [])
    }
    await Promise.all([other.close(), upstream.close()])
  })
})
