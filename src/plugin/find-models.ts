// The models of a provider: for each backend its current list, else the cached one, else the fallback.

import type { Config } from '../config/schema.ts'
import type { Model } from '../core/backend.ts'
import type { ListedModel } from '../doors/models.ts'
import type { Gateway } from '../gateway.ts'
import type { BackendListing } from '../server/catalog.ts'
import { modelsOf } from '../server/listed-models.ts'
import { createModelCache, type KnownModels } from './model-cache.ts'
import type { Report } from './report.ts'

/** How long OpenCode's start waits: less if there is a cached list. */
const timeoutsMs = { known: 2_000, unknown: 5_000 }

interface ModelSearch {
  provider: string
  gateway: Gateway
  config: Config
  stateFolder: string
  /** For a backend that does not answer and has no cached list. */
  fallback: readonly Model[]
  report: Report
}

export async function findModels(search: ModelSearch): Promise<ListedModel[]> {
  const { provider, gateway, config, stateFolder, fallback, report } = search
  const { catalog } = gateway
  const cache = createModelCache(stateFolder, provider)
  const known = stillTrue(await cache.read(), config)
  const isKnown = Object.keys(config.backends).every((name) => known[name])
  const listings = await catalog.listings(isKnown ? timeoutsMs.known : timeoutsMs.unknown)
  const save = async (listings: BackendListing[]) => {
    const fresh = freshOf(listings, config)
    if (Object.keys(fresh).length > 0) await cache.write({ ...known, ...fresh })
  }
  await save(listings).catch(() => undefined)
  const failed = listings.filter(({ listing }) => listing.error)
  // A late answer is cached for the next start.
  if (failed.length > 0)
    catalog
      .listings()
      .then(save, () => undefined)
      .catch(() => undefined)
  for (const { backendName, listing } of failed) {
    const why = `${provider}: ${gateway.scrub(listing.error?.message ?? '')}`
    // A list without these models needs an explanation.
    if (known[backendName] || listing.models.length > 0) report.log('warn', why)
    else report.problem(why)
  }
  const models = modelsOf(
    listings.map((one) => withRemembered(one, known, fallback)),
    catalog.aliases,
    (alias) => catalog.rowsOf(alias),
  )
  if (models.length === 0 && failed.length === 0) report.problem(`${provider}: the service lists no models.`)
  return models
}

/** Drops lists of servers at another address. */
const stillTrue = (known: KnownModels, { backends }: Config): KnownModels =>
  Object.fromEntries(
    Object.entries(known).filter(([name, { baseUrl }]) => backends[name]?.baseUrl === baseUrl),
  )

const freshOf = (listings: readonly BackendListing[], { backends }: Config): KnownModels =>
  Object.fromEntries(
    listings.flatMap(({ backendName, listing: { models, error } }) =>
      error ? [] : [[backendName, { baseUrl: backends[backendName]?.baseUrl ?? '', models }]],
    ),
  )

function withRemembered(one: BackendListing, known: KnownModels, fallback: readonly Model[]): BackendListing {
  const { models, error } = one.listing
  if (!error || models.length > 0) return one
  return { ...one, listing: { ...one.listing, models: [...(known[one.backendName]?.models ?? fallback)] } }
}
