import { describe, expect, it } from 'vitest'
import type { AuthResponse } from './auth-http.ts'
import {
  create,
  failureOf,
  issue,
  jwt,
  minute,
  pass,
  refuse,
  start,
  storeLogin,
  unreachable,
  useLogins,
} from './cursor.fixture.ts'

useLogins()

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

  it('a program with its own logins has its own words in messages', async () => {
    const words = { loginCommand: 'program login', apiKey: 'the API key' }
    await expect(create(refuse(500), { words }).token()).rejects.toThrow('run `program login`')
    const { token } = create(refuse(401), { words, apiKey: 'config-key' })
    await expect(token()).rejects.toThrow(/the API key was refused .* run `program login`/)
  })

  it('without any: the error says what to do', async () => {
    const { credentials, token } = create(refuse(500))
    expect(await failureOf(token())).toMatchObject({ code: 'unauthenticated' })
    await expect(token()).rejects.toThrow('run `dragoman login cursor`, or set CURSOR_API_KEY')
    expect(await credentials.describe()).toMatchObject({
      source: 'none',
      problem: expect.stringContaining('dragoman login cursor'),
    })
  })

  it('ignores a login for another origin', async () => {
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

describe('a configured token', () => {
  it('is used until it is refused, then named in the error', async () => {
    const { credentials, asked, token } = create(refuse(500), { environment: { accessToken: 'given' } })
    expect(await token()).toBe('given')
    credentials.reject('another')
    expect(await token()).toBe('given')
    credentials.reject('given')
    await expect(token()).rejects.toThrow('CURSOR_ACCESS_TOKEN was refused')
    // A service that was confused for a moment does not need a restart here.
    pass(minute)
    expect(await token()).toBe('given')
    expect(asked).toEqual([])
  })

  it('has its expiry in the error', async () => {
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
    pass(55 * minute)
    expect(await token()).toMatch(/one$/)
    pass(1000)
    expect(await token()).toMatch(/two$/)
    expect(asked).toHaveLength(2)
  })

  it('keeps a valid token while the service is down, and reports the failure after that', async () => {
    let answer = issue(jwt('one', 60 * minute))
    const { token } = create((request) => answer(request), key)
    await token()
    answer = unreachable
    pass(57 * minute)
    expect(await token()).toMatch(/one$/)
    pass(2.5 * minute)
    expect(await failureOf(token())).toMatchObject({ code: 'upstream-unavailable', retryable: true })
  })

  it('is not exchanged for every turn if the local clock is ahead', async () => {
    const key = { apiKey: 'key-canary' }
    const { token, asked } = create(issue(jwt('a', -30 * minute), jwt('b', -30 * minute)), key)
    const first = await token()
    expect(await token()).toBe(first)
    expect(asked).toHaveLength(1)
    pass(2 * minute)
    expect(await token()).not.toBe(first)
  })

  it('an opaque token is used until it is refused', async () => {
    const { credentials, asked, token } = create(issue('one', 'two'), key)
    expect(await token()).toBe('one')
    pass(1e10)
    expect(await token()).toBe('one')
    credentials.reject('one')
    expect(await token()).toBe('two')
    credentials.reject('one')
    expect(await token()).toBe('two')
    expect(asked).toHaveLength(2)
  })

  it('is exchanged once for fifty refused callers', async () => {
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

  it('is named in the error if refused, and not tried again at once', async () => {
    const { credentials, asked, token } = create(refuse(401), { environment: { apiKey: 'crsr_canary' } })
    const failures = await Promise.all(Array.from({ length: 50 }, () => failureOf(token())))
    expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(['unauthenticated']))
    await expect(token()).rejects.toThrow('CURSOR_API_KEY was refused')
    expect(asked).toHaveLength(1)
    expect((await credentials.describe()).problem).toContain('CURSOR_API_KEY was refused')
    pass(minute)
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

  it('an aborted caller does not cancel the exchange for the others', async () => {
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
