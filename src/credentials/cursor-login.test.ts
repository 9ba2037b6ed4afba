import { describe, expect, it } from 'vitest'
import { GatewayError } from '../core/errors.ts'
import type { AuthResponse } from './auth-http.ts'
import { pollDelayMs, startCursorLogin } from './cursor-login.ts'
import { pkceOf } from './pkce.ts'

const pending = { status: 404, text: 'Not found' }
const done = { status: 200, text: JSON.stringify({ accessToken: 'at', refreshToken: 'rt', authId: 'x' }) }
const pkce = pkceOf('verifier')

type Step = AuthResponse | Error

function begin(steps: Step[], options: { signal?: AbortSignal; command?: string } = {}) {
  const asked: string[] = []
  const waits: number[] = []
  const login = startCursorLogin({
    websiteUrl: 'https://cursor.example/',
    pkce,
    uuid: 'u-1',
    ...options,
    signal: options.signal ?? new AbortController().signal,
    request: async ({ method, path, body }) => {
      asked.push(`${method} ${path} ${body ?? ''}`.trim())
      const step = steps.length > 1 ? steps.shift() : steps[0]
      if (step instanceof Error) throw step
      return step as AuthResponse
    },
    sleep: async (ms) => void waits.push(ms),
  })
  return { login, asked, waits }
}

const post = 'POST /auth/poll {"uuid":"u-1","verifier":"verifier"}'
const get = 'GET /auth/poll?uuid=u-1&verifier=verifier'

it('sends the user to the website with the challenge, never with the verifier', () => {
  const { login } = begin([done])
  expect(login.url).toBe(
    `https://cursor.example/loginDeepControl?challenge=${pkce.challenge}&uuid=u-1&mode=login&redirectTarget=cli`,
  )
})

it('asks until it is confirmed, more and more slowly', async () => {
  const { login, asked, waits } = begin([pending, pending, pending, done])
  expect(await login.tokens()).toMatchObject({ accessToken: 'at', refreshToken: 'rt' })
  expect(asked).toEqual([post, post, post, post])
  expect(waits).toEqual([1000, 1200, 1440])
  expect(pollDelayMs(149)).toBe(10_000)
})

describe('older servers', () => {
  it('are asked by GET, and by GET only from then on', async () => {
    const { login, asked } = begin([{ status: 404, text: 'Cannot POST /auth/poll' }, pending, done])
    await login.tokens()
    expect(asked).toEqual([post, get, get])
  })

  it('only by a 404 of that kind: the verifier must not get into logs for less', async () => {
    const { login, asked } = begin([{ status: 405, text: '' }])
    await expect(login.tokens()).rejects.toThrow('HTTP 405')
    expect(asked).toEqual([post, post, post])
  })
})

describe('odd answers', () => {
  const odd = { status: 500, text: 'oops' }

  it('three in a row end it, with the status', async () => {
    const { login, asked } = begin([pending, odd, odd, odd, done])
    await expect(login.tokens()).rejects.toMatchObject({
      code: 'upstream-protocol',
      upstream: { status: 500 },
    })
    expect(asked).toHaveLength(4)
  })

  it('fewer do not', async () => {
    const { login } = begin([odd, odd, pending, odd, odd, done])
    expect(await login.tokens()).toMatchObject({ accessToken: 'at' })
  })

  it('nor does a connection that fails now and then', async () => {
    const gone = new GatewayError('upstream-unavailable', 'not there')
    expect(await begin([gone, gone, pending, gone, done]).login.tokens()).toMatchObject({ accessToken: 'at' })
    await expect(begin([gone]).login.tokens()).rejects.toBe(gone)
  })

  it('200 without tokens is one', async () => {
    await expect(begin([{ status: 200, text: '{}' }]).login.tokens()).rejects.toThrow('without tokens')
  })
})

it('ends some time', async () => {
  const { login, asked } = begin([pending])
  await expect(login.tokens()).rejects.toMatchObject({ code: 'timeout' })
  expect(asked).toHaveLength(150)
  const again = begin([pending], { command: 'program login' }).login.tokens()
  await expect(again).rejects.toThrow('run `program login` again')
})

it('stops at once when it is told to', async () => {
  const stop = new AbortController()
  const login = startCursorLogin({
    websiteUrl: 'https://cursor.example',
    signal: stop.signal,
    request: async () => pending,
    onWait: () => stop.abort(),
  })
  await expect(login.tokens()).rejects.toMatchObject({ code: 'canceled' })
})
