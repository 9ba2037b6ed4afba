// `dragoman status`: the credential of each backend and its expiry, from this machine's files only. `doctor` asks the services.

import { version } from '../base/version.ts'
import { type Environment, readEnvironment } from '../config/environment.ts'
import { findConfigFile, loadConfig, secretHeaders } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import { GatewayError } from '../core/errors.ts'
import { createCursorCredentials } from '../credentials/cursor.ts'
import { type CursorSettings, cursorEnvironment, cursorSettings } from '../credentials/cursor-settings.ts'
import { expiryInWords, isoDate } from '../credentials/expiry.ts'
import { expiryOf } from '../credentials/jwt.ts'
import { createLoginStore, type LoginStore } from '../credentials/store.ts'
import type { CredentialSource } from '../credentials/token-source.ts'
import { out, outJson } from '../process/output.ts'

interface BackendStatus {
  name: string
  kind: string
  origin?: string
  source: CredentialSource | 'config-headers'
  expiresAt?: number | undefined
  email?: string | undefined
  problem?: string | undefined
}

interface LoginStatus {
  provider: string
  origin: string
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
  const states = loaded ? await backendStates(loaded.config, { environment, store }) : []
  const backends = states.map((state) => withMissing(state, loaded?.missing ?? []))
  const logins = await storeState(store)
  const ok = logins.problem === undefined && backends.every(({ problem }) => problem === undefined)
  if (flags.json) printJson({ version, ok, config: file, backends, store: logins })
  else printLines(backends, logins, file)
  if (!ok) process.exitCode = 1
}

/** `backends.claude.apiKey: the variable … is not set` */
function withMissing(state: BackendStatus, missing: readonly string[]): BackendStatus {
  const own = missing.filter((problem) => problem.startsWith(`backends.${state.name}.`))
  return own.length === 0 ? state : { ...state, problem: own.join('; ') }
}

function backendStates(
  config: Config,
  context: { environment: Environment; store: LoginStore },
): Promise<BackendStatus[]> {
  const cursors = new Map(cursorSettings(config).map((settings) => [settings.name, settings]))
  return Promise.all(
    Object.entries(config.backends).map(async ([name, backend]): Promise<BackendStatus> => {
      const settings = cursors.get(name)
      return settings ? cursorState(settings, context) : keyState(name, backend)
    }),
  )
}

async function cursorState(
  settings: CursorSettings,
  { environment, store }: { environment: Environment; store: LoginStore },
): Promise<BackendStatus> {
  const { name, baseUrl, apiKey, accessToken } = settings
  const credentials = createCursorCredentials({
    backend: name,
    baseUrl,
    apiKey,
    accessToken,
    environment: cursorEnvironment(environment),
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
  const source = backend.apiKey ? 'config-key' : secretHeaders(headers).length > 0 ? 'config-headers' : 'none'
  return { name, kind, origin, source }
}

async function storeState(store: LoginStore): Promise<StoreStatus> {
  try {
    const logins = (await store.list()).map(({ provider, origin, login }) => ({
      provider,
      origin,
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
  for (const { provider, origin, email, expiresAt, renewable } of store.logins) {
    const ended = expiresAt !== undefined && expiresAt <= now
    const renewal = renewable ? `, renewed ${ended ? 'at its next use' : 'automatically'}` : ''
    const until = `${expiryInWords(expiresAt, now)}${renewal}`
    lines.push(`login   ${provider} at ${origin}: ${[email, until].filter(Boolean).join(', ')}`)
  }
  out(`${lines.join('\n')}\n`)
}

/** API keys carry no expiry. */
function validity(expiresAt: number | undefined, source: string, now: number): string | undefined {
  return expiresAt === undefined && source !== 'login' ? undefined : expiryInWords(expiresAt, now)
}
