// Backend configurations → backends. A new kind needs a case here, a row in config/schema.ts, and its folder. Only configured kinds
// are imported: most configurations have one, and importing all would take longer than the rest of the startup.

import { BoundedMap } from '../base/bounded-map.ts'
import type { BackendConfig, Config } from '../config/schema.ts'
import { defaultToolText } from '../config/tool-text.ts'
import type { Backend } from '../core/backend.ts'
import type { CredentialWords } from '../credentials/cursor.ts'
import { type ConnectOptions, createUpstreamClient, type UpstreamClient } from '../upstream/client.ts'
import type { Http2PoolOptions } from '../upstream/http2-pool.ts'

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
}

export interface BackendServices {
  /** Keeps a token that was obtained at run time out of the log. */
  registerSecret(value: string): void
  warn(message: string): void
  /** Several keys may call: they share the account of each backend. */
  isShared?: boolean | undefined
  /** An upstream began to answer. */
  onAnswer?(backend: string, seconds: number): void
}

export async function createBackends(
  config: Config,
  defaults: BackendDefaults,
  services: BackendServices,
): Promise<Map<string, Backend>> {
  const reasoningSources = new BoundedMap<string, string>(sourceLimits)
  const created = Object.entries(config.backends).map(
    async ([name, backend]) =>
      [name, await createBackend(backend, { name, config, defaults, services, reasoningSources })] as const,
  )
  return new Map(await Promise.all(created))
}

/** As long as reasoning is kept. */
const sourceLimits = { maxEntries: 50_000, ttlMs: 12 * 60 * 60 * 1000 }

export interface Creation {
  name: string
  /** By digest: which service wrote a reasoning item. No other may get it. */
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

async function createBackend(backend: BackendConfig, creation: Creation): Promise<Backend> {
  const shared = sharedOptions(backend, creation)
  switch (backend.kind) {
    case 'anthropic': {
      const { createAnthropicBackend } = await import('./anthropic/backend.ts')
      return createAnthropicBackend({ ...backend, ...shared, isShared: creation.services.isShared })
    }
    case 'openai': {
      const { createOpenAIBackend } = await import('./openai/backend.ts')
      const openai = createOpenAIBackend({
        ...backend,
        ...shared,
        apiKey: backend.apiKey,
        isShared: creation.services.isShared,
        reasoningSources: creation.reasoningSources,
        // A model without tool calls is described by its prompt, in Chat's form.
        api: backend.tools === 'text' ? 'chat' : backend.api,
      })
      if (backend.tools !== 'text') return openai
      const { withToolText } = await import('./tool-text/with-tool-text.ts')
      return withToolText(openai, backend.toolText ?? defaultToolText)
    }
    case 'qwen-web': {
      const { createQwenWebBackend } = await import('./qwen-web/backend.ts')
      // The system text stays separate until the conversation is folded: it must not be cut from a long conversation.
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
  { name, config, defaults, services }: Creation,
): SharedOptions {
  // Node trusts NODE_EXTRA_CA_CERTS only if no explicit `ca` replaces its list.
  const caFiles =
    backend.connect?.ca === undefined ? [] : [backend.connect.ca, defaults.extraCaFile ?? []].flat()
  const connect = {
    name,
    proxy: backend.connect?.proxy,
    environmentProxy: defaults.environmentProxy,
    caFiles,
    onAnswer: (seconds: number) => services.onAnswer?.(name, seconds),
    ...defaults.pings,
  }
  const client = createUpstreamClient(backend.baseUrl, connect)
  return { name, client, connect, headers: backend.headers ?? {}, progressMs: config.sessions.progressMs }
}
