import { chmodSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { GatewayError } from '../core/errors.ts'
import {
  api,
  create,
  failureOf,
  issue,
  jwt,
  minute,
  pass,
  refuse,
  start,
  store,
  storeLogin,
  unreachable,
  useLogins,
} from './cursor.fixture.ts'
import type { LoginStore } from './store.ts'

useLogins()

describe('a stored login', () => {
  const login = { accessToken: 'old-canary', refreshToken: 'rt-canary', email: 'a@b.example' }

  it('is used unchanged while it is valid', async () => {
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

  it('a new login and a logout take effect at once', async () => {
    await storeLogin(login)
    const { token } = create(refuse(500))
    expect(await token()).toBe('old-canary')
    await storeLogin({ accessToken: 'other' })
    expect(await token()).toBe('other')
    await store.remove('cursor')
    await expect(token()).rejects.toThrow('there is no login')
  })

  it('is renewed by one request for fifty refused callers, and saved', async () => {
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

  it('uses the renewal of another process', async () => {
    await storeLogin(login)
    const first = create(issue('new-canary'))
    const second = create(issue('new-canary'))
    first.credentials.reject('old-canary')
    second.credentials.reject('old-canary')
    expect(await Promise.all([first.token(), second.token()])).toEqual(['new-canary', 'new-canary'])
    expect(first.asked.length + second.asked.length).toBe(1)
  })

  it('tries the next recipe if an endpoint is missing', async () => {
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

  it('treats the logout flag in the response as a refusal', async () => {
    await storeLogin(login)
    const { credentials, token } = create(() => ({ status: 200, text: '{"shouldLogout":true}' }))
    credentials.reject('old-canary')
    expect(await failureOf(token())).toMatchObject({ code: 'unauthenticated' })
  })

  it('is used until it expires if it cannot be renewed', async () => {
    await storeLogin({ accessToken: jwt('stored', 3 * minute) })
    const { credentials, token } = create(refuse(500))
    expect(await token()).toMatch(/stored$/)
    pass(4 * minute)
    await expect(token()).rejects.toThrow('run `dragoman login cursor`')
    expect((await credentials.describe()).problem).toContain('expired 1 minute ago')
  })

  it('is not renewed for every turn if the local clock is ahead', async () => {
    await storeLogin({ accessToken: jwt('old', -60 * minute), refreshToken: 'rt' })
    const { token, asked } = create(issue(jwt('a', -30 * minute), jwt('b', -30 * minute)))
    const first = await token()
    expect(await token()).toBe(first)
    expect(asked).toHaveLength(1)
    pass(2 * minute)
    expect(await token()).not.toBe(first)
  })

  it('survives a network failure', async () => {
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

  it.each(['folder', 'file'])('survives a %s that cannot be written', async (what) => {
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

  it('refuses a file that others can read, with the remedy', async () => {
    await storeLogin(login)
    chmodSync(store.path, 0o644)
    const { credentials, token } = create(refuse(500))
    await expect(token()).rejects.toThrow(`chmod 600 ${store.path}`)
    expect((await credentials.describe()).problem).toContain('chmod 600')
  })
})
