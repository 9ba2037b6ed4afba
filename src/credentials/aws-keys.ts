// The keys for requests to AWS: fixed ones, or those of a profile or role by AWS's own library. Only that library reaches a metadata
// service; the gateway's connections cannot.

import { loadPeer } from './load-peer.ts'
import { type LoadedCredential, RenewedCredential } from './renewed-credential.ts'

export interface AwsKeys {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
}

export interface AwsKeySource {
  get(): Promise<AwsKeys>
  /** The service refused these keys. True if the next ones may differ. */
  reject(keys: AwsKeys): boolean
}

export interface AwsSettings {
  backend: string
  region: string
  profile?: string | undefined
  accessKeyId?: string | undefined
  secretAccessKey?: string | undefined
  sessionToken?: string | undefined
  variable(name: string): string | undefined
  keepSecret(value: string): void
  timeoutMs?: number | undefined
  /** For tests. */
  loadLibrary?: (() => Promise<AwsLibrary>) | undefined
}

type AwsLibrary = Pick<typeof import('@aws-sdk/credential-provider-node'), 'defaultProvider'>

/** Configured keys, those of the environment unless a profile is named, else the library's chain. */
export async function createAwsKeys(settings: AwsSettings): Promise<AwsKeySource> {
  const fixed = fixedKeys(settings)
  if (fixed === undefined) return chainOf(settings)
  keepSecrets(fixed, settings)
  return { get: async () => fixed, reject: () => false }
}

function fixedKeys(settings: AwsSettings): AwsKeys | undefined {
  const { accessKeyId, secretAccessKey, sessionToken, profile, variable } = settings
  if (accessKeyId !== undefined && secretAccessKey !== undefined)
    return { accessKeyId, secretAccessKey, sessionToken }
  const [id, secret] = [variable('AWS_ACCESS_KEY_ID'), variable('AWS_SECRET_ACCESS_KEY')]
  if (profile !== undefined || !id || !secret) return undefined
  return {
    accessKeyId: id,
    secretAccessKey: secret,
    sessionToken: variable('AWS_SESSION_TOKEN') || undefined,
  }
}

function keepSecrets({ secretAccessKey, sessionToken }: AwsKeys, { keepSecret }: AwsSettings): void {
  keepSecret(secretAccessKey)
  if (sessionToken !== undefined) keepSecret(sessionToken)
}

async function chainOf(settings: AwsSettings): Promise<AwsKeySource> {
  const { backend, region, profile, timeoutMs } = settings
  const { defaultProvider } = await loadPeer(
    settings.loadLibrary ?? (() => import('@aws-sdk/credential-provider-node')),
    {
      backend,
      why: 'the credentials of a profile or role',
      name: '@aws-sdk/credential-provider-node',
      version: '3',
    },
  )
  const provide = defaultProvider({
    ...(profile === undefined ? {} : { profile }),
    clientConfig: { region },
    // Else the library reads each file once for the whole process, and `forceRefresh` does not change that.
    ignoreCache: true,
    maxRetries: 1,
    timeout: 2_000,
  })
  const load = async (isForced: boolean): Promise<LoadedCredential<AwsKeys>> => {
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = await provide({
      forceRefresh: isForced,
    })
    const value = { accessKeyId, secretAccessKey, sessionToken }
    keepSecrets(value, settings)
    return { value, expiresAt: expiration?.getTime() }
  }
  const remedy =
    profile === undefined
      ? 'check the role of this machine, the variables AWS_…, or name a "profile"'
      : `check the profile ${JSON.stringify(profile)} (\`aws sts get-caller-identity --profile ${profile}\`)`
  return new RenewedCredential({ backend, what: 'AWS credentials', remedy, load, timeoutMs })
}
