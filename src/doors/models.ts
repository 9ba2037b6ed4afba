// GET /v1/models and /v1/models/ID: all models that can be called, in OpenAI's, Anthropic's or Google's format.

import type { Model } from '../core/backend.ts'
import { codexModels } from './codex-models.ts'

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

/** `forCodex`: beside the list, the models in Codex's own form. It reads nothing else; other clients do not need the length. */
export function modelList(
  models: ListedModel[],
  { shape, forCodex }: { shape: 'openai' | 'anthropic'; forCodex: boolean },
): Record<string, unknown> {
  if (shape === 'openai')
    return {
      object: 'list',
      data: models.map(toChatModel),
      ...(forCodex ? { models: codexModels(models) } : {}),
    }
  return {
    data: models.map(toAnthropicModel),
    has_more: false,
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
  }
}
