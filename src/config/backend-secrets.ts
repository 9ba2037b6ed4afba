// The credentials in the settings of a backend: they are kept out of logs and answers.

import { mayNameSecret } from '../base/secrets/names.ts'
import type { BackendConfig } from './schema.ts'

/** Credentials of a backend. */
export function backendSecrets(backend: BackendConfig): string[] {
  const query = backend.kind === 'openai' ? backend.query : undefined
  return [
    ...ownSecrets(backend).filter((secret) => secret !== undefined),
    ...secretHeaders(backend.headers),
    ...secretHeaders(query),
  ]
}

interface Credentials {
  apiKey?: string | undefined
  accessToken?: string | undefined
  headers?: Record<string, string> | undefined
}

/** The headers of the backend itself are read with its query. */
const credentialsOf = ({ apiKey, accessToken, headers }: Credentials) => [
  apiKey,
  accessToken,
  ...secretHeaders(headers),
]

function ownSecrets(backend: BackendConfig): (string | undefined)[] {
  if (backend.kind === 'qwen-web') return [backend.token, backend.cookie, ...cookieValues(backend.cookie)]
  if ('provider' in backend && backend.provider === 'vertex') return [backend.accessToken]
  if ('provider' in backend && backend.provider === 'bedrock')
    return [backend.apiKey, backend.secretAccessKey, backend.sessionToken]
  return [backend, ...(backend.accounts ?? [])].flatMap(credentialsOf)
}

/** A service may echo a cookie. Short values are flags that occur in any log. */
const cookieValues = (cookie = '') =>
  cookie
    .split(';')
    .map((pair) => pair.slice(pair.indexOf('=') + 1).trim())
    .filter((value) => value.length >= 12)

/** For headers and for query parameters. */
export const secretHeaders = (named: Record<string, string> = {}) =>
  Object.entries(named).flatMap(([key, value]) => (mayNameSecret(key) ? [value] : []))
