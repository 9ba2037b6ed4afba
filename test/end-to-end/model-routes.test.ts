// Routes by need: the row of an alias that a request takes at every door, and tool loops that stay with their model.

import { describe, expect, it } from 'vitest'
import { readEnvironment } from '../../src/config/environment.ts'
import { parseConfig } from '../../src/config/load.ts'
import { png } from '../claude-code/requests.ts'
import { answerOf, followUp } from '../cursor-bench.ts'
import { spread } from '../depth.ts'
import { type Body, chat, readTool, startGateway, upstreamKey, useBench, user } from '../harness.ts'
import { as, history, keys, row, start, step, tooLong } from './route-parts.ts'

const models = {
  best: [
    row({ background: true }, 'openai/small'),
    row({ inputTokens: '>2000' }, 'openai/long'),
    row({ images: true }, 'openai/seeing'),
    row({ thinking: true }, 'openai/thinker'),
    row({ client: 'codex' }, 'openai/coder'),
    row({ key: 'ci' }, 'openai/cheap'),
    'openai/rest',
  ],
  loop: [row({ inputTokens: '>2000' }, 'openai/long'), row({ images: true }, 'openai/seeing'), 'openai/rest'],
  parked: [row({ inputTokens: '>2000' }, 'openai/long'), 'cursor/composer-2'],
  shared: [
    row({ key: 'ci' }, ['openai/rest', 'openai/cheap']),
    row({ inputTokens: '>2000' }, 'openai/long'),
    'openai/rest',
  ],
  boss: [row({ key: 'ci' }, 'cursor/composer-2'), 'openai/rest'],
  claude: [row({ inputTokens: '>900000' }, 'gemini/gemini-3.8-flash'), 'anthropic/claude-haiku-4-5'],
  closed: [
    row({ key: 'ci', inputTokens: '>900000' }, 'gemini/gemini-3.8-flash'),
    'anthropic/claude-haiku-4-5',
  ],
}

const bench = useBench({
  settings: { auth: { keys }, models },
  openai: { lenient: true },
  gateway: { keys },
})

interface Need {
  isLong?: boolean
  words?: string
  image?: boolean
  thinking?: boolean
  tools?: boolean
}

const long = 'much to read '.repeat(900)
const parameters = { type: 'object', properties: { path: { type: 'string' } } }

const doors = {
  chat: ({ isLong, words = isLong ? long : 'hello', image, thinking, tools = true }: Need) => ({
    path: '/v1/chat/completions',
    body: {
      model: 'best',
      messages: [
        user([
          { type: 'text', text: words },
          ...(image ? [{ type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }] : []),
        ]),
      ],
      ...(thinking && { reasoning_effort: 'high' }),
      ...(tools && { tools: [readTool] }),
    },
  }),
  responses: ({ isLong, words = isLong ? long : 'hello', image, thinking, tools = true }: Need) => ({
    path: '/v1/responses',
    body: {
      model: 'best',
      input: [
        user([
          { type: 'input_text', text: words },
          ...(image ? [{ type: 'input_image', image_url: `data:image/png;base64,${png}` }] : []),
        ]),
      ],
      ...(thinking && { reasoning: { effort: 'high' } }),
      ...(tools && { tools: [{ type: 'function', name: 'read', parameters }] }),
    },
  }),
  messages: ({ isLong, words = isLong ? long : 'hello', image, thinking, tools = true }: Need) => ({
    path: '/v1/messages',
    body: {
      model: 'best',
      max_tokens: 4096,
      messages: [
        user([
          { type: 'text', text: words },
          ...(image
            ? [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } }]
            : []),
        ]),
      ],
      ...(thinking && { thinking: { type: 'enabled', budget_tokens: 2048 } }),
      ...(tools && { tools: [{ name: 'read', input_schema: parameters }] }),
    },
  }),
  gemini: ({ isLong, words = isLong ? long : 'hello', image, thinking, tools = true }: Need) => ({
    path: '/v1beta/models/best:generateContent',
    body: {
      contents: [
        {
          role: 'user',
          parts: [{ text: words }, ...(image ? [{ inlineData: { mimeType: 'image/png', data: png } }] : [])],
        },
      ],
      ...(thinking && { generationConfig: { thinkingConfig: { thinkingLevel: 'high' } } }),
      ...(tools && { tools: [{ functionDeclarations: [{ name: 'read', parameters }] }] }),
    },
  }),
} satisfies Record<string, (need: Need) => { path: string; body: Body }>

