import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { GatewayError } from '../core/errors.ts'
import type { UpstreamRequest } from '../upstream/client.ts'
import type { AuthResponse } from './auth-http.ts'
import { type CursorCredentialOptions, createCursorCredentials } from './cursor.ts'
import { createLoginStore, type Login, type LoginStore } from './store.ts'

const api = { provider: 'cursor', origin: 'https://api2.cursor.sh' }
const minute = 60_000
const start = Date.parse('2026-01-02T03:00:00Z')

let folder: string
let store: LoginStore
let now: number

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dragoman-cursor-'))
  store = createLoginStore(join(folder, 'dragoman'))
  now = start
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A token that is good for so long from now. */
function jwt(name: string, forMs: number): string {
  const claims = { exp: Math.floor((now + forMs) / 1000), name }
  return `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${name}`
}

type Answer = (request: UpstreamRequest) => AuthResponse | Promise<AuthResponse>

const issue =
  (...tokens: string[]): Answer =>
  () => ({
    status: 200,
    text: JSON.stringify({ accessToken: tokens.shift(), refreshToken: 'rt-new-canary' }),
  })
const refuse =
  (status: number): Answer =>
  () => ({ status, text: '' })
const unreachable: Answer = () => {
  throw new GatewayError('upstream-unavailable', 'not there')
}

function create(answer: Answer, options: Partial<CursorCredentialOptions> = {}) {
  const asked: UpstreamRequest[] = []
  const secrets: string[] = []
  const warnings: string[] = []
  const credentials = createCursorCredentials({
    backend: 'cursor',
    baseUrl: api.origin,
    request: async (request) => {
      asked.push(request)
      // The answer comes some time later, as answers do.
      await new Promise((resolve) => setImmediate(resolve))
      return answer(request)
    },
    store,
    now: () => now,
    registerSecret: (value) => void secrets.push(value),
    warn: (message) => void warnings.push(message),
    ...options,
  })
  return {
    credentials,
    asked,
    secrets,
    warnings,
    token: () => credentials.accessToken(new AbortController().signal),
  }
}

const storeLogin = (login: Login) => store.update(api, async () => login)
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('should have been refused'),
    (error: GatewayError) => error,
  )

describe('which credential counts', () => {
  const all = {
    accessToken: 'config-token',
    apiKey: 'config-key',
    environment: { accessToken: 'environment-token', apiKey: 'environment-key' },
  }

  it.each([
    [all, 'config-token', 'config-token'],
    [{ ...all, accessToken: undefined }, 'config-key', 'Bearer config-key'],
    [{ environment: all.environment }, 'environment-token', 'environment-token'],
    [{ environment: { apiKey: 'environment-key' } }, 'environment-key', 'Bearer environment-key'],
    [{}, 'login', 'stored'],
    [{ apiKey: '', environment: { accessToken: '', apiKey: ' ' } }, 'login', 'stored'],
  ])('%# %j', async (options, source, expected) => {
    await storeLogin({ accessToken: 'stored' })
    const { credentials, asked, token } = create(issue('exchanged'), options)
    expect((await credentials.describe()).source).toBe(source)
    const brought = await token()
    expect(asked[0]?.headers.authorization ?? brought).toBe(expected)
  })

  it('a program with logins of its own has its own words for them', async () => {
    const words = { loginCommand: 'program login', apiKey: 'the API key' }
    await expect(create(refuse(500), { words }).token()).rejects.toThrow('run `program login`')
    const { token } = create(refuse(401), { words, apiKey: 'config-key' })
    await expect(token()).rejects.toThrow(/the API key was refused .* run `program login`/)
  })

  it('none: says what to do', async () => {
    const { credentials, token } = create(refuse(500))
    expect(await failureOf(token())).toMatchObject({ code: 'unauthenticated' })
    await expect(token()).rejects.toThrow('run `dragoman login cursor`, or set CURSOR_API_KEY')
    expect(await credentials.describe()).toMatchObject({
      source: 'none',
      problem: expect.stringContaining('dragoman login cursor'),
    })
  })

  it('a login for another origin is none', async () => {
    await storeLogin({ accessToken: 'stored' })
    const { token } = create(refuse(500), { baseUrl: 'https://other.example/prefix' })
    await expect(token()).rejects.toThrow('`dragoman login cursor --base-url https://other.example`')
  })

  it('a key with a line break inside is not sent', async () => {
    const { asked, token } = create(issue('x'), { apiKey: 'key\r\nx-evil: 1' })
    expect(await failureOf(token())).toMatchObject({ code: 'unauthenticated' })
    expect(asked).toEqual([])
  })
})

