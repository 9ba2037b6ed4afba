// Error statuses of upstreams, on every backend, through every door, streamed and whole: the client gets the status, type and code
// of docs/errors.md, after as many retries as the code allows.

import { beforeAll, describe, expect, it } from 'vitest'
import type { CursorStep } from '../../sim/cursor.ts'
import type { Step } from '../../sim/script.ts'
import type { ErrorCode } from '../../src/core/errors.ts'
import { atTestEnd } from '../at-end.ts'
import { spread } from '../depth.ts'
import { documented } from './documented.ts'
import { ask, type DoorName, doorNames } from './doors.ts'
import { useWatch } from './frame.ts'
import { clear, type HttpName, nextModel, startFaultGateway, useUpstreams } from './upstreams.ts'

const backends = ['anthropic', 'openai', 'text', 'cursor'] as const
type Name = (typeof backends)[number]

interface Case {
  name: string
  code: ErrorCode
  /** Where the upstream's own is passed on. */
  status?: number
  isRetried: boolean
  retryAfter?: string
  retryAfterMs?: string
  answer: { status: number; headers?: Record<string, string>; type?: string; html?: string }
}

const ofStatus = (status: number, type: string, code: ErrorCode, more: Partial<Case> = {}): Case => ({
  name: String(status),
  code,
  isRetried: false,
  answer: { status, type },
  ...more,
})
const worthAnotherTry = { isRetried: true }

const cases: Case[] = [
  ofStatus(400, 'invalid_request_error', 'invalid-request'),
  ofStatus(401, 'authentication_error', 'upstream-credential'),
  ofStatus(403, 'permission_error', 'upstream-credential'),
  ofStatus(404, 'not_found_error', 'not-found'),
  ofStatus(408, 'timeout_error', 'timeout', worthAnotherTry),
  ofStatus(413, 'request_too_large', 'payload-too-large'),
  ofStatus(429, 'rate_limit_error', 'rate-limited', {
    name: '429 with a Retry-After that is too long to wait for',
    retryAfter: '7',
    answer: { status: 429, type: 'rate_limit_error', headers: { 'retry-after': '7' } },
  }),
  ofStatus(429, 'rate_limit_error', 'rate-limited', {
    name: '429 with a short Retry-After',
    retryAfter: '1',
    retryAfterMs: '5',
    isRetried: true,
    answer: { status: 429, type: 'rate_limit_error', headers: { 'retry-after-ms': '5' } },
  }),
  ofStatus(500, 'api_error', 'upstream-unavailable', { ...worthAnotherTry, status: 500 }),
  ofStatus(502, 'api_error', 'upstream-unavailable', { ...worthAnotherTry, status: 502 }),
  ofStatus(503, 'api_error', 'upstream-unavailable', worthAnotherTry),
  ofStatus(529, 'overloaded_error', 'upstream-unavailable', worthAnotherTry),
  ofStatus(200, 'overloaded_error', 'upstream-unavailable', {
    ...worthAnotherTry,
    name: '200 with an error',
  }),
  {
    name: '200 with a web page',
    code: 'upstream-protocol',
    isRetried: true,
    answer: { status: 200, html: '<html><h1>Sign in</h1></html>' },
  },
  { name: '200 with nothing', code: 'upstream-protocol', isRetried: true, answer: { status: 200, html: '' } },
]

function httpSteps(backend: HttpName, { answer: { status, headers, type, html } }: Case): Step[] {
  const message = 'said by the upstream'
  const body =
    html ??
    (backend === 'anthropic'
      ? { type: 'error', error: { type, message } }
      : { error: { message, type, code: null } })
  return [{ status, body, ...(headers ? { headers } : {}) }]
}

function cursorSteps({ answer: { status, headers, html } }: Case): CursorStep[] {
  if (status === 200 && html === undefined)
    return [{ error: { code: 'unavailable', message: 'said by the upstream' } }]
  return [{ status, body: html ?? { message: 'said by the upstream' }, ...(headers ? { headers } : {}) }]
}

/** Whose form the service's errors have. */
const formOf: Partial<Record<Name, string>> = { anthropic: 'messages', openai: 'chat', text: 'chat' }

/** The service's own error if it speaks the door's dialect, or else the error of docs/errors.md. */
function expectedOf(backend: Name, door: DoorName, each: Case) {
  const { status, type, html } = each.answer
  const isOwn = door !== 'gemini' && formOf[backend] === (door === 'messages' ? 'messages' : 'chat')
  if (!isOwn || html !== undefined || each.code === 'upstream-credential')
    return { ...documented(door, each.code, each.status), message: new RegExp(backend) }
  const inside = door === 'messages' ? 529 : 503
  return {
    status: status === 200 ? inside : status,
    type,
    code: undefined,
    message: /^said by the upstream$/,
  }
}

const upstreams = useUpstreams()
const watch = useWatch()

const played = (backend: Name, each: Case, times: number) => {
  if (backend === 'cursor') upstreams.cursor.play(...Array.from({ length: times }, () => cursorSteps(each)))
  else upstreams[backend].play(...Array.from({ length: times }, () => httpSteps(backend, each)))
}

const tries = (backend: Name) =>
  backend === 'cursor'
    ? upstreams.cursor.requests.filter(({ path }) => path.endsWith('/Run')).length
    : upstreams[backend].requests.filter(({ method }) => method === 'POST').length

/** Retries have a budget and a failing upstream opens the circuit breaker, so each case has its own gateway. */
const start = () =>
  startFaultGateway(
    upstreams,
    { retryPolicy: { retries: 1, baseDelayMs: 1, longestWaitMs: 1_000, longestWaitBesideOthersMs: 0 } },
    { progressMs: 20_000, firstByteMs: 20_000 },
  )

beforeAll(async () => {
  const { gateway, url } = await start()
  for (const backend of backends)
    await ask(url, 'chat', { model: nextModel(backend), turns: [{ user: 'hello' }], stream: true })
  await gateway.close()
  await new Promise((resolve) => setTimeout(resolve, 50))
  watch.mark()
})

describe.each(backends)('%s', (backend) => {
  it.each(spread(cases, 5))('$name', async (each) => {
    const { gateway, url } = await start()
    atTestEnd(() => gateway.close())
    for (const door of doorNames) {
      for (const stream of [true, false]) {
        clear(upstreams)
        played(backend, each, 3)
        const asked = { model: nextModel(backend), turns: [{ user: 'hello' }], stream }
        const { status, headers, error, complete } = await ask(url, door, asked)
        const { code, message, ...expected } = expectedOf(backend, door, each)
        const at = [door, stream ? 'streamed' : 'whole']
        expect([...at, { status, type: error?.type }, complete]).toEqual([...at, expected, false])
        if (code !== undefined) expect([...at, error?.code]).toEqual([...at, code])
        expect(error?.message).toMatch(message)
        expect(error?.message).not.toContain('<')
        expect([...at, headers['retry-after-ms']]).toEqual([...at, each.retryAfterMs])
        expect([...at, 'retry-after', headers['retry-after']]).toEqual([
          ...at,
          'retry-after',
          each.retryAfter,
        ])
        // A refused token is renewed once.
        const isRenewed = backend === 'cursor' && each.answer.status === 401
        expect([...at, tries(backend)]).toEqual([...at, each.isRetried || isRenewed ? 2 : 1])
      }
    }
    clear(upstreams)
    const next = await ask(url, 'chat', {
      model: nextModel(backend),
      turns: [{ user: 'hello' }],
      stream: true,
    })
    expect(next).toMatchObject({ status: 200, complete: true, problems: [] })
    await gateway.close()
    await watch.expectNothingLeft()
  })
})
