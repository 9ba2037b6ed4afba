import { expect, it } from 'vitest'
import { toListedModel } from './model-list.ts'

const sizes = (entry: Record<string, unknown>) => {
  const { contextTokens, outputTokens } = toListedModel({ id: 'm', ...entry }, 'box')
  return [contextTokens, outputTokens]
}

it.each([
  ['OpenRouter', { context_length: 9, top_provider: { context_length: 8, max_completion_tokens: 3 } }, [8, 3]],
  ['OpenRouter, unsure', { context_length: 9, top_provider: { context_length: null, max_completion_tokens: null } }, [9, undefined]],
  ['Groq', { context_window: 9, max_completion_tokens: 4 }, [9, 4]],
  ['Mistral', { max_context_length: 9 }, [9, undefined]],
  ['vLLM', { max_model_len: 9 }, [9, undefined]],
  ['llama.cpp', { meta: { n_ctx_train: 9 } }, [9, undefined]],
  ['llama.cpp, while it loads', { meta: null }, [undefined, undefined]],
  ['DeepInfra', { metadata: { context_length: 9, max_tokens: 4 } }, [9, 4]],
  ['LM Studio', { max_context_length: 9, loaded_context_length: 5 }, [5, undefined]],
  ['OpenAI', {}, [undefined, undefined]],
  ['nonsense', { context_length: '9', max_model_len: -1, context_window: 1.5, top_provider: [] }, [undefined, undefined]],
])('%s: context size and output limit', (_whose, entry, expected) => {
  expect(sizes(entry)).toEqual(expected)
}) // biome-ignore format: a table to be read as one
