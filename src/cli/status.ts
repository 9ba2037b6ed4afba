// `dragoman status`: the credential of each backend and its expiry, from this machine's files only. `doctor` asks the services.

import { version } from '../base/version.ts'
import { secretHeaders } from '../config/backend-secrets.ts'
import { type Environment, readEnvironment } from '../config/environment.ts'
import { findConfigFile, loadConfig } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import { GatewayError } from '../core/errors.ts'
import { createCursorCredentials } from '../credentials/cursor.ts'
import { type CursorSettings, cursorEnvironment } from '../credentials/cursor-settings.ts'
import { expiryInWords, isoDate } from '../credentials/expiry.ts'
import { expiryOf } from '../credentials/jwt.ts'
import { createLoginStore, type LoginStore } from '../credentials/store.ts'
import type { CredentialSource } from '../credentials/token-source.ts'
import { out, outJson } from '../process/output.ts'

interface BackendStatus {
  /** BACKEND, or BACKEND@ACCOUNT. */
  name: string
  kind: string
  origin?: string
  source: CredentialSource | 'config-headers' | 'cloud'
  expiresAt?: number | undefined
  email?: string | undefined
  problem?: string | undefined
}

interface LoginStatus {
  provider: string
  origin: string
  /** The name of one of several. */
  account?: string | undefined
  expiresAt: number | undefined
  renewable: boolean
  email: string | undefined
}

interface StoreStatus {
  path: string
  logins: LoginStatus[]
  problem?: string
}

export async function status(flags: { config?: string; json?: boolean }): Promise<void> {
  const environment = readEnvironment()
  const store = createLoginStore(environment.dataFolder)
  const file = findConfigFile(flags.config, environment)
  const loaded = file === undefined ? undefined : loadConfig(flags.config, environment, { unset: 'kept' })
  const credentials = loaded ? credentialsOf(loaded.config) : []
  const backends = await Promise.all(
    credentials.map(async (one) =>
      withMissing(await stateOf(one, { environment, store }), one, loaded?.missing ?? []),
    ),
  )
  const logins = await storeState(store)
  const ok = logins.problem === undefined && backends.every(({ problem }) => problem === undefined)
  if (flags.json) printJson({ version, ok, config: file, backends, store: logins })
  else printLines(backends, logins, file)
  if (!ok) process.exitCode = 1
}

