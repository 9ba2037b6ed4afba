// GET /api/tags and POST /api/show: all models that can be called, in Ollama's format. Strict clients refuse a member that is missing or
// null, so members without meaning here are empty.

import { hash } from 'node:crypto'
import type { ListedModel } from './models.ts'

/** For a model whose window is not known: most models have at least this one. */
const usualWindow = 128_000

const windowOf = ({ contextTokens }: ListedModel) => contextTokens ?? usualWindow

const modifiedAt = ({ createdAt }: ListedModel) => new Date((createdAt ?? 0) * 1000).toISOString()

/** Pictures are refused by the service if it cannot read them: what is not known is offered. */
const capabilitiesOf = ({ images, reasoning, efforts }: ListedModel): string[] => [
  ...['completion', 'tools'],
  ...(images === false ? [] : ['vision']),
  ...(reasoning || (efforts ?? []).length > 0 ? ['thinking'] : []),
]

const detailsOf = (model: ListedModel) => ({
  ...{ parent_model: '', format: 'gguf', family: model.backend, families: [model.backend] },
  ...{ parameter_size: '', quantization_level: '', context_length: windowOf(model) },
})

const named = (model: ListedModel) => ({
  ...{ name: model.id, model: model.id, size: 0, digest: hash('sha256', model.id) },
  details: detailsOf(model),
})

export const ollamaTags = (models: readonly ListedModel[]): Record<string, unknown> => ({
  models: models.map((model) => ({
    ...named(model),
    modified_at: modifiedAt(model),
    capabilities: capabilitiesOf(model),
  })),
})

/** No model is ever loaded or unloaded here: all of them run. */
export const ollamaRunning = (models: readonly ListedModel[]): Record<string, unknown> => ({
  models: models.map((model) => ({
    ...named(model),
    expires_at: '2318-01-01T00:00:00Z',
    size_vram: 0,
    context_length: windowOf(model),
  })),
})

/** The window is said twice: some clients read it from `parameters`, some from `model_info`. */
export const ollamaModel = (model: ListedModel): Record<string, unknown> => ({
  ...{ license: '', modelfile: '', parameters: `num_ctx ${windowOf(model)}`, template: '{{ .Prompt }}' },
  details: detailsOf(model),
  model_info: {
    'general.architecture': model.backend,
    'general.basename': model.displayName ?? model.id,
    [`${model.backend}.context_length`]: windowOf(model),
    [`${model.backend}.embedding_length`]: 0,
  },
  capabilities: capabilitiesOf(model),
  modified_at: modifiedAt(model),
})
