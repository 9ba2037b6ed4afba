// Errors of a service that speaks the client's dialect: clients match on the service's status, words and members, so all of them
// arrive. Other dialects get a translation.

import { describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import { type Bench, type Body, upstreamKey, useBench } from '../harness.ts'

const bench = useBench()

interface Route {
  path: string
  body: Body
}

const routes = {
  chat: (model: string) => ({
    path: '/v1/chat/completions',
    body: { model, messages: [{ role: 'user', content: 'hello' }] },
  }),
  responses: (model: string) => ({ path: '/v1/responses', body: { model, input: 'hello' } }),
  messages: (model: string) => ({
    path: '/v1/messages',
    body: { model, max_tokens: 2048, messages: [{ role: 'user', content: 'hello' }] },
  }),
} satisfies Record<string, (model: string) => Route>

const models = { anthropic: 'anthropic/claude-haiku-4-5', openai: 'openai/gpt-demo' } as const
type BackendName = keyof typeof models

async function ask(
  door: keyof typeof routes,
  backend: BackendName,
  more: Body = {},
  headers: Record<string, string> = {},
) {
  const { path, body } = routes[door](models[backend])
  const answer = await fetch(bench.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...body, ...more }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, json: () => JSON.parse(text) }
}

const anthropicError = (type: string, message: string, more: Body = {}) => ({
  type: 'error',
  error: { type, message, ...more },
  request_id: 'req_of_the_service',
})

const play = (backend: BackendName, ...steps: Step[]) => (bench as Bench)[backend].play(steps)