/** `backends.claude.apiKey: the variable … is not set`; of an account: `backends.claude.accounts[0].apiKey: …` */
function withMissing(
  state: BackendStatus,
  { name, at }: Credential,
  missing: readonly string[],
): BackendStatus {
  const own = missing.filter(
    (problem) =>
      problem.startsWith(`backends.${name}.`) &&
      (at === undefined || !/^[^:]*\.accounts\[/.test(problem) || problem.includes(`.accounts[${at}].`)),
  )
  return own.length === 0 ? state : { ...state, problem: own.join('; ') }
}

/** One credential of a backend. */
interface Credential {
  name: string
  backend: Config['backends'][string]
  /** The account, and its place in the list. */
  account?: string
  at?: number
}

/** A backend with several accounts is shown once for each. */
function credentialsOf({ backends }: Config): Credential[] {
  return Object.entries(backends).flatMap(([name, backend]): Credential[] => {
    const accounts = 'accounts' in backend ? backend.accounts : undefined
    if (!accounts) return [{ name, backend }]
    return accounts.map(({ name: account, ...own }, at) => ({
      ...{ name, account, at },
      backend: { ...backend, ...own } as Config['backends'][string],
    }))
  })
}

async function stateOf(
  { name, backend, account }: Credential,
  context: { environment: Environment; store: LoginStore },
): Promise<BackendStatus> {
  const label = account === undefined ? name : `${name}@${account}`
  if (backend.kind !== 'cursor') return keyState(label, backend)
  return cursorState({ ...backend, name: label }, account, context)
}

async function cursorState(
  settings: CursorSettings,
  account: string | undefined,
  { environment, store }: { environment: Environment; store: LoginStore },
): Promise<BackendStatus> {
  const { name, baseUrl, apiKey, accessToken } = settings
  const credentials = createCursorCredentials({
    backend: name,
    baseUrl,
    apiKey,
    accessToken,
    account,
    // The variables are one credential, which cannot be that of several accounts.
    environment: account === undefined ? cursorEnvironment(environment) : undefined,
    store,
    request: async () => {
      throw new GatewayError('unsupported', '`dragoman status` does not contact the service.')
    },
  })
  const state = await credentials.describe()
  const prefix = `${name}: `
  const problem = state.problem?.startsWith(prefix) ? state.problem.slice(prefix.length) : state.problem
  return { name, kind: 'cursor', origin: new URL(baseUrl).origin, ...state, problem }
}

/** A self-hosted server may need no key, so a missing key is no problem. */
function keyState(name: string, backend: Config['backends'][string]): BackendStatus {
  const { kind, baseUrl, headers } = backend
  const { origin } = new URL(baseUrl)
  if (kind === 'qwen-web') {
    const expiresAt = expiryOf(backend.token)
    const ended = expiresAt !== undefined && expiresAt <= Date.now()
    const problem = ended ? `its token ${expiryInWords(expiresAt, Date.now())}; set a new one` : undefined
    return { name, kind, origin, source: 'config-token', expiresAt, problem }
  }
  if (kind === 'anthropic' && backend.provider === 'vertex')
    return { name, kind, origin, source: backend.accessToken ? 'config-token' : 'cloud' }
  if (kind === 'anthropic' && backend.provider === 'bedrock') {
    const isKey = backend.apiKey !== undefined || backend.accessKeyId !== undefined
    return { name, kind, origin, source: isKey ? 'config-key' : 'cloud' }
  }
  const source = backend.apiKey ? 'config-key' : secretHeaders(headers).length > 0 ? 'config-headers' : 'none'
  return { name, kind, origin, source }
}

async function storeState(store: LoginStore): Promise<StoreStatus> {
  try {
    const logins = (await store.list()).map(({ provider, origin, account, login }) => ({
      provider,
      origin,
      account,
      expiresAt: expiryOf(login.accessToken),
      renewable: login.refreshToken !== undefined || login.apiKey !== undefined,
      email: login.email,
    }))
    return { path: store.path, logins }
  } catch (error) {
    return { path: store.path, logins: [], problem: GatewayError.from(error).message }
  }
}

function printJson(report: unknown): void {
  const asDates = (key: string, value: unknown) =>
    key === 'expiresAt' && typeof value === 'number' ? isoDate(value) : value
  outJson(report, asDates)
}

const sources: Record<BackendStatus['source'], string> = {
  'config-token': 'token from the configuration',
  'config-key': 'key from the configuration',
  'config-headers': 'header from the configuration',
  'environment-token': 'token from CURSOR_ACCESS_TOKEN',
  'environment-key': 'key from CURSOR_API_KEY',
  login: 'stored login',
  cloud: "found at the first request by the cloud's own rules (`dragoman doctor` tries it)",
  none: 'no credential is set',
}

function printLines(backends: BackendStatus[], store: StoreStatus, file: string | undefined): void {
  const now = Date.now()
  const lines = backends.map(({ name, problem, source, email, expiresAt }) =>
    problem === undefined
      ? `ok      backend ${name}: ${[sources[source], email, source === 'none' ? undefined : validity(expiresAt, source, now)].filter(Boolean).join(', ')}`
      : `PROBLEM backend ${name}: ${problem}`,
  )
  if (file === undefined) lines.push('There is no configuration file, so there are no backends.')
  if (store.problem !== undefined) lines.push(`PROBLEM logins: ${store.problem}`)
  else if (store.logins.length === 0) lines.push('There are no stored logins.')
  for (const { provider, origin, account, email, expiresAt, renewable } of store.logins) {
    const ended = expiresAt !== undefined && expiresAt <= now
    const renewal = renewable ? `, renewed ${ended ? 'at its next use' : 'automatically'}` : ''
    const until = `${expiryInWords(expiresAt, now)}${renewal}`
    const which = account === undefined ? '' : ` as ${account}`
    lines.push(`login   ${provider} at ${origin}${which}: ${[email, until].filter(Boolean).join(', ')}`)
  }
  out(`${lines.join('\n')}\n`)
}

/** API keys carry no expiry. */
function validity(expiresAt: number | undefined, source: string, now: number): string | undefined {
  return expiresAt === undefined && source !== 'login' ? undefined : expiryInWords(expiresAt, now)
}
