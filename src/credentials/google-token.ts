// Access tokens for Google Cloud: a fixed one, or those of a key file or of the application default credentials by Google's own
// library. Only that library reaches a metadata service; the gateway's connections cannot.

import { GatewayError } from '../core/errors.ts'
import { loadPeer } from './load-peer.ts'
import { type LoadedCredential, RenewedCredential } from './renewed-credential.ts'

interface GoogleToken {
  token: string
  /** The project that pays, if the credentials name one. */
  quotaProject?: string | undefined
}

export interface GoogleTokenSource {
  get(): Promise<GoogleToken>
  /** The service refused this token. True if the next one may differ. */
  reject(token: GoogleToken): boolean
}

export interface GoogleSettings {
  backend: string
  /** Named, so that the library does not search for it with `gcloud`, which takes seconds. */
  project: string
  accessToken?: string | undefined
  keyFile?: string | undefined
  keepSecret(value: string): void
  timeoutMs?: number | undefined
  /** For tests. */
  loadLibrary?: (() => Promise<GoogleLibrary>) | undefined
}

type GoogleLibrary = Pick<typeof import('google-auth-library'), 'GoogleAuth'>

const scopes = 'https://www.googleapis.com/auth/cloud-platform'

export async function createGoogleToken(settings: GoogleSettings): Promise<GoogleTokenSource> {
  const { backend, project, accessToken, keyFile, keepSecret, timeoutMs } = settings
  if (accessToken !== undefined) {
    const fixed = { token: accessToken }
    return { get: async () => fixed, reject: () => false }
  }
  const { GoogleAuth } = await loadPeer(settings.loadLibrary ?? (() => import('google-auth-library')), {
    backend,
    why: 'a service account and the application default credentials',
    name: 'google-auth-library',
    version: '10',
  })
  // A new object each time: the library keeps a token for as long as it believes in it.
  const load = async (): Promise<LoadedCredential<GoogleToken>> => {
    const named = keyFile === undefined ? {} : { keyFilename: keyFile }
    const auth = new GoogleAuth({ scopes, projectId: project, ...named })
    const client = await auth.getClient()
    const { token } = await client.getAccessToken()
    if (!token) throw new GatewayError('upstream-credential', `${backend}: Google issued no access token.`)
    keepSecret(token)
    const value = { token, quotaProject: client.quotaProjectId }
    return { value, expiresAt: client.credentials.expiry_date ?? undefined }
  }
  const remedy =
    keyFile === undefined
      ? 'check GOOGLE_APPLICATION_CREDENTIALS, `gcloud auth application-default login`, or the service account of this machine'
      : `check the key file ${JSON.stringify(keyFile)}`
  return new RenewedCredential({ backend, what: 'Google credentials', remedy, load, timeoutMs })
}
