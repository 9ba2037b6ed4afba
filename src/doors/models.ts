// GET /v1/models and /v1/models/ID: everything that can be called, in OpenAI's shape or in Anthropic's.

import type { BackendListing, Catalog } from '../server/catalog.ts'
import type { Model } from '../core/backend.ts'
import { GatewayError } from '../core/errors.ts'
import { defined } from '../protocols/requests/decode.ts'
import { clientTraits } from './clients.ts'

export interface ListedModel extends Model {
  backend: string
}

export const listedModels = async (catalog: Catalog): Promise<ListedModel[]> =>
  modelsOf(await catalog.listings(), catalog.aliases)

/** `BACKEND/MODEL` of every listing, and the aliases with the facts of what they lead to. */
export function modelsOf(
  listings: readonly Pick<BackendListing, 'backendName' | 'listing'>[],
  names: Catalog['aliases'],
): ListedModel[] {
  const listed = listings.flatMap(({ backendName, listing }) =>
    listing.models.map((model) => ({ ...model, id: `${backendName}/${model.id}`, backend: backendName })),
  )
  const known = new Map(listed.map((model) => [model.id, model]))
  const aliases = [...names].map(([alias, targets]) => {
    const [first = ''] = targets
    const found = targets.flatMap((target) => known.get(target) ?? [])
    const sizes = {
      contextTokens: smallest(found.map(({ contextTokens }) => contextTokens)),
      outputTokens: smallest(found.map(({ outputTokens }) => outputTokens)),
    }
    return { ...known.get(first), ...defined(sizes), id: alias, backend: first.split('/', 1)[0] ?? '' }
  })
  return [...aliases, ...listed]
}

/** Any of the targets may get the request: it must fit the smallest that is known. */
function smallest(sizes: readonly (number | undefined)[]): number | undefined {
  const known = sizes.filter((size) => size !== undefined)
  return known.length > 0 ? Math.min(...known) : undefined
}

export async function oneModel(catalog: Catalog, id: string): Promise<ListedModel> {
  const found = (await listedModels(catalog)).find((model) => model.id === id)
  if (found) return found
  // Not listed, yet callable: a backend takes any name, a bare one may be unambiguous.
  const [target] = await catalog.resolve(id)
  if (!target)
    throw new GatewayError('not-found', `The model "${id}" does not exist here.`, {
      detail: 'model_not_found',
    })
  return { id, backend: target.backendName }
}

export function toChatModel(model: ListedModel): Record<string, unknown> {
  return {
    id: model.id,
    object: 'model',
    created: model.createdAt ?? 0,
    owned_by: model.ownedBy ?? model.backend,
    ...(model.contextTokens === undefined ? {} : { context_length: model.contextTokens }),
    ...(model.outputTokens === undefined ? {} : { max_output_tokens: model.outputTokens }),
    ...(model.displayName === undefined ? {} : { name: model.displayName }),
  }
}

export function toAnthropicModel(model: ListedModel): Record<string, unknown> {
  return {
    type: 'model',
    id: model.id,
    display_name: model.displayName ?? model.id,
    created_at: new Date((model.createdAt ?? 0) * 1000).toISOString(),
    ...(model.contextTokens === undefined ? {} : { max_input_tokens: model.contextTokens }),
    ...(model.outputTokens === undefined ? {} : { max_tokens: model.outputTokens }),
  }
}

export function modelList(
  models: ListedModel[],
  { shape, client }: { shape: 'openai' | 'anthropic'; client: string | undefined },
): Record<string, unknown> {
  if (shape === 'openai') {
    // What such a client knows of each model goes far beyond what can be told here: none is the honest list.
    const own = clientTraits(client, undefined).wantsOwnModels ? { models: [] } : {}
    return { object: 'list', data: models.map(toChatModel), ...own }
  }
  return {
    data: models.map(toAnthropicModel),
    has_more: false,
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
  }
}
