// Error statuses of upstreams, on every backend, through every door, streamed and whole: the client gets the status, type and code
// of docs/errors.md, after as many retries as the code allows.

import { beforeAll, describe, expect, it } from 'vitest'
import type { CursorStep } from '../../sim/cursor.ts'
import type { Step } from '../../sim/script.ts'
import type { ErrorCode } from '../../src/core/errors.ts'
import { atTestEnd } from '../at-end.ts'
import { share, spread } from '../depth.ts'
import { documented } from './documented.ts'
import { ask, type DoorName, doorNames } from './doors.ts'
import { useWatch } from './frame.ts'
import { clear, type HttpName, isCloud, nextModel, startFaultGateway, useUpstreams } from './upstreams.ts'

const backends = ['anthropic', 'gemini', 'openai', 'text', 'cursor', 'bedrock', 'vertex'] as const
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

function httpSteps(
  backend: HttpName,
  { answer: { status, headers, type, html } }: Case,
  stream: boolean,
): Step[] {
  const message = 'said by the upstream'
  const anthropic = { type: 'error', error: { type, message } }
  // Clouds answer 200 before the model itself fails: Bedrock's stream then has an exception in it.
  const isInside = isCloud(backend) && status === 200 && html === undefined
  if (isInside && stream) return [{ frame: anthropic, event: 'error' }]
  const google = { error: { code: status === 200 ? 503 : status, message, status: googleWord(status) } }
  const openai = { error: { message, type, code: null } }
  const bodies: Record<HttpName, unknown> = {
    anthropic,
    bedrock: { message },
    gemini: google,
    openai,
    text: openai,
    // The streaming method answers with a list.
    vertex: [google],
  }
  const word = backend === 'bedrock' && !isInside ? awsWord(status) : undefined
  const named = word === undefined ? {} : { 'x-amzn-errortype': word }
  const body = html ?? (isInside ? anthropic : bodies[backend])
  return [{ status, body, headers: { ...named, ...headers } }]
}

function cursorSteps({ answer: { status, headers, html } }: Case): CursorStep[] {
  if (status === 200 && html === undefined)
    return [{ error: { code: 'unavailable', message: 'said by the upstream' } }]
  return [{ status, body: html ?? { message: 'said by the upstream' }, ...(headers ? { headers } : {}) }]
}

const googleWords = new Map([
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [408, 'DEADLINE_EXCEEDED'],
  [429, 'RESOURCE_EXHAUSTED'],
  [500, 'INTERNAL'],
])

const googleWord = (status: number) =>
  googleWords.get(status) ?? (status >= 500 || status === 200 ? 'UNAVAILABLE' : 'INVALID_ARGUMENT')

const awsWords = new Map([
  [400, 'ValidationException'],
  [401, 'UnrecognizedClientException'],
  [403, 'AccessDeniedException'],
  [404, 'ResourceNotFoundException'],
  [408, 'ModelTimeoutException'],
  [429, 'ThrottlingException'],
  [500, 'InternalServerException'],
  [503, 'ServiceUnavailableException'],
])

/** Others are of what stands before Bedrock, and have no word. */
const awsWord = (status: number) => awsWords.get(status)

/** In other protocols the service's code is kept. */
const ownCodes: Partial<Record<Name, (status: number) => string | undefined>> = {
  bedrock: (status) => (status === 404 ? 'model_not_found' : awsWord(status)),
  vertex: googleWord,
}

/** Whose form the service's errors have. */
const formOf: Partial<Record<Name, string>> = {
  anthropic: 'messages',
  gemini: 'gemini',
  openai: 'chat',
  text: 'chat',
}

/** The form that a door's dialect has. */
const formOfDoor = (door: DoorName) => (door === 'responses' ? 'chat' : door)

/** Clients know OpenAI's codes for these. */
const keptOut = new Set<ErrorCode>(['rate-limited', 'upstream-credential'])

/** The service's own error if it speaks the door's dialect, or else the error of docs/errors.md. */
function expectedOf(backend: Name, door: DoorName, each: Case) {
  const { status, type, html } = each.answer
  const isInside = isCloud(backend) && status === 200 && html === undefined
  const isOwn = (isInside ? 'messages' : formOf[backend]) === formOfDoor(door)
  if (!isOwn || html !== undefined || each.code === 'upstream-credential') {
    const shown = documented(door, each.code, each.status)
    const isKept = html === undefined && !keptOut.has(each.code)
    const own = isKept && shown.code !== undefined ? ownCodes[backend]?.(status) : undefined
    return { ...shown, code: isInside ? undefined : (own ?? shown.code), message: new RegExp(backend) }
  }
  const inside = door === 'messages' ? 529 : 503
  return {
    status: status === 200 ? inside : status,
    type: door === 'gemini' ? googleWord(status) : type,
    code: undefined,
    message: /^said by the upstream$/,
  }
}

const upstreams = useUpstreams()
const watch = useWatch()

const played = (backend: Name, each: Case, stream: boolean, times: number) => {
  if (backend === 'cursor') upstreams.cursor.play(...Array.from({ length: times }, () => cursorSteps(each)))
  else upstreams[backend].play(...Array.from({ length: times }, () => httpSteps(backend, each, stream)))
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

const forms = doorNames.flatMap((door) => [true, false].map((stream) => ({ door, stream })))

function casesOf(backend: Name): Case[] {
  if (isCloud(backend)) return spread(share(cases, 4), 1)
  return backend === 'gemini' ? spread(share(cases, 6), 1) : spread(cases, 3)
}

describe.each(backends)('%s', (backend) => {
  it.each(casesOf(backend))('$name', async (each) => {
    const { gateway, url } = await start()
    atTestEnd(() => gateway.close())
    for (const { door, stream } of spread(forms, 4)) {
      clear(upstreams)
      played(backend, each, stream, 3)
      const asked = { model: nextModel(backend), turns: [{ user: 'hello' }], stream }
      const { status, headers, error, complete } = await ask(url, door, asked)
      const { code, message, ...expected } = expectedOf(backend, door, each)
      const at = [door, stream ? 'streamed' : 'whole']
      expect([...at, { status, type: error?.type }, complete]).toEqual([...at, expected, false])
      if (code !== undefined) expect([...at, error?.code]).toEqual([...at, code])
      expect(error?.message).toMatch(message)
      expect(error?.message).not.toContain('<')
      expect([...at, headers['retry-after-ms']]).toEqual([...at, each.retryAfterMs])
      expect([...at, 'retry-after', headers['retry-after']]).toEqual([...at, 'retry-after', each.retryAfter])
      // A refused token is renewed once.
      const isRenewed = backend === 'cursor' && each.answer.status === 401
      expect([...at, tries(backend)]).toEqual([...at, each.isRetried || isRenewed ? 2 : 1])
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
