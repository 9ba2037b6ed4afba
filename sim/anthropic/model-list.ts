// GET /v1/models: the service's list shape, newest first, with its pagination.

import { type AnthropicModel, listModels, type ThinkingType } from './models.ts'
import { Refusal } from './refusal.ts'

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 1000

/** `tells`: include the capabilities of each model. Compatible servers leave them out. */
export function listModelPage(
  only: readonly string[] | undefined,
  query: URLSearchParams,
  { tells }: { tells: boolean },
) {
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
    data: page.map((model) => describeModel(model, { tells })),
    has_more: candidates.length > page.length,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  }
}

export function describeModel(model: AnthropicModel, { tells }: { tells: boolean }) {
  const plain = {
    type: 'model',
    id: model.id,
    display_name: model.displayName,
    created_at: model.createdAt,
  }
  if (!tells) return plain
  const line = /^claude-(haiku|sonnet|opus|fable|mythos)-/.exec(model.id)?.[1] ?? null
  return {
    ...plain,
    max_input_tokens: model.contextTokens,
    max_tokens: model.maxOutputTokens,
    lifecycle: 'active',
    deprecated_at: null,
    retires_at: null,
    line,
    capabilities: capabilitiesOf(model),
  }
}

const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max']
const THINKING_TYPES: readonly ThinkingType[] = ['adaptive', 'enabled', 'disabled', 'between_tools']

function capabilitiesOf({ thinking, effort }: AnthropicModel) {
  const leaf = (supported: boolean) => ({ supported })
  const leaves = (names: readonly string[], has: (name: string) => boolean) =>
    Object.fromEntries(names.map((name) => [name, leaf(has(name))]))
  const yes = () => true
  return {
    ...leaves(
      ['batch', 'citations', 'code_execution', 'image_input', 'pdf_input', 'structured_outputs'],
      yes,
    ),
    thinking: {
      supported: true,
      types: leaves(THINKING_TYPES, (name) => thinking.some((type) => type === name)),
    },
    effort: { supported: effort.length > 0, ...leaves(EFFORTS, (name) => effort.includes(name)) },
    context_management: {
      supported: true,
      ...leaves(['clear_tool_uses_20250919', 'clear_thinking_20251015', 'compact_20260112'], yes),
    },
    server_tools: { supported: true, ...leaves(['web_search', 'code_execution'], yes) },
  }
}
