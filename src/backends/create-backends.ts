// Backend configurations → backends. A new kind needs a case here, a schema in config/backend-schema.ts, and its folder. Only
// configured kinds are imported: most configurations have one, and importing all would take longer than the rest of the startup.

import { isDeepStrictEqual } from 'node:util'
import { BoundedMap } from '../base/bounded-map.ts'
import type { BackendConfig, Config } from '../config/schema.ts'
import { defaultToolText } from '../config/tool-text.ts'
import type { Backend } from '../core/backend.ts'
import { OnlyAccount } from '../core/pool/only-account.ts'
import type { PoolStore } from '../core/pool/pool-store.ts'
import type { CredentialWords } from '../credentials/cursor.ts'
import {
  type ConnectOptions,
  createUpstreamClient,
  readAuthority,
  type UpstreamClient,
} from '../upstream/client.ts'
import type { Http2PoolOptions } from '../upstream/http2-pool.ts'
import type { PlayedDispatcher } from '../upstream/played.ts'
import type { PlayedRuns } from './cursor/backend.ts'
import type { ConfiguredAccount, PoolObserver, Pools } from './pool/create-pool.ts'

/** Settings for connections and credentials of every backend, from the environment. */
export interface BackendDefaults {
  environmentProxy?: boolean
  extraCaFile?: string | undefined
  /** When to give up a silent HTTP/2 peer. */
  pings?: Pick<Http2PoolOptions, 'pingIntervalMs' | 'pingTimeoutMs'>
  /** The folder for logins. */
  dataFolder?: string | undefined
  /** The folder for conversations; undefined: they are not stored. */
  stateFolder?: string | undefined
  variable?(name: string): string | undefined
  /** Messages about credentials, for a program with its own login. */
  credentialWords?: CredentialWords | undefined
  /** Replay only: recorded services in place of connections. */
  played?: PlayedUpstream | undefined
}

interface PlayedUpstream {
  services: PlayedDispatcher
  runs: PlayedRuns
}

export interface BackendServices {
  /** Keeps a token that was obtained at run time out of the log. */
  registerSecret(value: string): void
  warn(message: string): void
  /** Several keys may call: they share the account of each backend. */
  isShared?: boolean | undefined
  /** An upstream began to answer. */
  onAnswer?(backend: string, seconds: number): void
  accounts?: PoolObserver | undefined
}

/** Creates the backends of one configuration after another. */
export class BackendFactory {
  readonly #defaults: BackendDefaults
  readonly #services: BackendServices
  /** The service that wrote a reasoning item, by the item's digest. The map outlives a change of the settings. */
  readonly #reasoningSources = new BoundedMap<string, string>(sourceLimits)
  readonly #settings = new WeakMap<Backend, BackendSettings>()
  readonly #store: PoolStore | undefined
  #pools: Promise<Pools> | undefined

  /** `store`: the state of pools that several instances share. */
  constructor(defaults: BackendDefaults, services: BackendServices, store?: PoolStore) {
    this.#defaults = defaults
    this.#services = services
    this.#store = store
  }

