// The credential of a Cursor backend, and its current access token.

import { GatewayError } from '../core/errors.ts'
import { createApiKeySource } from './api-key-source.ts'
import type { AuthRequest } from './auth-http.ts'
import { isToken } from './cursor-auth.ts'
import { defaultCursorUrl } from './cursor-settings.ts'
import { expiryInWords } from './expiry.ts'
import { emailOf, expiryOf } from './jwt.ts'
import { LoginSource } from './login-source.ts'
import { type LoginStore, loginName } from './store.ts'
import { type CredentialSource, type CredentialState, Refusal, type TokenSource } from './token-source.ts'

export interface CursorCredentials {
  /** A token that is valid for at least a minute. Exchanges or refreshes if needed, once for all concurrent callers. */
  accessToken(signal: AbortSignal): Promise<string>
  /** The service refused this token: the next accessToken() must return another. No-op if it was replaced already. */
  reject(token: string): void
  /** For status and doctor; never holds a secret. */
  describe(): Promise<CredentialState>
}

export interface CredentialWords {
  /** The command for a new login. */
  loginCommand: string
  /** The name of the setting that holds the key. */
  apiKey: string
}

export interface CursorCredentialOptions {
  /** The configured name of the backend, for messages. */
  backend: string
  baseUrl: string
  /** The name of the account in a pool: its login has that name. */
  account?: string | undefined
  /** From the backend's configuration. */
  accessToken?: string | undefined
  apiKey?: string | undefined
  /** CURSOR_ACCESS_TOKEN and CURSOR_API_KEY. */
  environment?: { accessToken?: string | undefined; apiKey?: string | undefined } | undefined
  /** Bound to the origin of `baseUrl`. */
  request: AuthRequest
  store: LoginStore
  now?: () => number
  /** Called with every key and token before it is used, for the log's scrubber. */
  registerSecret?: ((value: string) => void) | undefined
  /** Names for messages in a program with its own logins; the default names are those of the configuration and the CLI. */
  words?: CredentialWords | undefined
  /** For problems that do not stop the turn. */
  warn?: ((message: string) => void) | undefined
}

/** The first credential that is set counts: configuration, environment, stored login. If it fails, the next is not tried. */
export function createCursorCredentials(options: CursorCredentialOptions): CursorCredentials {
  const source = chooseSource(options)
  return {
    accessToken: (signal) => unlessAborted(signal, () => source.token()),
    reject: (token) => source.reject(token),
    describe: () => source.describe(),
  }
}

function chooseSource(options: CursorCredentialOptions): TokenSource {
  const { backend, environment = {}, request, store, now = Date.now, words } = options
  const { origin } = new URL(options.baseUrl)
  const login = loginName(options.account)
  const loginCommand = words?.loginCommand ?? defaultLoginCommand(origin, login)
  const keepSecret = secretKeeper(options.registerSecret)
  const token = (source: CredentialSource, label: string) => (value: string) =>
    createFixedSource({ source, backend, token: value, label, now })
  const key = (source: CredentialSource, label: string) => (value: string) =>
    createApiKeySource({
      source,
      backend,
      apiKey: value,
      label,
      loginCommand: words?.loginCommand ?? 'dragoman login cursor',
      request,
      now,
      keepSecret,
    })
  const inOrder = [
    [options.accessToken, `"backends.${backend}.accessToken"`, 'config-token', token],
    [options.apiKey, words?.apiKey ?? `"backends.${backend}.apiKey"`, 'config-key', key],
    [environment.accessToken, 'CURSOR_ACCESS_TOKEN', 'environment-token', token],
    [environment.apiKey, 'CURSOR_API_KEY', 'environment-key', key],
  ] as const
  for (const [given, label, source, create] of inOrder) {
    const value = given?.trim()
    if (!value) continue
    keepSecret(value)
    return isToken(value) ? create(source, label)(value) : createBrokenSource(source, `${backend}: ${label}`)
  }
  return new LoginSource({
    backend,
    key: { provider: 'cursor', origin, account: login },
    loginCommand,
    store,
    request,
    now,
    keepSecret,
    warn: options.warn ?? (() => undefined),
  })
}

const defaultLoginCommand = (origin: string, login: string | undefined) =>
  `dragoman login cursor${origin === defaultCursorUrl ? '' : ` --base-url ${origin}`}${login === undefined ? '' : ` --as ${login}`}`

function secretKeeper(register: ((value: string) => void) | undefined) {
  const known = new Set<string>()
  return (value: string | undefined) => {
    if (!value || known.has(value)) return
    known.add(value)
    register?.(value)
  }
}

interface FixedSource {
  source: CredentialSource
  backend: string
  token: string
  label: string
  now: () => number
}

/** A fixed token. It cannot be renewed, but the local clock does not decide that it has expired. */
function createFixedSource({ source, backend, token, label, now }: FixedSource): TokenSource {
  const refusal = new Refusal<GatewayError>(now)
  const expiresAt = expiryOf(token)
  const expired = () => expiresAt !== undefined && expiresAt <= now()
  const failure = (why: string) =>
    new GatewayError(
      'unauthenticated',
      `${backend}: ${label} ${why}; set a new one, or take it out and run \`dragoman login cursor\`.`,
    )
  return {
    token: async () => {
      const refused = refusal.of(token)
      if (refused) throw refused
      return token
    },
    reject: (refused) => {
      if (refused !== token) return
      const why = expired() ? `${expiryInWords(expiresAt, now())}` : 'was refused by Cursor'
      refusal.set(token, failure(why))
    },
    describe: async () => ({
      source,
      expiresAt,
      email: emailOf(token),
      problem: (expired() ? failure(expiryInWords(expiresAt, now())) : refusal.of(token))?.message,
    }),
  }
}

function createBrokenSource(source: CredentialSource, label: string): TokenSource {
  const problem = `${label} holds characters that no key has; copy it once more.`
  return {
    token: async () => {
      throw new GatewayError('unauthenticated', problem)
    },
    reject: () => undefined,
    describe: async () => ({ source, problem }),
  }
}

/** An aborted caller stops waiting; the work goes on for the others. */
async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  if (signal.aborted) throw GatewayError.ofAbort(signal)
  let onAbort: (() => void) | undefined
  const gone = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(GatewayError.ofAbort(signal))
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([work(), gone])
  } finally {
    if (onAbort) signal.removeEventListener('abort', onAbort)
  }
}
