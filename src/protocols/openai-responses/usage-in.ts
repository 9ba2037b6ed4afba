// The usage of a response.

import { type Fields, isObject } from '../../base/json.ts'
import type { Usage } from '../../core/events.ts'

export function usageOf(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined
  const count = (number: unknown) => (typeof number === 'number' && number >= 0 ? number : undefined)
  const details = (fields: unknown): Fields => (isObject(fields) ? fields : {})
  const { cached_tokens: cached, cache_write_tokens: written } = details(value.input_tokens_details)
  const cacheReadTokens = count(cached)
  const cacheWriteTokens = count(written)
  const reasoningTokens = count(details(value.output_tokens_details).reasoning_tokens)
  return {
    inputTokens: count(value.input_tokens) ?? 0,
    outputTokens: count(value.output_tokens) ?? 0,
    ...(cacheReadTokens === undefined ? {} : { cacheReadTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
  }
}
