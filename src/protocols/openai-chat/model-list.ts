// One entry of `GET /models`, from any server. Most services report the context size, each in its own field.

import { type Fields, isObject } from '../../base/json.ts'
import type { Model } from '../../core/backend.ts'

/** Most reliable first: the size that is served goes before the size that the model could have. */
const contextFields: readonly (readonly string[])[] = [
  ['top_provider', 'context_length'], // OpenRouter
  ['context_length'], // OpenRouter, Together, Moonshot, Fireworks
  ['max_model_len'], // vLLM, SGLang
  ['context_window'], // Groq
  ['loaded_context_length'], // LM Studio
  ['max_context_length'], // Mistral, LM Studio
  ['metadata', 'context_length'], // DeepInfra
  ['max_input_tokens'], // LiteLLM
  ['meta', 'n_ctx'],
  ['meta', 'n_ctx_train'], // llama.cpp
]

const outputFields: readonly (readonly string[])[] = [
  ['top_provider', 'max_completion_tokens'],
  ['max_completion_tokens'],
  ['max_output_tokens'],
  ['metadata', 'max_tokens'],
]

/** Seconds since 1970, within the range of Date. */
const isDate = (value: unknown) => typeof value === 'number' && value >= 0 && value <= 8.64e12

export function toListedModel(entry: Fields, backend: string): Model {
  const contextTokens = firstSize(entry, contextFields)
  const outputTokens = firstSize(entry, outputFields)
  return {
    id: String(entry.id),
    ownedBy: typeof entry.owned_by === 'string' ? entry.owned_by : backend,
    ...(isDate(entry.created) ? { createdAt: Number(entry.created) } : {}),
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
  }
}

function firstSize(entry: Fields, paths: readonly (readonly string[])[]): number | undefined {
  for (const path of paths) {
    const value = path.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), entry)
    if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value
  }
  return undefined
}