describe('a token that was given', () => {
  it('is used until it is refused, then named', async () => {
    const { credentials, asked, token } = create(refuse(500), { environment: { accessToken: 'given' } })
    expect(await token()).toBe('given')
    credentials.reject('another')
    expect(await token()).toBe('given')
    credentials.reject('given')
    await expect(token()).rejects.toThrow('CURSOR_ACCESS_TOKEN was refused')
    // A service that was confused for a moment does not need a restart here.
    now += minute
    expect(await token()).toBe('given')
    expect(asked).toEqual([])
  })

  it('its end is told', async () => {
    const { credentials } = create(refuse(500), { accessToken: jwt('given', -minute) })
    expect((await credentials.describe()).problem).toMatch(
      /"backends\.cursor\.accessToken" expired 1 minute ago/,
    )
  })
})

describe('an API key', () => {
  const key = { apiKey: 'crsr_canary' }

  it('is exchanged as documented, once', async () => {
    const { asked, token, secrets, credentials } = create(issue(jwt('one', 60 * minute)), key)
    expect(await token()).toBe(await token())
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({
      method: 'POST',
      path: '/auth/exchange_user_api_key',
      headers: { authorization: 'Bearer crsr_canary', 'content-type': 'application/json' },
      body: '{}',
    })
    expect(secrets).toEqual(['crsr_canary', await token(), 'rt-new-canary'])
    expect(await credentials.describe()).toMatchObject({
      source: 'config-key',
      expiresAt: start + 60 * minute,
      problem: undefined,
    })
  })

  it('is exchanged again with less than five minutes left', async () => {
    const { asked, token } = create(issue(jwt('one', 60 * minute), jwt('two', 120 * minute)), key)
    await token()
    now += 55 * minute
    expect(await token()).toMatch(/one$/)
    now += 1000
    expect(await token()).toMatch(/two$/)
    expect(asked).toHaveLength(2)
  })

  it('goes on with a good token while the service is down, and says what is wrong after that', async () => {
    let answer = issue(jwt('one', 60 * minute))
    const { token } = create((request) => answer(request), key)
    await token()
    answer = unreachable
    now += 57 * minute
    expect(await token()).toMatch(/one$/)
    now += 2.5 * minute
    expect(await failureOf(token())).toMatchObject({ code: 'upstream-unavailable', retryable: true })
  })

  it('a clock that is ahead does not bring a new token for every turn', async () => {
    const key = { apiKey: 'key-canary' }
    const { token, asked } = create(issue(jwt('a', -30 * minute), jwt('b', -30 * minute)), key)
    const first = await token()
    expect(await token()).toBe(first)
    expect(asked).toHaveLength(1)
    now += 2 * minute
    expect(await token()).not.toBe(first)
  })

  it('an opaque token is used until it is refused', async () => {
    const { credentials, asked, token } = create(issue('one', 'two'), key)
    expect(await token()).toBe('one')
    now += 1e10
    expect(await token()).toBe('one')
    credentials.reject('one')
    expect(await token()).toBe('two')
    credentials.reject('one')
    expect(await token()).toBe('two')
    expect(asked).toHaveLength(2)
  })

  it('fifty who were refused cause one exchange', async () => {
    const { credentials, asked, token } = create(issue('one', 'two', 'three'), key)
    await token()
    const all = await Promise.all(
      Array.from({ length: 50 }, async () => {
        credentials.reject('one')
        return token()
      }),
    )
    expect(new Set(all)).toEqual(new Set(['two']))
    expect(asked).toHaveLength(2)
  })

  it('that is refused is named, and not tried again at once', async () => {
    const { credentials, asked, token } = create(refuse(401), { environment: { apiKey: 'crsr_canary' } })
    const failures = await Promise.all(Array.from({ length: 50 }, () => failureOf(token())))
    expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(['unauthenticated']))
    await expect(token()).rejects.toThrow('CURSOR_API_KEY was refused')
    expect(asked).toHaveLength(1)
    expect((await credentials.describe()).problem).toContain('CURSOR_API_KEY was refused')
    now += minute
    await failureOf(token())
    expect(asked).toHaveLength(2)
  })

  it.each([
    [500, 'upstream-unavailable', true],
    [429, 'rate-limited', true],
    [404, 'upstream-protocol', false],
    [302, 'upstream-protocol', false],
  ])('HTTP %i says nothing about the key', async (status, code, retryable) => {
    const { token } = create(refuse(status), key)
    expect(await failureOf(token())).toMatchObject({ code, retryable })
  })

  it.each(['', '{}', '[]', 'null', '{"accessToken":""}', '{"accessToken":"a\\nb"}'])(
    'an answer without a token: %j',
    async (text) => {
      const { token } = create(() => ({ status: 200, text }), key)
      expect(await failureOf(token())).toMatchObject({ code: 'upstream-protocol' })
    },
  )

  it('a network failure of any kind is not a refusal', async () => {
    const { token } = create(() => Promise.reject(new TypeError('fetch failed')), key)
    expect(await failureOf(token())).toMatchObject({ code: 'upstream-unavailable', retryable: true })
  })

  it('who goes away leaves the exchange to the others', async () => {
    let answer: (response: AuthResponse) => void = () => undefined
    const slow = new Promise<AuthResponse>((resolve) => {
      answer = resolve
    })
    const { credentials, asked, token } = create(() => slow, key)
    const gone = new AbortController()
    const first = failureOf(credentials.accessToken(gone.signal))
    const second = token()
    gone.abort()
    expect(await first).toMatchObject({ code: 'canceled' })
    expect(await failureOf(credentials.accessToken(gone.signal))).toMatchObject({ code: 'canceled' })
    expect(asked[0]?.signal.aborted).toBe(false)
    answer({ status: 200, text: '{"accessToken":"one"}' })
    expect(await second).toBe('one')
    expect(asked).toHaveLength(1)
  })
})

