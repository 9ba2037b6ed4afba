// Secrets pass through every path of the gateway, success and failure, and leak from none.

import { describe, expect, it } from 'vitest'
import { readEnvironment } from '../../src/config/environment.ts'
import { parseConfig } from '../../src/config/load.ts'
import { spread } from '../depth.ts'
import { expectNothingStray } from '../end-to-end/wire.ts'
import { ask, user } from '../harness.ts'
import { useCanaries } from './canaries.ts'
import { allCanaries, canaries, echo, leaks, wrongSettings } from './cases/secrets.ts'
import { bodyFor, threatDoors } from './doors.ts'

expectNothingStray()
const bench = useCanaries()

/** Also halves of secrets, and in any case. */
const marks = ['canary', ...allCanaries.map((one) => one.slice(-16, -5))]

async function expectNothingTold(except: readonly string[] = []): Promise<void> {
  const told = except.reduce((text, known) => text.replaceAll(known, ''), await bench.everything())
  expect(allCanaries.filter((canary) => told.includes(canary))).toEqual([])
  const at = marks.map((mark) => told.indexOf(mark)).find((found) => found >= 0)
  expect(at === undefined ? '' : told.slice(at - 80, at + 80)).toBe('')
}

it.each(spread(leaks, 8))(
  '$name ($model): no secret is in an answer, at any door',
  async ({ to, model, steps }) => {
    for (const [at, door] of threatDoors.entries()) {
      if (to !== 'none') bench[to].play(steps)
      const question = { model, tools: [{ name: 'read' }], stream: at !== 1 }
      await bench.call(door.path(question), bodyFor(door, question))
      if (to === 'none') continue
      expect(bench[to].queued).toBe(0)
      bench[to].clear()
    }
    // The answer repeats the model name that the client sent.
    await expectNothingTold(model === canaries.otherKey ? [model] : [])
  },
)

it.each(['internal', 'unauthenticated', 'unavailable', 'resource_exhausted', 'permission_denied'])(
  "Cursor's %s that repeats them, and the token that was made of the key",
  async (code) => {
    await bench.call('/v1/chat/completions', ask('cursor/composer-2'))
    const tokens = bench.cursor.requests.map(({ headers }) =>
      `${headers.authorization}`.slice('Bearer '.length),
    )
    expect(tokens.join('')).toContain('ey')
    bench.cursor.play([{ error: { code, message: `${echo} ${tokens.join(' ')}` } }])
    await bench.call('/v1/chat/completions', ask('cursor/composer-2'))
    expect(bench.cursor.queued).toBe(0)
    // The simulator refuses the unknown token.
    await bench.call('/v1/chat/completions', ask('token/composer-2'))
    const told = await bench.everything()
    expect(tokens.filter((token) => token !== '' && told.includes(token))).toEqual([])
    await expectNothingTold()
  },
)

it('listings, counts, results and pages that fail', async () => {
  for (const path of ['/v1/models', '/readyz', '/', '/healthz', '/v1/models/openai%2Fx', '/v1/responses/x'])
    await bench.get(path)
  await bench.get('/v1/models', { 'anthropic-version': '2023-06-01' })
  bench.anthropic.play([{ status: 500, body: echo }])
  await bench.call('/v1/messages/count_tokens', { model: 'anthropic/claude-demo', messages: [user('x')] })
  await bench.call('/v1/tool_results', { tool_call_id: 'sess_0123456789ab__call_1', content: 'x' })
  await bench.call('/internal/v1/turns', {})
  await expectNothingTold()
})

it('a wrong key, and keys in the query, the path or the body, are not logged', async () => {
  const wrong = 'wrong-canary-ffffffffffffffff'
  const authorization = `Bearer ${wrong}`
  await bench.call('/v1/chat/completions', ask('x'), { authorization, 'x-api-key': wrong })
  await bench.get(`/v1/models?key=${wrong}`, { authorization })
  await bench.get(`/v1/models/x?key=${canaries.otherKey}`)
  for (const key of [wrong, canaries.otherKey]) {
    await bench.get(`/v1beta/models?key=${key}`)
    await bench.get(`/v1beta/models/x?key=${key}`)
    for (const verb of ['generateContent', 'streamGenerateContent', 'countTokens', 'other'])
      await bench.call(`/v1beta/models/openai/x:${verb}?alt=sse&key=${key}`, { contents: [] })
  }
  await bench.get(`/v1/models/${canaries.otherKey}`)
  await bench.call('/v1/chat/completions', `{"key": ${canaries.otherKey}`)
  expect(bench.logs.join('')).not.toContain('canary')
})

it.each(threatDoors)(
  'content of requests and answers is in no log, metric or file, by $name',
  async (door) => {
    const said = 'answer-canary'
    bench.openai.play(
      [{ say: said, pieces: 1 }],
      [{ call: { name: 'read', arguments: { path: 'argument-canary' } } }],
      [{ status: 400, body: { error: { message: 'too long' } } }],
    )
    const made = { id: 'call_1', name: 'read', input: '{"path":"path-canary"}', result: 'result-canary' }
    for (const _ of [1, 2, 3]) {
      const question = { model: 'openai/gpt-demo', text: 'prompt-canary', made, tools: [{ name: 'read' }] }
      await bench.call(door.path(question), { ...bodyFor(door, question), user: 'user-canary' })
    }
    for (const wrong of [
      { messages: 'wrong-canary' },
      { contents: 'wrong-canary' },
      { tools: 'wrong-canary' },
      { temperature: 'wrong-canary' },
    ])
      await bench.call(door.path({ model: 'openai/gpt-demo' }), {
        ...bodyFor(door, { model: 'openai/gpt-demo' }),
        ...wrong,
      })
    expect(bench.logs.length).toBeGreaterThan(0)
    expect(bench.logs.join('')).not.toContain('canary')
  },
)

it("a client's stored answers are available to no other client", async () => {
  bench.openai.play([{ say: 'kept' }])
  const body = { model: 'openai/gpt-demo', input: 'x' }
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${canaries.gateway}` }
  const answer = await fetch(`${bench.url}/v1/responses`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  const { id } = (await answer.json()) as { id: string }
  expect(await bench.get(`/v1/responses/${id}`, { authorization: `Bearer ${canaries.otherKey}` })).toBe(404)
  expect(await bench.get(`/v1/responses/${id}`)).toBe(200)
})

describe('a configuration that is wrong', () => {
  const environment = readEnvironment({ HOME: '/nonexistent', CANARY: 'canary-of-the-environment' })

  it.each(wrongSettings)('$name: the message does not repeat it', ({ settings }) => {
    let told = ''
    try {
      parseConfig(JSON.stringify(settings), { environment })
    } catch (error) {
      told = String(error)
    }
    expect(told).not.toBe('')
    expect(told).not.toContain('canary')
  })
})
