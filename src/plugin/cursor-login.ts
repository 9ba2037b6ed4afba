// "Cursor account (browser)": stores the login where `dragoman login cursor` stores it, so that all windows and the CLI share
// one renewal. OpenCode's own file only records that there is a login.

import type { Environment } from '../config/environment.ts'
import { authRequestOver } from '../credentials/auth-http.ts'
import { startCursorLogin } from '../credentials/cursor-login.ts'
import { type CursorSettings, createAuthClient, defaultCursorUrl } from '../credentials/cursor-settings.ts'
import { expiryOf } from '../credentials/jwt.ts'
import { createLoginStore } from '../credentials/store.ts'
import type { AuthMethod, OAuthStart } from './host.ts'
import type { Report } from './report.ts'
import { credentialWords } from './settings.ts'

interface BrowserLogin {
  settings(): CursorSettings
  environment: Environment
  report: Report
  /** Aborts when OpenCode disposes of the plugin. */
  signal: AbortSignal
}

const elsewhere = 'kept by dragoman'

export const browserLogin = (login: BrowserLogin): AuthMethod => ({
  type: 'oauth',
  label: 'Cursor account (browser)',
  authorize: () => told(login, () => authorize(login)),
})

/** Reports the reason: OpenCode's screen shows only that the login failed. */
async function told<T>({ report, signal }: BrowserLogin, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!signal.aborted) report.problem(`dragoman-cursor: ${(error as Error).message}`)
    throw error
  }
}

async function authorize(browserLogin: BrowserLogin): Promise<OAuthStart> {
  const { settings: read, environment, signal } = browserLogin
  const settings = read()
  const store = createLoginStore(environment.dataFolder)
  await store.list()
  if (!(await store.isWritable()))
    throw new Error(`The login cannot be stored in ${store.path}; set XDG_DATA_HOME to a writable folder.`)
  const client = createAuthClient(settings, environment)
  const { websiteUrl, baseUrl, headers } = settings
  const { origin } = new URL(baseUrl)
  const request = authRequestOver(client, headers)
  const login = startCursorLogin({ websiteUrl, request, signal, command: credentialWords.loginCommand })
  const finish = async () => {
    try {
      const tokens = await login.tokens()
      await store.update({ provider: 'cursor', origin }, async () => ({ ...tokens, savedAt: Date.now() }))
      const expires = expiryOf(tokens.accessToken) ?? 0
      return { type: 'success', access: elsewhere, refresh: elsewhere, expires } as const
    } finally {
      await client.close()
    }
  }
  const whose = origin === defaultCursorUrl ? '' : ` It is for ${origin}.`
  return {
    url: login.url,
    instructions: `Confirm the login in your browser; this goes on by itself then.${whose}`,
    method: 'auto',
    callback: () => told(browserLogin, finish),
  }
}
