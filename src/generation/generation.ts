// A generation: everything that follows the configuration, built as one. Requests take the current generation at their admission.
// What a client or a conversation would miss (kept calls, loaded tools, model lists, unchanged backends) passes from one to the next.

import type { BackendFactory } from '../backends/create-backends.ts'
import { readComparison } from '../base/comparison.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { checkModesOf } from '../config/calls.ts'
import { keyAccountsOf } from '../config/key-accounts.ts'
import { type Lacks, namesModel, searchAddress } from '../config/lacks.ts'
import { type AliasRow, modelsOfAlias, rowsOfAlias, whenWords } from '../config/routes.ts'
import type { Config } from '../config/schema.ts'
import type { Backend, Model } from '../core/backend.ts'
import type { RouteRow } from '../core/model-route.ts'
import { clientTraits } from '../doors/clients.ts'
import type { BodyBudget } from '../http/body-budget.ts'
import { createGuard } from '../http/guard.ts'
import type { BodyLimits } from '../http/json-body.ts'
import type { Connect } from '../local-tools/fetch/ask-page.ts'
import { CallChecks } from '../server/call-checks.ts'
import { Catalog } from '../server/catalog.ts'
import type { Entry } from '../server/entry.ts'
import { RouteHolds } from '../server/route-holds.ts'
import type { RouteServices } from '../server/routes.ts'
import { ToolDeferral } from '../server/tool-deferral.ts'
import type { Taping } from '../tapes/create-taping.ts'

export interface Keys {
  /** Without keys anyone may call: loopback only. */
  keys: readonly { name: string; key: string }[]
}

export interface Generation extends Entry, Keys {
  readonly config: Config
  /** By name, as requests use them. */
  readonly backends: ReadonlyMap<string, Backend>
  /** The same without the extension for several instances. */
  readonly own: ReadonlyMap<string, Backend>
  readonly callChecks: CallChecks
  readonly deferral: ToolDeferral
}

/** Services of every generation. */
export type LastingServices = Omit<
  RouteServices,
  | 'catalog'
  | 'bodyLimits'
  | 'clientTraits'
  | 'deferral'
  | 'callChecks'
  | 'routeHolds'
  | 'taping'
  | 'imageDescriptions'
  | 'web'
>

export interface GenerationParts {
  factory: BackendFactory
  cluster: Cluster | undefined
  tapes: Taping | undefined
  budget: BodyBudget
  services: LastingServices
  environmentProxy?: boolean | undefined
  /** Name resolution and connections for pages. */
  pages?: Connect | undefined
}

export async function buildGeneration(
  { config, keys }: Pick<Generation, 'config' | 'keys'>,
  parts: GenerationParts,
  earlier?: Generation,
): Promise<Generation> {
  const { factory, cluster, tapes, budget, services } = parts
  const isShared = new Set(keys.map(({ name }) => name)).size > 1
  const own = await factory.create(config, { isShared, earlier: earlier?.own })
  const backends = joined(own, cluster, earlier)
  const callChecks = new CallChecks(checkModes(config, services, earlier), earlier?.callChecks)
  const deferral = new ToolDeferral(config.deferTools, earlier?.deferral)
  const routeHolds = earlier?.services.routeHolds ?? new RouteHolds()
  const { log } = services
  const names = { aliases: aliasesOf(config), routes: routesOf(config), describes: sightOf(config.lacks) }
  const accountOf = keyAccountsOf(config)
  const catalog = new Catalog({ backends, ...names, accountOf, log, earlier: earlier?.services.catalog })
  return {
    ...{ config, keys, own, backends, callChecks, deferral },
    guard: createGuard({ hosts: allowedHosts(config), origins: config.allow.origins, keys }),
    webSocket: config.responses.webSocket,
    services: {
      ...services,
      ...{ catalog, callChecks, deferral, routeHolds },
      imageDescriptions: await describerFor(config.lacks, earlier),
      web: await webRunnerFor(config.lacks, parts),
      bodyLimits: bodyLimitsOf(config, budget),
      clientTraits: traitsFrom(config),
      taping: tapes?.tapingFor(config),
    },
  }
}

