// One provider as a plugin: registered with its models while OpenCode reads its configuration, called by its `fetch`.

import { type Environment, readEnvironment } from '../config/environment.ts'
import { GatewayError } from '../core/errors.ts'
import { createGatewayFetch, placeholderUrl } from './fetch.ts'
import { findModels } from './find-models.ts'
import { type GatewaySettings, type Lease, leaseGateway } from './gateways.ts'
import type { HostConfig, HostModel, HostProvider, Plugin, PluginInput } from './host.ts'
import { readHostAuth } from './host-auth.ts'
import { toHostModels } from './models.ts'
import { refuseForeignOptions } from './option-source.ts'
import { OptionsError, parseOptions } from './options.ts'
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
        report.problem(`${error instanceof OptionsError ? '' : `${kind.id}: `}${messageOf(error)}`)
      } finally {
        // OpenCode would call an entry that somebody else wrote with the key that is kept for ours.
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

/** OpenCode gives all plugins of a start the same, and configures one after the other: the first one sees to all of ours. */
function startOf(input: PluginInput): Start {
  const start = starts.get(input) ?? { report: createReport(input.client), providers: [] }
  starts.set(input, start)
  return start
}

const isWanted = (id: string, { disabled_providers, enabled_providers }: HostConfig) =>
  !disabled_providers?.includes(id) && (enabled_providers?.includes(id) ?? true)

/** A gateway that runs by itself and is called by its address. */
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
  const lease = await leaseGateway(settings, report.line)
  const { gateway } = lease
  try {
    const models = await findModels({
      provider: kind.id,
      gateway,
      config: settings.config,
      stateFolder: environment.stateFolder,
      fallback: kind.fallback,
      report,
    })
    if (models.length > 0) {
      // What it is called with never leaves the process, but its client wants one.
      const fetch = createGatewayFetch({ gateway, directory })
      const options = { baseURL: placeholderUrl, apiKey: 'in-process', fetch }
      const provider = { name: kind.name, npm: kind.npm, options, models: toHostModels(models, kind.models) }
      config.provider ??= {}
      config.provider[kind.id] = withUsersOwn(provider, config.provider[kind.id])
      return { lease, options }
    }
  } catch (error) {
    await lease.release()
    throw error
  }
  await lease.release()
  return undefined
}

/** What the user has written in opencode.json comes first, field by field; but not where it is called, nor with what. */
function withUsersOwn(provider: HostProvider, own: HostProvider = {}): HostProvider {
  const models: Record<string, HostModel> = { ...provider.models }
  for (const [id, model] of Object.entries(own.models ?? {})) models[id] = { ...models[id], ...model }
  return { ...provider, ...own, options: { ...own.options, ...provider.options }, models }
}

const messageOf = (error: unknown) =>
  error instanceof Error ? error.message : GatewayError.from(error).message
