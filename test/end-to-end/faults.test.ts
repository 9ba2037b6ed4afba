// Upstreams that refuse, break off or send nonsense: the right status or an in-band error, never a clean end, never a crash.

import { afterEach, describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import { spread } from '../depth.ts'
import { ask, type Body, chat, chatStream, post, startBench, useBench } from '../harness.ts'
import { anthropicFrame, chunk, messageStart } from '../wire-cases/frames.ts'
import { expectNothingStray, freePort } from './wire.ts'

const models = { anthropic: 'anthropic/claude-demo', openai: 'openai/gpt-demo' }
type Backend = keyof typeof models
const backends = Object.keys(models) as Backend[]
expectNothingStray()
const bench = useBench()
afterEach(async () => {
  bench.anthropic.clear()
  bench.openai.clear()
  // Whatever was just done: the next request works.
  for (const backend of backends) expect((await post(bench.url, ask(models[backend]))).status).toBe(200)
  bench.anthropic.clear()
  bench.openai.clear()
})

/** OpenAI's is not quite in its form: errors in the form of the door are not translated (service-errors.test.ts). */
const errorBody = (backend: Backend, type: string, message = 'said by the upstream'): Body =>
  backend === 'anthropic' ? { type: 'error', error: { type, message } } : { error: { message } }

interface Failure {
  status: number
  headers: Headers
  error: { message: string; type: string; param: unknown; code: string | null }
}

/** Asks both ways and expects the same HTTP error. */
async function failures(backend: Backend, steps: Step[]): Promise<Failure[]> {
  const found: Failure[] = []
  for (const stream of [true, false]) {
    bench[backend].play(steps)
    const answer = await post(bench.url, ask(models[backend], { stream }))
    expect(answer.headers.get('content-type')).toContain('application/json')
    expect(answer.headers.get('x-dragoman-turn')).toMatch(/^turn_/)
    const { error } = (await answer.json()) as { error: Failure['error'] }
    expect(Object.keys(error).sort()).toEqual(['code', 'message', 'param', 'type'])
    expect(error.message).toContain(backend)
    found.push({ status: answer.status, headers: answer.headers, error })
    expect(bench[backend].requests.filter((request) => request.method === 'POST')).toHaveLength(found.length)
  }
  return found
}

describe.each(spread(backends, 1))('%s: an upstream status', (backend) => {
  const rows: [number, string, number, string][] = [
    [400, 'invalid_request_error', 400, 'invalid_request_error'],
    [404, 'not_found_error', 404, 'invalid_request_error'],
    [408, 'timeout_error', 504, 'server_error'],
    [413, 'request_too_large', 413, 'invalid_request_error'],
    [429, 'rate_limit_error', 429, 'rate_limit_error'],
    [500, 'api_error', 500, 'server_error'],
    [502, 'api_error', 502, 'server_error'],
    [503, 'api_error', 503, 'server_error'],
    [504, 'timeout_error', 504, 'server_error'],
    [529, 'overloaded_error', 503, 'server_error'],
  ]

  it.each(rows)("%i (%s) becomes %i, with the upstream's message", async (status, type, expected, shown) => {
    for (const failure of await failures(backend, [{ status, body: errorBody(backend, type) }])) {
      expect(failure.status).toBe(expected)
      expect(failure.error.type).toBe(shown)
      expect(failure.error.message).toContain('said by the upstream')
    }
  })

  it.each(spread(rows, 6))(
    '%i without a readable body (%s) becomes %i all the same',
    async (status, _type, expected, shown) => {
      for (const body of ['<html><h1>Bad Gateway</h1></html>', '', '{"error":', 'null', '[]', '"x"']) {
        for (const failure of await failures(backend, [{ status, body }])) {
          expect(failure.status).toBe(expected)
          expect(failure.error.type).toBe(shown)
          expect(failure.error.message).toContain(String(status))
          expect(failure.error.message).not.toContain('<')
        }
        bench[backend].clear()
      }
    },
  )

  it('401 says whose credential it was', async () => {
    for (const { error } of await failures(backend, [
      { status: 401, body: errorBody(backend, 'authentication_error') },
    ]))
      expect(error.message).toContain(`the gateway has for backend "${backend}"`)
  })

  it.each([
    ['7', '7'],
    ['0', '0'],
    ['0.2', '1'],
    [new Date(Date.now() + 3_600_000).toUTCString(), /^3[56]\d\d$/],
    ['soon', null],
    ['1e307', /^\d+$|^null$/],
    ['-5', /^0$|^null$/],
  ])('429 with Retry-After %s: the client is told', async (given, expected) => {
    const body = errorBody(backend, 'rate_limit_error')
    for (const { headers } of await failures(backend, [
      { status: 429, headers: { 'retry-after': given }, body },
    ])) {
      const passed = headers.get('retry-after')
      if (expected instanceof RegExp) expect(String(passed)).toMatch(expected)
      else expect(passed).toBe(expected)
    }
  })

  it('a redirect is not followed', async () => {
    const location = 'http://169.254.169.254/latest/meta-data/'
    for (const status of [301, 302, 303, 307, 308]) {
      for (const failure of await failures(backend, [{ status, headers: { location }, body: 'moved' }])) {
        expect(failure.status).toBe(502)
        expect(failure.error.message).toContain('redirect')
      }
      bench[backend].clear()
    }
  })

  it.each([201, 202, 204, 206, 226])('%i is not an answer', async (status) => {
    for (const failure of await failures(backend, [{ status, body: errorBody(backend, 'x') }]))
      expect(failure.status).toBeGreaterThanOrEqual(400)
  })
})

describe.each(spread(backends, 1))('%s: 200 and yet no answer', (backend) => {
  const whole = (body: unknown, type = 'application/json'): Step => ({
    status: 200,
    headers: { 'content-type': type },
    body,
  })

  it.each([
    ['an error in JSON', whole(errorBody(backend, 'overloaded_error')), 503],
    ['HTML', whole('<html>login</html>', 'text/html'), 502],
    ['HTML as an event stream', whole('<html>login</html>', 'text/event-stream'), 502],
    ['nothing', whole('', 'text/plain'), 502],
    ['an empty event stream', whole('', 'text/event-stream'), 502],
    ['half of a JSON', whole('{"id":"x","choi'), 502],
    ['null', whole('null'), 502],
    ['a list', whole([]), 502],
    ['an empty object', whole({}), 502],
    ['an object with other fields', whole({ id: 'x', object: 'list', data: [] }), 502],
    ['choices and content of the wrong type', whole({ choices: 'x', content: 'x' }), 502],
  ])('%s', async (_name, step, expected) => {
    for (const failure of await failures(backend, [step])) {
      expect(failure.status).toBe(expected)
      expect(failure.error.type).toBe('server_error')
      expect(failure.error.message).not.toContain('<')
    }
  })

  it.each([
    [
      'an error event first',
      [anthropicFrame(errorBody('anthropic', 'overloaded_error') as { type: string })],
      [{ frame: errorBody('openai', 'server_error') }],
      503,
    ],
    [
      'an event that is not JSON',
      [{ raw: 'event: message_start\ndata: {oops\n\n' }],
      [{ raw: 'data: {oops\n\n' }],
      502,
    ],
    ['an event that is not an object', [{ raw: 'data: 5\n\n' }], [{ raw: 'data: 5\n\n' }], 502],
    ['only comments', [{ raw: ': hi\n\n: hi\n\n' }], [{ raw: ': hi\n\n: hi\n\n' }], 502],
    ['only the beginning', [messageStart], [chunk({ role: 'assistant', content: '' })], 502],
  ] satisfies [string, Step[], Step[], number][])(
    'in a stream: %s',
    async (_name, anthropic, openai, expected) => {
      bench[backend].play(backend === 'anthropic' ? anthropic : openai)
      const answer = await post(bench.url, ask(models[backend], { stream: true }))
      expect(answer.status).toBe(expected)
      expect(await answer.json()).toMatchObject({ error: { type: 'server_error' } })
    },
  )
})

describe.each(spread(backends, 1))('%s: a connection that breaks', (backend) => {
  const faults = ['reset', 'fin', 'truncate'] as const
  /** A truncation cuts what comes next. */
  const broken = (fault: (typeof faults)[number], before: Step[]): Step[] => [
    ...before,
    { wait: 10 },
    { fault },
    { say: 'never whole' },
  ]

  it.each(faults)('%s before the first token: a true HTTP error', async (fault) => {
    const start = backend === 'anthropic' ? messageStart : chunk({ role: 'assistant', content: '' })
    for (const before of [[], [start]]) {
      bench[backend].play([...before, { wait: 10 }, { fault }, { raw: 'data: {"never":"whole"}\n\n' }])
      const answer = await post(bench.url, ask(models[backend], { stream: true }))
      expect(answer.status).toBe(502)
      expect(await answer.json()).toMatchObject({ error: { type: 'server_error' } })
    }
  })

  it.each(faults)('%s after the first token: an error in the stream, no finish_reason', async (fault) => {
    bench[backend].play(broken(fault, [{ say: 'some words' }]))
    const answer = await chatStream(bench.url, ask(models[backend]))
    expect(answer.status).toBe(200)
    expect(answer.problems).toEqual([])
    expect(answer.text).toContain('some words')
    expect(answer.finishReason).toBeUndefined()
    expect(answer.error).toMatchObject({ type: 'server_error' })
    expect(bench[backend].requests).toHaveLength(1)
  })

  it.each(faults)('%s inside of a tool call: the call is not shown as one', async (fault) => {
    bench[backend].play(broken(fault, [{ say: 'x' }, { call: { name: 'read', arguments: '{"path":"a' } }]))
    const answer = await chatStream(bench.url, ask(models[backend]))
    expect(answer.calls).toEqual([])
    expect(answer.error).toMatchObject({ type: 'server_error' })
    expect(answer.problems).toEqual([])
  })

  it.each(faults)('%s, not streamed: 502', async (fault) => {
    bench[backend].play([{ say: 'some words' }, { fault }])
    const answer = await chat(bench.url, ask(models[backend]))
    expect(answer.status).toBe(502)
    expect(answer.json.error.type).toBe('server_error')
  })

  it('connection refused: 503 with a remedy', async () => {
    const port = await freePort()
    const alone = await startBench({
      settings: {
        backends: {
          openai: { kind: 'openai', baseUrl: `http://127.0.0.1:${port}/v1` },
          anthropic: { kind: 'anthropic', baseUrl: `http://127.0.0.1:${port}`, apiKey: 'sk-x' },
        },
      },
    })
    for (const stream of [true, false]) {
      const answer = await post(alone.url, ask(models[backend], { stream }))
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2'])
      expect(await answer.json()).toMatchObject({
        error: { code: 'upstream_unavailable', message: expect.stringMatching(/baseUrl/) },
      })
    }
    await alone.close()
  })

  it('one byte at a time changes nothing', async () => {
    const steps: Step[] = [
      { split: 1 },
      { say: 'gr\u00fc\u00dfe \u{1f600} ok', pieces: 3 },
      { call: { name: 'read', arguments: { path: '\u00e4\u{1f600}' } }, pieces: 3 },
      { end: 'tool_calls' },
    ]
    bench[backend].play(steps, steps)
    const answer = await chatStream(bench.url, ask(models[backend]))
    expect(answer.problems).toEqual([])
    expect(answer.text).toBe('gr\u00fc\u00dfe \u{1f600} ok')
    expect(answer.calls[0]?.arguments).toBe(JSON.stringify({ path: '\u00e4\u{1f600}' }))
    const { json } = await chat(bench.url, ask(models[backend]))
    expect(json.choices[0].message.content).toBe('gr\u00fc\u00dfe \u{1f600} ok')
    expect(json.choices[0].message.tool_calls[0].function.arguments).toBe(
      JSON.stringify({ path: '\u00e4\u{1f600}' }),
    )
  })
})