async function ask(door: keyof typeof doors, need: Need, headers: Record<string, string> = as('laptop')) {
  const { path, body } = doors[door](need)
  const answer = await fetch(bench.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  await answer.text()
  return { status: answer.status, notes: answer.headers.get('x-dragoman-notes') ?? '' }
}

const asked = (sim = bench.openai) =>
  sim.requests.filter(({ method }) => method === 'POST').map(({ body }) => (body as Body).model)
const claudeCode = { ...as('laptop'), 'user-agent': 'claude-cli/2.1.325 (external, cli)' }
const codex = { ...as('laptop'), 'user-agent': 'codex_cli_rs/1.0' }

describe.each(spread(Object.keys(doors) as (keyof typeof doors)[], 2))('%s', (door) => {
  it.each<[string, Need, Record<string, string> | undefined]>([
    ['rest', {}, undefined],
    ['long', { isLong: true }, undefined],
    ['seeing', { image: true }, undefined],
    ['thinker', { thinking: true }, undefined],
    ['coder', {}, codex],
    ['cheap', {}, as('ci')],
    ['small', { tools: false }, claudeCode],
    // With tools it is a turn of the conversation, and without them another client's.
    ['rest', {}, claudeCode],
    ['rest', { tools: false }, undefined],
    // The first row that fits.
    ['long', { isLong: true, image: true, thinking: true }, as('ci')],
  ])('%s: %j', async (model, need, headers) => {
    const { status, notes } = await ask(door, need, headers)
    expect(status).toBe(200)
    expect(asked()).toEqual([model])
    if (model === 'rest') expect(notes).not.toContain('best')
    else expect(notes).toContain(`so openai/${model} was asked`)
  })
})

it('a count within 10 % of a limit is called an estimate', async () => {
  const { notes } = await ask('chat', { words: 'x'.repeat(8_200) })
  expect(notes).toMatch(
    /best: inputTokens >2000, so openai\/long was asked \(about 2\d\d\d tokens, an estimate/,
  )
  const { notes: below } = await ask('chat', { words: 'x'.repeat(7_400) })
  expect(below).toMatch(
    /best: no condition holds, so openai\/rest was asked \(about 1\d\d\d tokens, an estimate/,
  )
})

describe('an open tool loop', () => {
  it('stays with its model though its results are long, and the next question does not', async () => {
    bench.openai.play(step('call_0'), step('call_1'), [{ say: 'done' }])
    await chat(bench.url, start('loop'), as('laptop'))
    const second = await chat(bench.url, history('loop', long), as('laptop'))
    const third = await chat(bench.url, history('loop', long, 'short'), as('laptop'))
    for (const { headers } of [second, third])
      expect(headers.get('x-dragoman-notes')).toContain(
        'loop: stays with openai/rest while its tool loop is open',
      )
    const { messages, ...body } = history('loop', long, 'short')
    const next = [...(messages as Body[]), { role: 'assistant', content: 'done' }, user('and now?')]
    await chat(bench.url, { ...body, messages: next }, as('laptop'))
    expect(asked()).toEqual(['rest', 'rest', 'rest', 'long'])
  })

  it('stays with it on a gateway that has not seen its beginning', async () => {
    await chat(bench.url, history('loop', long, 'never seen'), as('laptop'))
    expect(asked()).toEqual(['rest'])
  })

  it('leaves a model that does not see the images of a result', async () => {
    const content = [{ type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }]
    const { headers } = await chat(bench.url, history('loop', content), as('laptop'))
    expect(headers.get('x-dragoman-notes')).toContain(
      'loop: the tool loop left openai/rest, which does not see images, for openai/seeing',
    )
    expect(asked()).toEqual(['seeing'])
  })

  it('stays with a larger model after an overflow', async () => {
    bench.anthropic.play([tooLong.anthropic])
    bench.gemini.play(step('call_0'), [{ say: 'done' }])
    const first = await answerOf(bench.url, start('claude'), 'whole', as('laptop'))
    const next = followUp(start('claude'), first, ['short'])
    const second = await answerOf(bench.url, next, 'whole', as('laptop'))
    expect(second.notes).toContain('claude: stays with gemini/gemini-3.8-flash while its tool loop is open')
    expect(asked(bench.anthropic)).toHaveLength(1)
  })

  it('stays with the run of Cursor that waits for it', async () => {
    bench.cursor.play([
      { exec: { read: { path: 'a' } } },
      { await: 'results' },
      { say: 'done' },
      { end: true },
    ])
    const first = await answerOf(bench.url, start('parked'), 'whole', as('laptop'))
    const second = await answerOf(bench.url, followUp(start('parked'), first, [long]), 'whole', as('laptop'))
    expect([second.text, second.session]).toEqual(['done', 'live'])
    expect(asked()).toEqual([])
  })

  it('does not open a row of another key to a call id of its run', async () => {
    bench.cursor.play([{ exec: { read: { path: 'a' } } }, { await: 'results' }, { say: 'no' }, { end: true }])
    const first = await answerOf(bench.url, start('boss'), 'whole', as('ci'))
    expect(first.session).toBe('fresh')
    const second = await answerOf(bench.url, followUp(start('boss'), first, ['x']), 'whole', as('laptop'))
    expect([second.status, second.session, asked()]).toEqual([200, null, ['rest']])
  })

  it('whose model fails goes to the others of its own row', async () => {
    bench.openai.play([{ status: 500, body: { error: { message: 'no' } } }])
    expect((await chat(bench.url, history('shared', long), as('laptop'))).status).toBe(500)
    expect(asked()).toEqual(['rest'])
  })

  it.each(['laptop', 'ci'])('of %s: another caller does not share it', async (name) => {
    bench.openai.play(step('call_0'))
    await chat(bench.url, { ...start('loop'), messages: [user(long)] }, as('laptop'))
    // By its history the loop began with a short request: only the caller who began it is remembered.
    await chat(bench.url, history('loop', 'short'), as(name))
    expect(asked()).toEqual(['long', name === 'laptop' ? 'long' : 'rest'])
  })
})

it('a listing has the size of the row for long requests', async () => {
  const answer = await fetch(`${bench.url}/v1/models`, {
    headers: { authorization: as('laptop').authorization },
  })
  const { data } = (await answer.json()) as { data: { id: string; context_length?: number }[] }
  const sizes = ['claude', 'closed'].map((id) => data.find((one) => one.id === id)?.context_length)
  expect(sizes).toEqual([1_048_576, 200_000])
})

it('a running gateway takes over other rows', async () => {
  const settings = (best: unknown) => ({
    backends: { openai: { kind: 'openai', baseUrl: `${bench.openai.url}/v1`, apiKey: upstreamKey } },
    models: { best },
  })
  const started = await startGateway(settings([row({ images: true }, 'openai/seeing'), 'openai/rest']))
  await chat(started.url, start('best'))
  const next = {
    auth: 'none',
    listen: { port: 0 },
    ...settings([row({ images: false }, 'openai/blind'), 'openai/rest']),
  }
  const { config } = parseConfig(JSON.stringify(next), {
    environment: readEnvironment({ HOME: '/nonexistent' }),
  })
  const prepared = await started.gateway.prepare({ config, keys: [] })
  prepared.commit()
  await chat(started.url, start('best'))
  await started.gateway.close()
  expect(asked()).toEqual(['rest', 'blind'])
})