describe('a stored login', () => {
  const login = { accessToken: 'old-canary', refreshToken: 'rt-canary', email: 'a@b.example' }

  it('is used as it is while it lasts', async () => {
    const accessToken = jwt('stored', 10 * minute)
    await storeLogin({ ...login, accessToken })
    const { credentials, asked, token, secrets } = create(refuse(500))
    expect(await token()).toBe(accessToken)
    expect(asked).toEqual([])
    expect(secrets).toEqual([accessToken, 'rt-canary'])
    expect(await credentials.describe()).toMatchObject({
      source: 'login',
      expiresAt: start + 10 * minute,
      email: 'a@b.example',
    })
  })

  it('a new login and a logout count at once', async () => {
    await storeLogin(login)
    const { token } = create(refuse(500))
    expect(await token()).toBe('old-canary')
    await storeLogin({ accessToken: 'other' })
    expect(await token()).toBe('other')
    await store.remove('cursor')
    await expect(token()).rejects.toThrow('there is no login')
  })

  it('is renewed for fifty who were refused by one request, and kept', async () => {
    await storeLogin(login)
    const { credentials, asked, token, secrets } = create(issue('new-canary', 'wrong'))
    const all = await Promise.all(
      Array.from({ length: 50 }, async () => {
        credentials.reject('old-canary')
        return token()
      }),
    )
    expect(new Set(all)).toEqual(new Set(['new-canary']))
    expect(asked).toMatchObject([{ path: '/auth/token', body: '{"refreshToken":"rt-canary"}' }])
    expect(asked[0]?.headers.authorization).toBeUndefined()
    expect(await store.read(api)).toMatchObject({
      accessToken: 'new-canary',
      refreshToken: 'rt-new-canary',
      email: 'a@b.example',
    })
    expect(secrets).toContain('new-canary')
    expect(secrets).toContain('rt-new-canary')
  })

  it('what another process has renewed is taken', async () => {
    await storeLogin(login)
    const first = create(issue('new-canary'))
    const second = create(issue('new-canary'))
    first.credentials.reject('old-canary')
    second.credentials.reject('old-canary')
    expect(await Promise.all([first.token(), second.token()])).toEqual(['new-canary', 'new-canary'])
    expect(first.asked.length + second.asked.length).toBe(1)
  })

  it('where an endpoint is missing, the next recipe is tried', async () => {
    await storeLogin(login)
    const { credentials, asked, token } = create(({ path }) =>
      path === '/auth/refresh'
        ? { status: 200, text: '{"accessToken":"new-canary"}' }
        : { status: 404, text: 'Not found' },
    )
    credentials.reject('old-canary')
    expect(await token()).toBe('new-canary')
    expect(asked.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/auth/token', undefined],
      ['/auth/exchange_user_api_key', 'Bearer rt-canary'],
      ['/auth/refresh', 'Bearer rt-canary'],
    ])
    expect((await store.read(api))?.refreshToken).toBe('rt-canary')
  })

  it.each([401, 403])('HTTP %i: log in again; asked once', async (status) => {
    await storeLogin(login)
    const { credentials, asked, token } = create(refuse(status))
    credentials.reject('old-canary')
    expect(await failureOf(token())).toMatchObject({ code: 'unauthenticated' })
    await expect(token()).rejects.toThrow('run `dragoman login cursor`')
    expect(asked).toHaveLength(1)
    expect((await credentials.describe()).problem).toContain('dragoman login cursor')
    await storeLogin({ accessToken: 'after-login' })
    expect(await token()).toBe('after-login')
  })

  it('no recipe at all: log in again', async () => {
    await storeLogin(login)
    const { credentials, token } = create(refuse(404))
    credentials.reject('old-canary')
    await expect(token()).rejects.toThrow('does not renew it (HTTP 404); run `dragoman login cursor`')
  })

  it('a flag in the answer is a refusal as well', async () => {
    await storeLogin(login)
    const { credentials, token } = create(() => ({ status: 200, text: '{"shouldLogout":true}' }))
    credentials.reject('old-canary')
    expect(await failureOf(token())).toMatchObject({ code: 'unauthenticated' })
  })

  it('that cannot be renewed is used to its end', async () => {
    await storeLogin({ accessToken: jwt('stored', 3 * minute) })
    const { credentials, token } = create(refuse(500))
    expect(await token()).toMatch(/stored$/)
    now += 4 * minute
    await expect(token()).rejects.toThrow('run `dragoman login cursor`')
    expect((await credentials.describe()).problem).toContain('expired 1 minute ago')
  })

  it('a clock that is ahead does not bring a new token for every turn', async () => {
    await storeLogin({ accessToken: jwt('old', -60 * minute), refreshToken: 'rt' })
    const { token, asked } = create(issue(jwt('a', -30 * minute), jwt('b', -30 * minute)))
    const first = await token()
    expect(await token()).toBe(first)
    expect(asked).toHaveLength(1)
    now += 2 * minute
    expect(await token()).not.toBe(first)
  })

  it('a network failure keeps it', async () => {
    await storeLogin(login)
    const { credentials, token } = create(unreachable)
    credentials.reject('old-canary')
    expect(await failureOf(token())).toMatchObject({ code: 'upstream-unavailable', retryable: true })
    expect(await store.read(api)).toMatchObject(login)
  })

  it('with a key: the key is exchanged', async () => {
    await storeLogin({ ...login, apiKey: 'crsr_canary' })
    const { credentials, asked, token } = create(issue('new-canary'))
    credentials.reject('old-canary')
    expect(await token()).toBe('new-canary')
    expect(asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer crsr_canary'])
    expect((await store.read(api))?.apiKey).toBe('crsr_canary')
  })

  it.each(['folder', 'file'])('a %s that cannot be written to does not cost the login', async (what) => {
    await storeLogin(login)
    const closed: LoginStore = {
      ...store,
      isWritable: async () => what === 'file',
      update: async (key, change) => {
        await change(await store.read(key))
        throw new GatewayError('unauthenticated', 'cannot be written (ENOSPC)')
      },
    }
    const { credentials, asked, token, warnings } = create(issue('new-canary', 'newer-canary'), {
      store: closed,
    })
    credentials.reject('old-canary')
    expect(await token()).toBe('new-canary')
    expect(await token()).toBe('new-canary')
    expect(warnings).toEqual([expect.stringContaining('in memory only')])
    credentials.reject('new-canary')
    expect(await token()).toBe('newer-canary')
    expect(asked[1]?.body).toBe('{"refreshToken":"rt-new-canary"}')
  })

  it('an open file is refused, with the remedy', async () => {
    await storeLogin(login)
    chmodSync(store.path, 0o644)
    const { credentials, token } = create(refuse(500))
    await expect(token()).rejects.toThrow(`chmod 600 ${store.path}`)
    expect((await credentials.describe()).problem).toContain('chmod 600')
  })
})

it('neither errors nor descriptions hold a secret', async () => {
  await storeLogin({ accessToken: 'at-canary', refreshToken: 'rt-canary' })
  const answers = [
    refuse(401),
    refuse(404),
    refuse(500),
    () => ({ status: 200, text: '"canary"' }),
    unreachable,
  ]
  for (const answer of answers) {
    for (const options of [{}, { apiKey: 'crsr_canary' }, { accessToken: 'at-canary' }]) {
      const { credentials, token } = create(answer, options)
      credentials.reject('at-canary')
      const { message, upstream } = await failureOf(token())
      expect(JSON.stringify([message, upstream, await credentials.describe()])).not.toContain('canary')
    }
  }
})
