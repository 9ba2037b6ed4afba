// A plugin of OpenCode 1 for one provider: registers it with its models while OpenCode reads its configuration, and gives it a `fetch`.

import { type Environment, readEnvironment } from '../config/environment.ts'
import { createGatewayFetch, placeholderUrl } from './fetch.ts'
import type { GatewaySettings, Lease } from './gateways.ts'
import type { HostConfig, HostModel, HostProvider, Plugin, PluginInput } from './host.ts'
import { readHostAuth } from './host-auth.ts'
import { toHostModels } from './models.ts'
import { openProvider } from './open-provider.ts'
import { refuseForeignOptions } from './option-source.ts'
import { parseOptions, problemOf } from './options.ts'
import type { ProviderKind } from './providers.ts'
import { createReport, type Report } from './report.ts'

export function createPlugin(kind: ProviderKind): Plugin {
  return async (input, given) => {
    const environment = readEnvironment()
    const { report, providers } = startOf(input)
    const gone = new AbortController()
    let registered: Registered | undefined
    let hostConfig: HostConfig = {}
    let provided: Promise<void> | undefined

    const options = () => {
      const options = parseOptions(given)
      refuseForeignOptions(options, { given, config: hostConfig, environment })
      return options
    }

    const provide = async (config: HostConfig) => {
      hostConfig = config
      if (!isWanted(kind.id, config) || isElsewhere(kind, config)) return
      try {
        const auth = await readHostAuth(kind.id, environment)
        const settings = await kind.settings({ options: options(), environment, auth })
        if (settings === undefined) return
        const { directory } = input
        registered = await register(kind, { config, settings, directory, environment, report })
        if (gone.signal.aborted) await registered?.lease.release()
      } catch (error) {
        report.problem(problemOf(kind.id, error))
      } finally {
        // OpenCode would send the key stored for our provider to an entry of this name from another source.
        if (!registered && kind.methods) delete config.provider?.[kind.id]
      }
    }
    const provideOnce = (config: HostConfig) => {
      provided ??= provide(config)
      return provided
    }
    providers.push(provideOnce)

    const methods = kind.methods?.({ options, environment, report, signal: gone.signal })
    return {
      async config(config) {
        await Promise.all(providers.map((provide) => provide(config)))
      },
      ...(methods && {
        auth: {
          provider: kind.id,
          methods,
          get loader() {
            const options = registered?.options
            return options && (async () => options)
          },
        },
      }),
      async dispose() {
        gone.abort()
        await registered?.lease.release()
        registered = undefined
      },
    }
  }
}

interface Start {
  report: Report
  providers: ((config: HostConfig) => Promise<void>)[]
}

const starts = new WeakMap<PluginInput, Start>()

/** OpenCode passes the same object to all plugins of a start, one after the other: the first of ours handles it for all. */
function startOf(input: PluginInput): Start {
  const start = starts.get(input) ?? { report: createReport(input.client), providers: [] }
  starts.set(input, start)
  return start
}

const isWanted = (id: string, { disabled_providers, enabled_providers }: HostConfig) =>
  !disabled_providers?.includes(id) && (enabled_providers?.includes(id) ?? true)

/** A provider that calls a separately running gateway by its address. */
const isElsewhere = ({ id, methods }: ProviderKind, { provider }: HostConfig) =>
  !methods && provider?.[id]?.options?.baseURL !== undefined

interface Registered {
  lease: Lease
  options: Record<string, unknown>
}

interface Registration {
  config: HostConfig
  settings: GatewaySettings
  directory: string
  environment: Environment
  report: Report
}

async function register(
  kind: ProviderKind,
  { config, settings, directory, environment, report }: Registration,
): Promise<Registered | undefined> {
  const open = await openProvider(kind, settings, { environment, report })
  if (!open) return undefined
  const { lease, models } = open
  // The key never leaves the process, but the provider's client requires one.
  const fetch = createGatewayFetch({ gateway: lease.gateway, directory })
  const options = { baseURL: placeholderUrl, apiKey: 'in-process', fetch }
  const provider = { name: kind.name, npm: kind.npm, options, models: toHostModels(models, kind.models) }
  config.provider ??= {}
  config.provider[kind.id] = withUsersOwn(provider, config.provider[kind.id])
  return { lease, options }
}

/** The user's fields in opencode.json override ours, except the address and the key. */
function withUsersOwn(provider: HostProvider, own: HostProvider = {}): HostProvider {
  const models: Record<string, HostModel> = { ...provider.models }
  for (const [id, model] of Object.entries(own.models ?? {})) models[id] = { ...models[id], ...model }
  return { ...provider, ...own, options: { ...own.options, ...provider.options }, models }
}
