// "Cursor account (browser)": the login is kept where `dragoman login cursor` keeps it, and is renewed there, once for all
// windows and the CLI. OpenCode's own file only says that there is one.

import type { Environment } from '../config/environment.ts'
import { authRequestOver } from '../credentials/auth-http.ts'
import { startCursorLogin } from '../credentials/cursor-login.ts'
import { type CursorSettings, createAuthClient } from '../credentials/cursor-settings.ts'
import { expiryOf } from '../credentials/jwt.ts'
import { createLoginStore } from '../credentials/store.ts'
import type { AuthMethod, OAuthStart } from './host.ts'

export interface BrowserLogin {
  settings(): CursorSettings
  environment: Environment
  /** Aborts when OpenCode lets go of the plugin. */
  signal: AbortSignal
}

const elsewhere = 'kept by dragoman'

export const browserLogin = (login: BrowserLogin): AuthMethod => ({
  type: 'oauth',
  label: 'Cursor account (browser)',
  authorize: () => authorize(login),
})

async function authorize({ settings: read, environment, signal }: BrowserLogin): Promise<OAuthStart> {
  const settings = read()
  const store = createLoginStore(environment.dataFolder)
  await store.list()
  if (!(await store.isWritable()))
    throw new Error(`The login cannot be kept in ${store.path}; set XDG_DATA_HOME to a folder that can be.`)
  const client = createAuthClient(settings, environment)
  const { websiteUrl, baseUrl, headers } = settings
  const login = startCursorLogin({ websiteUrl, request: authRequestOver(client, headers), signal })
  return {
    url: login.url,
    instructions: 'Confirm the login in your browser; this goes on by itself then.',
    method: 'auto',
    async callback() {
      try {
        const tokens = await login.tokens()
        const key = { provider: 'cursor', origin: new URL(baseUrl).origin }
        await store.update(key, async () => ({ ...tokens, savedAt: Date.now() }))
        const expires = expiryOf(tokens.accessToken) ?? 0
        return { type: 'success', access: elsewhere, refresh: elsewhere, expires }
      } finally {
        await client.close()
      }
    },
  }
}