/** Unchanged backends stay extended as they are: their sessions are announced already. */
function joined(
  own: ReadonlyMap<string, Backend>,
  cluster: Cluster | undefined,
  earlier: Generation | undefined,
): ReadonlyMap<string, Backend> {
  if (!cluster) return own
  const fresh = new Map([...own].filter(([name, backend]) => earlier?.own.get(name) !== backend))
  const extended = cluster.join(fresh)
  return new Map(
    [...own].map(([name, backend]) => [name, extended.get(name) ?? earlier?.backends.get(name) ?? backend]),
  )
}

const sightOf = ({ images }: Lacks) =>
  images &&
  ((backend: string, { id, images: sees }: Model) => sees === false || namesModel(images.models, backend, id))

async function describerFor({ images }: Lacks, earlier: Generation | undefined) {
  if (!images) return undefined
  const { ImageDescriptions } = await import('../server/image-descriptions.ts')
  const { describedBy, models } = images
  const settings = {
    describedBy,
    isBlind: (backend: string, model: string) => namesModel(models, backend, model),
  }
  return new ImageDescriptions(settings, earlier?.services.imageDescriptions)
}

async function webRunnerFor({ search, fetch }: Lacks, { environmentProxy, pages }: GenerationParts) {
  if (!search && !fetch) return undefined
  const { WebRunner } = await import('../web/web-runner.ts')
  const models = { search: search?.models ?? [], fetch: fetch?.models ?? [] }
  return new WebRunner({
    search: search && { ...search, baseUrl: searchAddress(search), environmentProxy },
    fetch: fetch && { bytes: fetch.bytes, connect: pages },
    isLacking: (kind, backend, model) => namesModel(models[kind], backend, model),
  })
}

/** Calls of runs whose backend was removed are checked as before. */
function checkModes(config: Config, { backends }: LastingServices, earlier: Generation | undefined) {
  const modes = checkModesOf(config)
  if (earlier)
    for (const [name, { sessions }] of backends())
      if (sessions && !modes.has(name)) modes.set(name, earlier.callChecks.modeOf(name))
  return modes
}

const aliasesOf = ({ models }: Config) =>
  new Map(Object.entries(models).map(([alias, setting]) => [alias, modelsOfAlias(setting)]))

const routesOf = ({ models }: Config) =>
  new Map(Object.entries(models).map(([alias, setting]) => [alias, rowsOfAlias(setting).map(toRouteRow)]))

const toRouteRow = ({ when, use }: AliasRow): RouteRow =>
  when === undefined
    ? { use }
    : { when: { ...when, inputTokens: readComparison(when.inputTokens ?? '') }, words: whenWords(when), use }

const bodyLimitsOf = ({ limits: { bodyBytes, bodyValues } }: Config, budget: BodyBudget): BodyLimits => ({
  bytes: bodyBytes,
  values: bodyValues,
  budget,
})

/** The limit of all bodies together. */
export const budgetOf = ({ limits: { bodiesBytes, bodyBytes } }: Config): number =>
  Math.max(bodiesBytes, bodyBytes)

function traitsFrom(config: Config): RouteServices['clientTraits'] {
  const clients = new Map(Object.entries(config.clients))
  return (client) => {
    const traits = clientTraits(client, client === undefined ? undefined : clients.get(client))
    return { ...traits, toolArguments: traits.toolArguments ?? config.toolArguments }
  }
}

/** A wildcard address is not a Host name. */
function allowedHosts(config: Config): string[] {
  const { host } = config.listen
  const named = host === '0.0.0.0' || host === '::' ? [] : [host.includes(':') ? `[${host}]` : host]
  return [...named, ...config.allow.hosts]
}
