// Every known failure of the service, and the error that the client gets.

import { describe, expect, it } from 'vitest'
import { FAILURES, type Failure, type Place } from '../../../sim/qwen-web.ts'
import { createUpstreamClient } from '../../upstream/client.ts'
import { requestOf, useQwenBench, user } from './bench.fixture.ts'
import { QwenWebService } from './service.ts'

const bench = useQwenBench()
const hello = requestOf([user('hello')])
const signal = new AbortController().signal

interface Heard {
  code: string
  status?: number
  retryable?: boolean
  retryAfterMs?: number
  message: RegExp
}

const challenge: Heard = {
  code: 'upstream-challenge',
  status: 403,
  retryable: false,
  message: /^qwen: .*captcha.*not be bypassed.*your browser.*DashScope/,
}

const heard: Partial<Record<Failure, Heard>> = {
  'rate-limited': {
    code: 'rate-limited',
    status: 429,
    retryAfterMs: 25_200_000,
    message: /^qwen: the account has used up .* for 7 more hours/,
  },
  'bad-request': {
    code: 'upstream-protocol',
    status: 502,
    retryable: false,
    message: /Bad request; .*"version"/,
  },
  'internal-error': { code: 'upstream-unavailable', retryable: true, message: /internal error/ },
  'not-found': { code: 'upstream-unavailable', retryable: true, message: /is not exist/ },
  'in-progress': { code: 'conflict', status: 409, message: /in progress/ },
  unauthorized: { code: 'upstream-credential', status: 502, message: /log in on the web page.*"token"/ },
  'token-expired': { code: 'upstream-credential', status: 502, message: /was refused; log in.*"token"/ },
  'pending-activation': { code: 'upstream-credential', status: 502, message: /may not do this; activate/ },
  captcha: challenge,
  waf: challenge,
  'gateway-timeout': { code: 'timeout', status: 504, message: /web page instead of an answer; .*"baseUrl"/ },
  'status-error': { code: 'upstream-unavailable', message: /the model stopped/ },
  'error-event': { code: 'upstream-unavailable', message: /the model stopped/ },
}

const rows = Object.entries(heard) as [Failure, Heard][]
const expected = ({ message, ...error }: Heard) => ({ ...error, message: expect.stringMatching(message) })

describe('in place of an answer', () => {
  it.each(rows)('%s', async (name, error) => {
    bench.sim.fail(name)
    await expect(bench.turn(hello)).rejects.toMatchObject(expected(error))
  })

  it('covers every failure of the simulator', () => {
    const harmless = ['cumulative', 'web-search', 'finished-on-think']
    const apart = ['zero-deltas', 'no-finish']
    expect([...Object.keys(heard), ...harmless, ...apart].sort()).toEqual(Object.keys(FAILURES).sort())
  })

  it('an empty answer is an error without a retry', async () => {
    const created = { 'response.created': { chat_id: 'c', parent_id: 'p', response_id: 'r' } }
    bench.sim.play([
      {
        status: 200,
        headers: { 'content-type': 'text/event-stream' },
        body: `data: ${JSON.stringify(created)}\n\n`,
      },
    ])
    await expect(bench.turn(hello)).rejects.toMatchObject({
      code: 'upstream-protocol',
      retryable: false,
      message: expect.stringMatching(/^qwen: an empty answer\./),
    })
  })

  it.each<Failure>(['zero-deltas', 'no-finish'])('%s: a stream that breaks is an error', async (name) => {
    bench.sim.fail(name)
    await expect(bench.turn(hello)).rejects.toMatchObject({ status: 502 })
  })
})

describe('in place of a new chat or a listing', () => {
  const places: Place[] = ['new', 'models']
  const refusals = rows.filter(([name]) => !['status-error', 'error-event', 'not-found'].includes(name))
  it.each(places.flatMap((on) => refusals.map(([name, error]) => [name, on, error] as const)))(
    '%s on %s',
    async (name, on, error) => {
      bench.sim.fail({ name, on })
      const failing = on === 'new' ? bench.turn(hello) : bench.backend.models(signal)
      await expect(failing).rejects.toMatchObject(expected(error))
    },
  )

  it.each([
    ['no id', {}],
    ['an id that is no header', { id: 'a\r\nb' }],
    ['half a character', { id: '\ud800' }],
    ['an endless one', { id: 'x'.repeat(1_000) }],
  ])('a new chat with %s', async (_what, data) => {
    await expect(serviceThat(200, { success: true, data }).newChat('m', signal)).rejects.toMatchObject({
      code: 'upstream-protocol',
      message: expect.stringContaining('a new chat without an id'),
    })
  })

  it.each([
    ['a gate in another shape', 200, { rgv587_flag: 'sm', url: 'https://x/punish' }, 'upstream-challenge'],
    ['a redirect', 302, '', 'upstream-protocol'],
  ])('%s is not tried again', async (_what, status, answer, code) => {
    const error = { code, retryable: false }
    await expect(serviceThat(status, answer).newChat('m', signal)).rejects.toMatchObject(error)
    await expect(serviceThat(status, answer).models(signal)).rejects.toMatchObject(error)
  })
})

/** Asks a server with one answer to everything. */
function serviceThat(status: number, answer: unknown): QwenWebService {
  const bytes = Buffer.from(JSON.stringify(answer))
  const client = {
    ...createUpstreamClient(bench.sim.url),
    request: async () => ({ status, headers: {}, body: { readAll: async () => ({ bytes, cut: false }) } }),
  } as unknown as ReturnType<typeof createUpstreamClient>
  return new QwenWebService({ name: 'qwen', client, token: 't', version: '1', headers: {} })
}

describe('no failure', () => {
  it.each<[Failure, string[]]>([
    ['cumulative', ['text']],
    ['web-search', ['text']],
    ['finished-on-think', ['reasoning', 'text']],
  ])('%s', async (name, types) => {
    bench.sim.fail(name)
    bench.sim.play([{ say: 'A text that is told in some more pieces.', pieces: 7 }])
    const { parts } = await bench.turn(hello)
    expect(parts.map(({ type }) => type)).toEqual(types)
    expect(parts.at(-1)).toMatchObject({ text: 'A text that is told in some more pieces.' })
  })

  it('a native call is a failure: the error names the setting', async () => {
    const tools = [{ name: 'read', schema: { type: 'object' } }]
    bench.sim.play([{ say: '<tool_call>\n{"name": "read", "arguments": {}}\n</tool_call>' }])
    await expect(bench.turn({ ...hello, tools })).rejects.toMatchObject({
      code: 'upstream-protocol',
      message: expect.stringContaining('"toolText.tag"'),
    })
  })
})
