// A request that is too long for its model goes to the next model of its alias.

import { describe, expect, it } from 'vitest'
import { startQwenWebSim } from '../../sim/qwen-web.ts'
import { atTestEnd } from '../at-end.ts'
import { type Body, chat, post, startGateway, upstreamKey, useBench, user } from '../harness.ts'
import { as, keys, row, start, tooLong } from './route-parts.ts'

const models = {
  claude: [row({ inputTokens: '>900000' }, 'gemini/gemini-3.8-flash'), 'anthropic/claude-haiku-4-5'],
  composer: [row({ inputTokens: '>900000' }, 'gemini/gemini-3.8-flash'), 'cursor/composer-2'],
  google: ['gemini/gemini-3.8-flash', 'openai/rest'],
  chat: ['openai/rest', 'anthropic/claude-haiku-4-5'],
  closed: [
    row({ key: 'ci', inputTokens: '>900000' }, 'gemini/gemini-3.8-flash'),
    'anthropic/claude-haiku-4-5',
  ],
  sizes: ['anthropic/claude-sonnet-5', 'anthropic/claude-haiku-4-5', 'gemini/gemini-3.8-flash'],
}

const bench = useBench({
  settings: { auth: { keys }, models },
  openai: { lenient: true },
  gateway: { keys },
})
const asked = (sim = bench.openai) =>
  sim.requests.filter(({ method }) => method === 'POST').map(({ body }) => (body as Body).model)

describe('a request that is too long', () => {
  it.each([
    ['claude', () => bench.anthropic.play([tooLong.anthropic]), () => bench.gemini],
    ['google', () => bench.gemini.play([tooLong.gemini]), () => bench.openai],
    ['chat', () => bench.openai.play([tooLong.openai]), () => bench.anthropic],
    [
      'composer',
      () => {
        const details = { error: 43, title: 'Too long' }
        bench.cursor.play([{ error: { code: 'resource_exhausted', message: 'Error', details } }])
      },
      () => bench.gemini,
    ],
  ] as const)('%s: the next model answers', async (model, play, next) => {
    for (const stream of [true, false]) {
      play()
      const answer = await post(bench.url, { ...start(model), stream }, as('laptop'))
      expect(answer.status).toBe(200)
      expect(answer.headers.get('x-dragoman-notes')).toMatch(
        /failed \(context-overflow\); the next of the alias/,
      )
      await answer.text()
      expect(next().requests.filter(({ method }) => method === 'POST')).toHaveLength(stream ? 1 : 2)
    }
  })

  it('at the Responses API and at the Qwen web chat, too', async () => {
    const qwen = await startQwenWebSim({ apiKey: 'token-0123456789' })
    const openai = { kind: 'openai', baseUrl: `${bench.openai.url}/v1`, apiKey: upstreamKey }
    const { gateway, url } = await startGateway({
      backends: {
        openai,
        responses: { ...openai, api: 'responses' },
        qwen: { kind: 'qwen-web', baseUrl: qwen.url, token: 'token-0123456789' },
      },
      models: { responses: ['responses/first', 'openai/rest'], web: ['qwen/qwen3-max', 'openai/rest'] },
    })
    atTestEnd(async () => {
      await gateway.close()
      await qwen.close()
    })
    bench.openai.play([tooLong.openai])
    expect((await chat(url, start('responses'))).status).toBe(200)
    expect(asked()).toEqual(['first', 'rest'])
    const { status } = await chat(url, { ...start('web'), messages: [user('x'.repeat(140_000))] })
    expect([status, asked().length]).toEqual([200, 3])
  })

  it('passes over a model that is known to be no larger', async () => {
    bench.anthropic.play([tooLong.anthropic])
    const { status } = await chat(bench.url, start('sizes'), as('laptop'))
    expect(status).toBe(200)
    expect(asked(bench.anthropic)).toEqual(['claude-sonnet-5'])
  })

  it('does not take a row of another key', async () => {
    bench.anthropic.play([tooLong.anthropic])
    const { status, json } = await chat(bench.url, start('closed'), as('laptop'))
    expect([status, json.error.code]).toEqual([400, 'context_length_exceeded'])
    expect(bench.gemini.requests.filter(({ method }) => method === 'POST')).toEqual([])
    bench.anthropic.play([tooLong.anthropic])
    expect((await chat(bench.url, start('closed'), as('ci'))).status).toBe(200)
  })

  it('stays an error after the first byte', async () => {
    bench.openai.play([{ say: 'half' }, { frame: tooLong.openai.body }])
    const answer = await post(bench.url, { ...start('chat'), stream: true }, as('laptop'))
    expect(await answer.text()).toMatch(/"ha".*"lf".*context_length_exceeded/s)
    expect(asked(bench.anthropic)).toEqual([])
  })
})
