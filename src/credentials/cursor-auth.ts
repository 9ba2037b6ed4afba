// Cursor's auth endpoints: a key or a refresh token for an access token, and the meaning of their responses.

import { isObject, parseJson } from '../base/json.ts'
import { GatewayError } from '../core/errors.ts'
import type { AuthRequest, AuthResponse } from './auth-http.ts'
import { emailOf, plainEmail } from './jwt.ts'

export interface IssuedTokens {
  accessToken: string
  refreshToken?: string | undefined
  email?: string | undefined
}

interface AuthCall {
  /** The configured name of the backend, for messages. */
  backend: string
  request: AuthRequest
  signal: AbortSignal
}

/** The service refused a credential, with this status. */
export class CredentialRefused extends Error {
  override readonly name = 'CredentialRefused'
  readonly status: number

  constructor(status: number) {
    super(`refused (HTTP ${status})`)
    this.status = status
  }
}

const jsonHeaders = { 'content-type': 'application/json', accept: 'application/json' }

const bearer =
  (path: string) =>
  (credential: string): Form => ({
    path,
    headers: { ...jsonHeaders, authorization: `Bearer ${credential}` },
    body: '{}',
  })

const exchangeForm = bearer('/auth/exchange_user_api_key')

interface Form {
  path: string
  headers: Record<string, string>
  body: string
}

/** An unreachable service says nothing about the credential. */
async function post(form: Form, { backend, request, signal }: AuthCall): Promise<AuthResponse> {
  try {
    return await request({ method: 'POST', ...form, signal })
  } catch (error) {
    if (error instanceof GatewayError && error.code !== 'internal') throw error
    throw new GatewayError(
      'upstream-unavailable',
      `${backend}: Cursor's auth service could not be reached.`,
      {
        cause: error,
      },
    )
  }
}

/** An API key can be exchanged any number of times. */
export async function exchangeApiKey(apiKey: string, call: AuthCall): Promise<IssuedTokens> {
  const answer = await post(exchangeForm(apiKey), call)
  const tokens = readTokens(answer)
  if (tokens) return tokens
  throw failure(answer, call)
}

/**
 * The renewal of a login is undocumented, and known clients use three ways. The one with a dedicated endpoint comes first; if it
 * does not exist, the next is tried. Only a clear refusal ends the login.
 */
const refreshForms = [
  (refreshToken: string): Form => ({
    path: '/auth/token',
    headers: jsonHeaders,
    body: JSON.stringify({ refreshToken }),
  }),
  exchangeForm,
  bearer('/auth/refresh'),
]

/** The endpoint does not exist, or expects another request. */
const notThisForm = new Set([400, 404, 405, 415, 422])

export async function refreshTokens(refreshToken: string, call: AuthCall): Promise<IssuedTokens> {
  let status = 404
  for (const form of refreshForms) {
    const answer = await post(form(refreshToken), call)
    const tokens = readTokens(answer)
    // Without a new refresh token, the old one stays valid.
    if (tokens) return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken }
    if (!notThisForm.has(answer.status)) throw failure(answer, call)
    status = answer.status
  }
  throw new CredentialRefused(status)
}

/** Undefined for a response without a token. */
export function readTokens({ status, text }: AuthResponse): IssuedTokens | undefined {
  if (status !== 200) return undefined
  const body = parseJson(text)
  if (!isObject(body)) return undefined
  const field = (...names: string[]) =>
    names.map((name) => body[name]).find((value) => typeof value === 'string' && isToken(value)) as
      | string
      | undefined
  const accessToken = field('accessToken', 'access_token')
  if (accessToken === undefined) return undefined
  return {
    accessToken,
    refreshToken: field('refreshToken', 'refresh_token'),
    email: (typeof body.email === 'string' ? plainEmail(body.email) : undefined) ?? emailOf(accessToken),
  }
}

/** Only characters that a header can hold. */
export const isToken = (text: string) => /^[\x21-\x7e]+$/.test(text)

function failure({ status, text, retryAfterMs }: AuthResponse, { backend }: AuthCall): Error {
  if (status === 401 || status === 403) return new CredentialRefused(status)
  // A revoked refresh token gets 200 and this flag.
  const body = parseJson(text)
  if (status === 200 && isObject(body) && body.shouldLogout === true) return new CredentialRefused(status)
  const upstream = { status }
  if (status === 429)
    return new GatewayError('rate-limited', `${backend}: Cursor issues no token now (HTTP 429); try later.`, {
      retryAfterMs,
      upstream,
    })
  if (status >= 500)
    return new GatewayError(
      'upstream-unavailable',
      `${backend}: Cursor could not issue a token (HTTP ${status}).`,
      { retryAfterMs, upstream },
    )
  return new GatewayError(
    'upstream-protocol',
    `${backend}: no token came from Cursor's auth endpoint (HTTP ${status}); is "baseUrl" right?`,
    { retryable: false, upstream },
  )
}