describe('Messages and Anthropic', () => {
  it.each([
    [
      400,
      anthropicError('invalid_request_error', 'messages.1.output_config: Extra inputs are not permitted'),
    ],
    [
      400,
      anthropicError('invalid_request_error', 'x', {
        details: { error_code: 'thread_not_found', seen: [1] },
      }),
    ],
    [404, anthropicError('not_found_error', 'model: claude-next')],
    [413, anthropicError('request_too_large', 'Request exceeds the maximum size')],
    [422, anthropicError('invalid_request_error', "messages.0: Input tag 'x' found using 'type'")],
    [
      429,
      anthropicError('rate_limit_error', 'slow down', { details: { error_code: 'ramp_limit_exceeded' } }),
    ],
    [500, anthropicError('api_error', 'Internal server error')],
    [503, anthropicError('api_error', 'later', { details: { error_code: 'compaction_unavailable' } })],
    [529, anthropicError('overloaded_error', 'Overloaded')],
    [418, { ...anthropicError('teapot_error', 'not known yet'), beta: { more: null } }],
  ])('%i: the status and the whole body', async (status, body) => {
    for (const stream of [true, false]) {
      play('anthropic', { status, body })
      const answer = await ask('messages', 'anthropic', { stream })
      const id = answer.headers.get('request-id')
      expect([answer.status, answer.json()]).toEqual([status, { ...body, request_id: id }])
      expect(id).toMatch(/^turn_/)
    }
  })

  it('the headers about retries', async () => {
    const headers = { 'retry-after': '7', 'retry-after-ms': '6500', 'x-should-retry': 'true' }
    play('anthropic', { status: 409, headers, body: anthropicError('conflict_error', 'busy') })
    const answer = await ask('messages', 'anthropic')
    expect(answer.headers.get('retry-after-ms')).toBe('6500')
    expect(answer.headers.get('retry-after')).toBe('7')
    expect(answer.headers.get('x-should-retry')).toBe('true')
  })

  it('no header about retries where the service sent none', async () => {
    play('anthropic', { status: 529, body: anthropicError('overloaded_error', 'Overloaded') })
    const { headers } = await ask('messages', 'anthropic')
    for (const name of ['retry-after', 'retry-after-ms', 'x-should-retry'])
      expect(headers.get(name)).toBeNull()
  })

  it('the error event in a stream, after output', async () => {
    const event = anthropicError('overloaded_error', 'Overloaded', { details: { error_code: 'new_code' } })
    play('anthropic', { say: 'some words' }, { frame: event, event: 'error' })
    const { text } = await ask('messages', 'anthropic', { stream: true })
    const data = /event: error\ndata: (.*)\n/.exec(text)?.[1] ?? '{}'
    expect(JSON.parse(data)).toEqual({ ...event, request_id: expect.stringMatching(/^turn_/) })
  })

  it('the error event in a stream, before output: the status of its type', async () => {
    const event = anthropicError('overloaded_error', 'Overloaded')
    play('anthropic', { frame: event, event: 'error' })
    expect(await ask('messages', 'anthropic', { stream: true })).toMatchObject({ status: 529 })
  })

  it('a refused count is the same refusal, because the turn would be refused too', async () => {
    const { body } = routes.messages(models.anthropic)
    const messages = [{ role: 'user', content: [{ type: 'unheard_of' }] }]
    const answer = await fetch(`${bench.url}/v1/messages/count_tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, messages, max_tokens: undefined }),
    })
    expect(answer.status).toBe(400)
    expect(((await answer.json()) as { error: { message: string } }).error.message).not.toContain(
      'anthropic:',
    )
  })
})

describe.each(['chat', 'responses'] as const)('%s and OpenAI', (door) => {
  it.each([
    [
      400,
      {
        error: {
          message: 'Unsupported value',
          type: 'invalid_request_error',
          param: 'reasoning.effort',
          code: 'unsupported_value',
        },
      },
    ],
    [
      404,
      {
        error: {
          message: 'No such model',
          type: 'invalid_request_error',
          param: null,
          code: 'model_not_found',
        },
      },
    ],
    [
      429,
      {
        error: { message: 'Pay first', type: 'insufficient_quota', param: null, code: 'insufficient_quota' },
      },
    ],
    [
      400,
      {
        error: {
          message: 'filtered',
          type: null,
          param: 'prompt',
          code: 'content_filter',
          status: 400,
          innererror: {
            code: 'ResponsibleAIPolicyViolation',
            content_filter_result: { hate: { filtered: true } },
          },
        },
      },
    ],
    [
      503,
      {
        error: { message: 'busy', type: 'server_error', param: null, code: 'server_is_overloaded' },
        other: [1],
      },
    ],
    [529, { error: { message: 'odd', code: 1261 } }],
  ])('%i: the status and the whole body', async (status, body) => {
    for (const stream of [true, false]) {
      play('openai', { status, body })
      const answer = await ask(door, 'openai', { stream })
      expect([answer.status, answer.json()]).toEqual([status, body])
    }
  })

  it('an overflow in words gets the code that agents look for', async () => {
    const error = {
      message: "This model's maximum context length is 8192 tokens",
      type: 'BadRequest',
      code: null,
    }
    play('openai', { status: 400, body: { error } })
    expect((await ask(door, 'openai')).json()).toEqual({
      error: { ...error, code: 'context_length_exceeded' },
    })
  })

  it.each([
    ['a flat body', { message: 'no such thing', code: 'InvalidParameter' }, 'InvalidParameter'],
    ['a text for an error', { error: 'no such thing' }, null],
    ['a list', [{ error: { message: 'no such thing' } }], null],
  ])('%s is not in the form of the API: translated', async (_, body, code) => {
    play('openai', { status: 400, body })
    const answer = await ask(door, 'openai')
    expect(answer.json()).toEqual({
      error: { message: 'openai: no such thing', type: 'invalid_request_error', param: null, code },
    })
  })

  it('the error in a stream, after output', async () => {
    const error = { message: 'broke', type: 'server_error', param: null, code: 'slow_down', extra: { a: 1 } }
    play('openai', { say: 'some words' }, { frame: { error } })
    const { text } = await ask(door, 'openai', { stream: true })
    const events = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''))
    if (door === 'chat') expect(events.at(-1)).toEqual({ error })
    else {
      expect(events.at(-2)).toMatchObject({ type: 'error', code: 'slow_down', message: 'broke', error })
      expect(events.at(-1)?.response.error).toMatchObject({ code: 'slow_down', message: 'broke' })
    }
  })
})

describe('another dialect', () => {
  it("Anthropic's code is OpenAI's code", async () => {
    const body = anthropicError('invalid_request_error', 'too many', {
      details: { error_code: 'available_tools_limit_exceeded' },
    })
    play('anthropic', { status: 400, body })
    const { error } = (await ask('chat', 'anthropic')).json()
    expect(error).toMatchObject({ code: 'available_tools_limit_exceeded', message: 'anthropic: too many' })
  })

  it("OpenAI's code is a detail in Messages", async () => {
    const error = { message: 'no', type: 'invalid_request_error', param: 'x', code: 'unsupported_value' }
    play('openai', { status: 400, body: { error } })
    expect((await ask('messages', 'openai')).json().error).toEqual({
      type: 'invalid_request_error',
      message: 'openai: no',
      details: { error_code: 'unsupported_value' },
    })
  })

  it('overload is a 529 at Messages and a 503 elsewhere', async () => {
    play('openai', { status: 503, body: { error: { message: 'busy', code: 'server_is_overloaded' } } })
    expect(await ask('messages', 'openai')).toMatchObject({ status: 529 })
    play('anthropic', { status: 529, body: anthropicError('overloaded_error', 'Overloaded') })
    expect(await ask('chat', 'anthropic')).toMatchObject({ status: 503 })
  })
})

describe("the service refuses the gateway's credential", () => {
  const quoting = `Incorrect API key provided: ${upstreamKey}; and sk-upst*****1828`
  const bodies = {
    anthropic: anthropicError('authentication_error', quoting),
    openai: {
      error: { message: quoting, type: 'invalid_request_error', param: null, code: 'invalid_api_key' },
    },
  }

  it.each(['anthropic', 'openai'] as const)('%s', async (backend) => {
    for (const door of ['chat', 'responses', 'messages'] as const) {
      for (const status of [401, 403]) {
        play(backend, { status, body: bodies[backend] })
        const answer = await ask(door, backend)
        expect([door, answer.status]).toEqual([door, 502])
        expect(answer.headers.get('x-should-retry')).toBe('false')
        expect(answer.headers.get('www-authenticate')).toBeNull()
        expect(answer.json().error.message).toContain(`backend "${backend}"`)
        expect(answer.text).not.toMatch(/Incorrect|1828/)
        play(backend, { status, body: bodies[backend] })
        expect(await ask(door, backend, {}, { 'user-agent': 'codex_exec/0.166.0' })).toMatchObject({
          status: 400,
        })
      }
    }
    expect(bench.logs.join('')).toContain('Incorrect API key provided')
    expect(bench.logs.join('')).not.toContain(upstreamKey)
  })

  it('in a stream', async () => {
    for (const door of ['chat', 'responses', 'messages'] as const) {
      play('anthropic', { say: 'some words' }, { frame: bodies.anthropic, event: 'error' })
      const { text } = await ask(door, 'anthropic', { stream: true })
      expect(text).toContain('words')
      expect(text).toContain('was refused')
      expect(text).not.toMatch(/Incorrect|1828/)
    }
  })
})
