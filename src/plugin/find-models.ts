// The models of a provider. Of each backend: as they are now; where it cannot be asked, as they were; else what is always there.

import type { Config } from '../config/schema.ts'
import type { Model } from '../core/backend.ts'
import type { ListedModel } from '../doors/models.ts'
import type { Gateway } from '../gateway.ts'
import type { BackendListing } from '../server/catalog.ts'
import { modelsOf } from '../server/listed-models.ts'
import { createModelCache, type KnownModels } from './model-cache.ts'
import type { Report } from './report.ts'

/** How long OpenCode's start may wait: less where there is a list to go on with. */
const patienceMs = { known: 2_000, unknown: 5_000 }

export interface Finding {
  provider: string
  gateway: Gateway
  config: Config
  stateFolder: string
  /** Offered by a backend that cannot be asked and never was. */
  fallback: readonly Model[]
  report: Report
}

export async function findModels(finding: Finding): Promise<ListedModel[]> {
  const { provider, gateway, config, stateFolder, fallback, report } = finding
  const { catalog } = gateway
  const cache = createModelCache(stateFolder, provider)
  const known = stillTrue(await cache.read(), config)
  const isKnown = Object.keys(config.backends).every((name) => known[name])
  const listings = await catalog.listings(isKnown ? patienceMs.known : patienceMs.unknown)
  const save = async (listings: BackendListing[]) => {
    const fresh = freshOf(listings, config)
    if (Object.keys(fresh).length > 0) await cache.write({ ...known, ...fresh })
  }
  await save(listings).catch(() => undefined)
  const failed = listings.filter(({ listing }) => listing.error)
  // What comes late is for the next start.
  if (failed.length > 0)
    catalog
      .listings()
      .then(save, () => undefined)
      .catch(() => undefined)
  for (const { backendName, listing } of failed) {
    const why = `${provider}: ${gateway.scrub(listing.error?.message ?? '')}`
    // Without a word nobody would know what became of the others.
    if (known[backendName] || listing.models.length > 0) report.log('warn', why)
    else report.problem(why)
  }
  const models = modelsOf(
    listings.map((one) => withRemembered(one, known, fallback)),
    catalog.aliases,
  )
  if (models.length === 0 && failed.length === 0) report.problem(`${provider}: the service lists no models.`)
  return models
}

/** A server at another address has other models. */
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
