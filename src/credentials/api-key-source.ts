// Tokens for an API key: exchanged when needed, and kept in memory only.

import { GatewayError } from '../core/errors.ts'
import type { AuthRequest } from './auth-http.ts'
import { CredentialRefused, exchangeApiKey } from './cursor-auth.ts'
import { expiryOf } from './jwt.ts'
import {
  type CredentialSource,
  isJustIssued,
  Refusal,
  RejectedTokens,
  renewBeforeMs,
  renewTimeoutMs,
  singleFlight,
  type TokenSource,
  usableMs,
} from './token-source.ts'

interface ApiKeySource {
  source: CredentialSource
  backend: string
  apiKey: string
  /** The name of the setting, for messages: `CURSOR_API_KEY`, `backends.cursor.apiKey`. */
  label: string
  /** The other way to log in. */
  loginCommand: string
  request: AuthRequest
  now: () => number
  keepSecret(value: string | undefined): void
}

export function createApiKeySource(options: ApiKeySource): TokenSource {
  const { source, backend, apiKey, label, loginCommand, request, now, keepSecret } = options
  const rejected = new RejectedTokens()
  const refusal = new Refusal<GatewayError>(now)
  let held:
    | { token: string; at: number; expiresAt: number | undefined; email: string | undefined }
    | undefined

  const leftMs = () => (held?.expiresAt === undefined ? Number.POSITIVE_INFINITY : held.expiresAt - now())

  const exchange = singleFlight(async (_why: undefined): Promise<string> => {
    const refused = refusal.of(apiKey)
    if (refused) throw refused
    try {
      const signal = AbortSignal.timeout(renewTimeoutMs)
      const { accessToken, refreshToken, email } = await exchangeApiKey(apiKey, { backend, request, signal })
      keepSecret(accessToken)
      keepSecret(refreshToken)
      rejected.delete(accessToken)
      held = { token: accessToken, at: now(), expiresAt: expiryOf(accessToken), email }
      return accessToken
    } catch (error) {
      if (!(error instanceof CredentialRefused)) throw error
      const failure = keyRefused({ backend, label, loginCommand }, error.status)
      refusal.set(apiKey, failure)
      throw failure
    }
  })

  return {
    token: async () => {
      if (held === undefined || rejected.has(held.token)) return exchange(undefined)
      if (leftMs() >= renewBeforeMs || isJustIssued(held.at, now())) return held.token
      const { token } = held
      if (leftMs() < usableMs) return exchange(undefined)
      // The token is still valid: a short outage of the service does no harm.
      return exchange(undefined).catch(() => token)
    },
    reject: (token) => rejected.add(token),
    describe: async () => ({
      source,
      expiresAt: held?.expiresAt,
      email: held?.email,
      problem: refusal.of(apiKey)?.message,
    }),
  }
}

const keyRefused = (
  { backend, label, loginCommand }: Pick<ApiKeySource, 'backend' | 'label' | 'loginCommand'>,
  status: number,
) =>
  new GatewayError(
    'unauthenticated',
    `${backend}: ${label} was refused by Cursor (HTTP ${status}); make a new key in Cursor's dashboard, or take it out and run \`${loginCommand}\`.`,
    { upstream: { status } },
  )
