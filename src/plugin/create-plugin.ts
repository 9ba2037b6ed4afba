// One provider as a plugin: registered with its models while OpenCode reads its configuration, called by its `fetch`.

import { type Environment, readEnvironment } from '../config/environment.ts'
import { GatewayError } from '../core/errors.ts'
import { type ListedModel, listedModels } from '../doors/models.ts'
import type { Gateway } from '../gateway.ts'
import { createGatewayFetch, placeholderUrl } from './fetch.ts'
import { type Lease, leaseGateway } from './gateways.ts'
import type { HostConfig, HostModel, HostProvider, Plugin } from './host.ts'
import { readHostAuth } from './host-auth.ts'
import { createModelCache } from './model-cache.ts'
import { toHostModels } from './models.ts'
import { refuseForeignOptions } from './option-source.ts'
import { parseOptions } from './options.ts'
import type { ProviderKind } from './providers.ts'
import { createReport, type Report } from './report.ts'

/** How long OpenCode's start may wait for a list of models. */
const patienceMs = 5_000

export function createPlugin(kind: ProviderKind): Plugin {
  return async ({ client, directory }, given) => {
    const environment = readEnvironment()
    const report = createReport(client)
    const gone = new AbortController()
    let registered: Registered | undefined
    let hostConfig: HostConfig = {}

    const options = () => {
      const options = parseOptions(given)
      refuseForeignOptions(options, { given, config: hostConfig, environment })
      return options
    }

    const provide = async (config: HostConfig) => {
      hostConfig = config
      if (!isWanted(kind.id, config)) return
      try {
        const auth = await readHostAuth(kind.id, environment)
        const settings = await kind.settings({ options: options(), environment, auth })
        if (settings === undefined) return
        const lease = leaseGateway(settings, report.line)
        registered = await register(kind, { config, lease, directory, environment, report })
        if (gone.signal.aborted) await registered?.lease.release()
      } catch (error) {
        report.problem(`${kind.id}: ${messageOf(error)}`)
      }
    }

    const methods = kind.methods?.({ options, environment, signal: gone.signal })
    return {
      config: provide,
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

const isWanted = (id: string, { disabled_providers, enabled_providers }: HostConfig) =>
  !disabled_providers?.includes(id) && (enabled_providers?.includes(id) ?? true)

interface Registered {
  lease: Lease
  options: Record<string, unknown>
}

interface Registration {
  config: HostConfig
  lease: Lease
  directory: string
  environment: Environment
  report: Report
}

async function register(
  kind: ProviderKind,
  { config, lease, directory, environment, report }: Registration,
): Promise<Registered | undefined> {
  const models = await findModels(kind, { gateway: lease.gateway, environment, report })
  if (models.length === 0) {
    await lease.release()
    return undefined
  }
  // What it is called with never leaves the process, but its client wants one.
  const fetch = createGatewayFetch({ gateway: lease.gateway, directory })
  const options = { baseURL: placeholderUrl, apiKey: 'in-process', fetch }
  const provider = { name: kind.name, npm: kind.npm, options, models: toHostModels(models, kind.models) }
  config.provider ??= {}
  config.provider[kind.id] = withUsersOwn(provider, config.provider[kind.id])
  return { lease, options }
}

interface Finding {
  gateway: Gateway
  environment: Environment
  report: Report
}

/** As they are now; else as they were; else what is always there. */
async function findModels(
  kind: ProviderKind,
  { gateway, environment, report }: Finding,
): Promise<readonly ListedModel[]> {
  const cache = createModelCache(environment.stateFolder, kind.id)
  const live = await unlessLate(listedModels(gateway.catalog))
  const failed =
    live && (await gateway.catalog.listings()).find(({ listing }) => listing.error)?.listing.error
  if (live && !failed) {
    await cache.write(live).catch(() => undefined)
    return live
  }
  const why = failed ? gateway.scrub(failed.message) : 'the models were not listed in time'
  const known = await cache.read()
  // A provider whose list is empty is not shown; without a word nobody would know why.
  if (known.length > 0 || (live && live.length > 0)) report.log('warn', `${kind.id}: ${why}`)
  else report.problem(`${kind.id}: ${why}`)
  return [known, live ?? [], kind.fallback].find((models) => models.length > 0) ?? []
}

async function unlessLate<T>(work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), patienceMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** What the user has written in opencode.json comes first, field by field. */
function withUsersOwn(provider: HostProvider, own: HostProvider = {}): HostProvider {
  const models: Record<string, HostModel> = { ...provider.models }
  for (const [id, model] of Object.entries(own.models ?? {})) models[id] = { ...models[id], ...model }
  return { ...provider, ...own, options: { ...provider.options, ...own.options }, models }
}

const messageOf = (error: unknown) =>
  error instanceof Error ? error.message : GatewayError.from(error).message