  /** Backends of `earlier` with the same settings are reused. If one backend cannot be created, all new ones are closed. */
  async create(
    config: Config,
    { isShared, earlier }: { isShared: boolean; earlier?: ReadonlyMap<string, Backend> | undefined },
  ): Promise<Map<string, Backend>> {
    const fresh: Backend[] = []
    const created = await Promise.allSettled(
      Object.entries(config.backends).map(async ([name, backend]) => {
        const settings = settingsOf(backend, config, isShared)
        const known = earlier?.get(name)
        if (known && isDeepStrictEqual(this.#settings.get(known), settings)) return [name, known] as const
        const one = await this.#createOne(name, backend, { config, isShared })
        this.#settings.set(one, settings)
        fresh.push(one)
        return [name, one] as const
      }),
    )
    const failed = created.find((one) => one.status === 'rejected')
    if (!failed) return new Map(created.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])))
    await Promise.all(fresh.map((one) => one.close().catch(() => undefined)))
    throw failed.reason
  }

  #createOne(
    name: string,
    backend: BackendConfig,
    { config, isShared }: { config: Config; isShared: boolean },
  ): Promise<Backend> {
    const services = { ...this.#services, isShared }
    const reasoningSources = this.#reasoningSources
    const creation = { name, label: name, config, defaults: this.#defaults, services, reasoningSources }
    const pools = () => {
      this.#pools ??= loadPools(this.#defaults, this.#services, this.#store)
      return this.#pools
    }
    return createWithAccounts(backend, { ...creation, pools })
  }
}

/** The lifetime is that of kept reasoning. */
const sourceLimits = { maxEntries: 50_000, ttlMs: 12 * 60 * 60 * 1000 }

interface BackendSettings {
  backend: Omit<BackendConfig, 'calls' | 'prices'>
  progressMs: number
  sessions: Config['sessions'] | undefined
  isShared: boolean | undefined
  /** The content of the CA file: a changed file is a changed setting. */
  ca: string | undefined
}

/** All settings that a backend is created from. `calls` and `prices` are left out: other parts use them. */
function settingsOf(
  { calls: _calls, prices: _prices, ...backend }: BackendConfig,
  { sessions }: Config,
  isShared: boolean,
): BackendSettings {
  const { kind, connect } = backend
  return {
    backend,
    progressMs: sessions.progressMs,
    sessions: kind === 'cursor' ? sessions : undefined,
    isShared: kind === 'anthropic' || kind === 'gemini' || kind === 'openai' ? isShared : undefined,
    ca: connect?.ca === undefined ? undefined : readAuthority(connect.ca),
  }
}

export interface Creation {
  /** For messages: BACKEND, or BACKEND@ACCOUNT. */
  name: string
  /** The configured name of the backend. */
  label: string
  /** The account in a pool. */
  account?: string | undefined
  /** The service that wrote a reasoning item, by the item's digest. No other service may get the item. */
  reasoningSources: BoundedMap<string, string>
  config: Config
  defaults: BackendDefaults
  services: BackendServices
}

/** The options of every kind. */
export interface SharedOptions {
  name: string
  client: UpstreamClient
  connect: ConnectOptions
  headers: Record<string, string>
  progressMs: number
}

async function loadPools(
  { stateFolder }: BackendDefaults,
  { accounts = {}, warn }: BackendServices,
  store: PoolStore | undefined,
): Promise<Pools> {
  const [{ Pools }, { AccountFile }] = await Promise.all([
    import('./pool/create-pool.ts'),
    import('./pool/account-file.ts'),
  ])
  return new Pools(
    store,
    accounts,
    stateFolder === undefined ? undefined : new AccountFile(stateFolder, warn),
  )
}

const plainAccount: ConfiguredAccount = { name: 'default', priority: 0, weight: 1 }

/** A backend with one account is not wrapped: its `OnlyAccount` loads a pool only after a failure. */
async function createWithAccounts(
  backend: BackendConfig,
  { pools, ...creation }: Creation & { pools(): Promise<Pools> },
): Promise<Backend> {
  const { name } = creation
  const { kind, baseUrl } = backend
  const configured = 'accounts' in backend ? backend.accounts : undefined
  const create = (one: ConfiguredAccount) =>
    createBackend(accountConfig(backend, one), {
      ...creation,
      name: `${name}@${one.name}`,
      account: one.name,
    })
  const [first = plainAccount, ...others] = configured ?? []
  if (others.length === 0) {
    const load = async () => (await pools()).create(name, { kind, baseUrl, accounts: [first] })
    const pool = new OnlyAccount({ backend: name, account: first.name, load })
    const only = configured ? await create(first) : await createBackend(backend, creation)
    return Object.assign(only, { pool })
  }
  const all = [first, ...others]
  const { createPooledBackend } = await import('./pool/pooled-backend.ts')
  const accounts = new Map<string, Backend>()
  try {
    for (const one of all) accounts.set(one.name, await create(one))
  } catch (error) {
    await Promise.all([...accounts.values()].map((one) => one.close()))
    throw error
  }
  const settings = 'pool' in backend ? backend.pool : undefined
  const pool = (await pools()).create(name, { kind, baseUrl, accounts: all, pool: settings })
  return createPooledBackend({ name, pool, accounts })
}

/** The backend's configuration as if this account were its only one. */
function accountConfig(
  backend: BackendConfig,
  { apiKey, accessToken, headers }: ConfiguredAccount,
): BackendConfig {
  const all = { ...backend.headers, ...headers }
  const credentials = { apiKey, ...(backend.kind === 'cursor' ? { accessToken } : {}) }
  return { ...backend, ...credentials, accounts: undefined, headers: all } as BackendConfig
}

async function createBackend(backend: BackendConfig, creation: Creation): Promise<Backend> {
  const shared = sharedOptions(backend, creation)
  switch (backend.kind) {
    case 'anthropic': {
      if (backend.provider === 'bedrock' || backend.provider === 'vertex') {
        const { createCloudBackend } = await import('./create-cloud-backend.ts')
        return createCloudBackend(backend, creation, shared)
      }
      const { createAnthropicBackend } = await import('./anthropic/backend.ts')
      const { anthropicPlatform } = await import('./anthropic/own-platform.ts')
      const { apiKey = '', toolSearch } = backend
      const { host } = new URL(shared.client.origin)
      const platform = anthropicPlatform({ name: creation.name, apiKey, host, toolSearch })
      return createAnthropicBackend({ ...backend, ...shared, platform, isShared: creation.services.isShared })
    }
    case 'gemini': {
      const { createGeminiBackend } = await import('./gemini/backend.ts')
      const { apiKey = '' } = backend
      return createGeminiBackend({ ...backend, ...shared, apiKey, isShared: creation.services.isShared })
    }
    case 'openai': {
      const { createOpenAIBackend } = await import('./openai/backend.ts')
      const openai = createOpenAIBackend({
        ...backend,
        ...shared,
        apiKey: backend.apiKey,
        isShared: creation.services.isShared,
        isReplay: shared.connect.played !== undefined,
        reasoningSources: creation.reasoningSources,
        // Tools as text are a part of the prompt, and such a prompt is sent through Chat Completions.
        api: backend.tools === 'text' ? 'chat' : backend.api,
      })
      if (backend.tools !== 'text') return openai
      const { withToolText } = await import('./tool-text/with-tool-text.ts')
      return withToolText(openai, backend.toolText ?? defaultToolText)
    }
    case 'qwen-web': {
      const { createQwenWebBackend } = await import('./qwen-web/backend.ts')
      // The system text stays separate until the conversation is folded: the cut of a long conversation must not remove it.
      const toolText = { ...backend.toolText, systemRole: true }
      return createQwenWebBackend({ ...backend, ...shared, toolText })
    }
    case 'cursor': {
      const { createConfiguredCursor } = await import('./create-cursor-backend.ts')
      return createConfiguredCursor(backend, creation, shared)
    }
  }
}

function sharedOptions(
  backend: BackendConfig,
  { name, label, config, defaults, services }: Creation,
): SharedOptions {
  // Node trusts NODE_EXTRA_CA_CERTS only if no explicit `ca` replaces its list.
  const caFiles =
    backend.connect?.ca === undefined ? [] : [backend.connect.ca, defaults.extraCaFile ?? []].flat()
  const connect = {
    name,
    proxy: backend.connect?.proxy,
    environmentProxy: defaults.environmentProxy,
    caFiles,
    onAnswer: (seconds: number) => services.onAnswer?.(label, seconds),
    ...defaults.pings,
    played: defaults.played?.services,
  }
  const client = createUpstreamClient(backend.baseUrl, connect)
  return { name, client, connect, headers: backend.headers ?? {}, progressMs: config.sessions.progressMs }
}
