// Credentials with a store in a temporary folder and a clock that the test moves.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { GatewayError } from '../core/errors.ts'
import type { UpstreamRequest } from '../upstream/client.ts'
import type { AuthResponse } from './auth-http.ts'
import { type CursorCredentialOptions, createCursorCredentials } from './cursor.ts'
import { createLoginStore, type Login, type LoginStore } from './store.ts'

export const api = { provider: 'cursor', origin: 'https://api2.cursor.sh' }
export const minute = 60_000
export const start = Date.parse('2026-01-02T03:00:00Z')

export let folder: string
export let store: LoginStore
export let now: number

/** Each test file calls it: files of one worker share this module, and hooks belong to the file that registers them. */
export function useLogins(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dragoman-cursor-'))
    store = createLoginStore(join(folder, 'dragoman'))
    now = start
  })

  afterEach(() => rmSync(folder, { recursive: true, force: true }))
}

export function pass(ms: number): void {
  now += ms
}

/** A token that is valid for this long. */
export function jwt(name: string, forMs: number): string {
  const claims = { exp: Math.floor((now + forMs) / 1000), name }
  return `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${name}`
}

export type Answer = (request: UpstreamRequest) => AuthResponse | Promise<AuthResponse>

export const issue =
  (...tokens: string[]): Answer =>
  () => ({
    status: 200,
    text: JSON.stringify({ accessToken: tokens.shift(), refreshToken: 'rt-new-canary' }),
  })
export const refuse =
  (status: number): Answer =>
  () => ({ status, text: '' })
export const unreachable: Answer = () => {
  throw new GatewayError('upstream-unavailable', 'not there')
}

export function create(answer: Answer, options: Partial<CursorCredentialOptions> = {}) {
  const asked: UpstreamRequest[] = []
  const secrets: string[] = []
  const warnings: string[] = []
  const credentials = createCursorCredentials({
    backend: 'cursor',
    baseUrl: api.origin,
    request: async (request) => {
      asked.push(request)
      // Responses are asynchronous.
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

export const storeLogin = (login: Login) => store.update(api, async () => login)
export const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('should have been refused'),
    (error: GatewayError) => error,
  )
