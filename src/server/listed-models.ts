// All models that can be called: every listing and the aliases.

import { GatewayError } from '../core/errors.ts'
import type { RouteConditions, RouteRow } from '../core/model-route.ts'
import type { ListedModel } from '../doors/models.ts'
import { defined } from '../protocols/requests/decode.ts'
import type { BackendListing, Catalog } from './catalog.ts'

export const listedModels = async (catalog: Catalog): Promise<ListedModel[]> =>
  modelsOf(withSight(await catalog.listings(), catalog), catalog.aliases, (alias) => catalog.rowsOf(alias))

/** A client sends no image to a model that is listed without sight. */
const withSight = (listings: readonly BackendListing[], catalog: Catalog): BackendListing[] =>
  listings.map(({ listing, ...rest }) => ({
    ...rest,
    listing: {
      ...listing,
      models: listing.models.map((model) =>
        catalog.describes(rest.backendName, model) ? { ...model, images: true } : model,
      ),
    },
  }))

/** `BACKEND/MODEL` of every listing, and the aliases with the facts of their targets. */
export function modelsOf(
  listings: readonly Pick<BackendListing, 'backendName' | 'listing'>[],
  names: Catalog['aliases'],
  rowsOf: Catalog['rowsOf'] = () => [],
): ListedModel[] {
  const listed = listings.flatMap(({ backendName, listing }) =>
    listing.models.map((model) => ({ ...model, id: `${backendName}/${model.id}`, backend: backendName })),
  )
  const known = new Map(listed.map((model) => [model.id, model]))
  const aliases = [...names].map(([alias, targets]) => {
    const [first = ''] = targets
    const rows = rowsOf(alias)
    const sizesOf = (names: readonly string[], size: 'contextTokens' | 'outputTokens') =>
      smallest(names.map((name) => known.get(name)?.[size]))
    const forAll = rows.filter(({ when }) => isForAny(when, 'inputTokens'))
    const sizes = {
      // A longer request takes a row for long ones.
      contextTokens:
        rows.length > 0
          ? largest(forAll.map(({ use }) => sizesOf(use, 'contextTokens')))
          : sizesOf(targets, 'contextTokens'),
      outputTokens: sizesOf(targets, 'outputTokens'),
      images: rows.some(({ when }) => when?.images === true && isForAny(when, 'images')) || undefined,
    }
    const { listed: entry, ...facts } = known.get(first) ?? {}
    // What the service lists holds for its own model alone.
    const alone = targets.length === 1 && entry ? { listed: entry } : {}
    return { ...facts, ...alone, ...defined(sizes), id: alias, backend: first.split('/', 1)[0] ?? '' }
  })
  return [...aliases, ...listed]
}

/** Whether a row has no condition but this. */
const isForAny = (when: RouteRow['when'], condition: keyof RouteConditions): boolean =>
  Object.entries(when ?? {}).every(([name, wanted]) => wanted === undefined || name === condition)

const largest = (sizes: readonly (number | undefined)[]): number | undefined => {
  const known = sizes.filter((size) => size !== undefined)
  return known.length > 0 ? Math.max(...known) : undefined
}

/** Any target may get the request: it must fit the smallest known size. */
function smallest(sizes: readonly (number | undefined)[]): number | undefined {
  const known = sizes.filter((size) => size !== undefined)
  return known.length > 0 ? Math.min(...known) : undefined
}

export async function oneModel(catalog: Catalog, id: string): Promise<ListedModel> {
  const found = (await listedModels(catalog)).find((model) => model.id === id)
  if (found) return found
  // Callable without being listed: a backend accepts any name, and a bare name may be unambiguous.
  const [target] = await catalog.resolve(id)
  if (!target)
    throw new GatewayError('not-found', `The model "${id}" does not exist here.`, {
      detail: 'model_not_found',
    })
  return { id, backend: target.backendName }
}
