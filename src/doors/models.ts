// GET /v1/models and /v1/models/ID: all models that can be called, in OpenAI's or Anthropic's format.

import type { Model } from '../core/backend.ts'
import { clientTraits } from './clients.ts'

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

export function modelList(
  models: ListedModel[],
  { shape, client }: { shape: 'openai' | 'anthropic'; client: string | undefined },
): Record<string, unknown> {
  if (shape === 'openai') {
    // The client's own format needs facts that the gateway does not have: the list is empty.
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
