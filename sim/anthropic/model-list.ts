// GET /v1/models: the service's list shape, newest first, with its pagination.

import { type AnthropicModel, listModels } from './models.ts'
import { Refusal } from './refusal.ts'

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 1000

export function listModelPage(only: readonly string[] | undefined, query: URLSearchParams) {
  const limit = Number(query.get('limit') ?? DEFAULT_LIMIT)
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new Refusal(`limit: Input should be between 1 and ${MAX_LIMIT}`)
  }
  const all = listModels(only)
  const after = query.get('after_id')
  const before = query.get('before_id')
  const start = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1
  const end =
    before === null
      ? all.length
      : Math.max(
          0,
          all.findIndex(({ id }) => id === before),
        )
  const candidates = all.slice(start, end)
  const page = before === null ? candidates.slice(0, limit) : candidates.slice(-limit)
  return {
    data: page.map(describeModel),
    has_more: candidates.length > page.length,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  }
}

export function describeModel(model: AnthropicModel) {
  return {
    type: 'model',
    id: model.id,
    display_name: model.displayName,
    created_at: model.createdAt,
    max_input_tokens: model.contextTokens,
    max_tokens: model.maxOutputTokens,
  }
}
