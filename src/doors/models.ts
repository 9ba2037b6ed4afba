// GET /v1/models and /v1/models/ID: all models that can be called, in OpenAI's, Anthropic's or Google's format.

import type { Model } from '../core/backend.ts'
import { codexModels } from './codex-models.ts'
import { pickerDescription, withPickerNames } from './picker-names.ts'

export interface ListedModel extends Model {
  backend: string
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
    ...(model.images === undefined ? {} : { input_modalities: model.images ? ['text', 'image'] : ['text'] }),
    ...(model.efforts === undefined ? {} : { reasoning_efforts: model.efforts }),
  }
}

/** What the service itself lists of the model is passed on, unknown members too. */
export function toAnthropicModel(model: ListedModel): Record<string, unknown> {
  const said = model.listed?.form === 'anthropic' ? model.listed.entry : {}
  return {
    // Clients of 2026 expect these three of every model.
    ...{ lifecycle: 'active', line: null, capabilities: null },
    ...said,
    type: 'model',
    id: model.id,
    display_name: model.displayName ?? model.id,
    created_at: new Date((model.createdAt ?? 0) * 1000).toISOString(),
    ...(model.contextTokens === undefined ? {} : { max_input_tokens: model.contextTokens }),
    ...(model.outputTokens === undefined ? {} : { max_tokens: model.outputTokens }),
  }
}

interface ListOptions {
  shape: 'openai' | 'anthropic'
  /** Beside the list, the models in Codex's own form. It reads nothing else; other clients do not need the length. */
  forCodex: boolean
  /** The only ids that the client shows. */
  modelIds?: RegExp | undefined
  /** The query string. */
  query?: string
}

export function modelList(
  models: ListedModel[],
  { shape, forCodex, modelIds, query = '' }: ListOptions,
): Record<string, unknown> {
  if (shape === 'openai')
    return {
      object: 'list',
      data: models.map(toChatModel),
      ...(forCodex ? { models: codexModels(models) } : {}),
    }
  const named = modelIds ? withPickerNames(models, modelIds) : models
  const { page, hasMore } = pageOf(named, new URLSearchParams(query))
  return {
    data: page.map((model) =>
      modelIds
        ? { ...toAnthropicModel(model), description: pickerDescription(model) }
        : toAnthropicModel(model),
    ),
    has_more: hasMore,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  }
}

/** Without a limit the page is the whole list: few clients ask for a second one. */
function pageOf(models: readonly ListedModel[], query: URLSearchParams) {
  const asked = Number(query.get('limit'))
  const limit = Number.isInteger(asked) && asked > 0 ? asked : models.length
  const place = (name: string) => models.findIndex(({ id }) => id === query.get(name))
  const before = place('before_id')
  if (before >= 0) {
    const from = Math.max(0, before - limit)
    return { page: models.slice(from, before), hasMore: from > 0 }
  }
  // A model that is no longer listed: nothing follows it. From the beginning, a client that turns pages would never end.
  const from = query.has('after_id') && place('after_id') < 0 ? models.length : place('after_id') + 1
  return { page: models.slice(from, from + limit), hasMore: from + limit < models.length }
}
