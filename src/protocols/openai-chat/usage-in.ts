// The token counts of a Chat answer, in the forms of all servers.

import { type Fields, isObject } from '../../base/json.ts'
import type { Usage } from '../../core/events.ts'

export function fromChatUsage(usage: Fields): Usage {
  const count = (value: unknown) => (typeof value === 'number' && value >= 0 ? value : undefined)
  const details = (value: unknown): Fields => (isObject(value) ? value : {})
  const cacheReadTokens =
    count(details(usage.prompt_tokens_details).cached_tokens) ?? count(usage.prompt_cache_hit_tokens)
  const reasoningTokens = count(details(usage.completion_tokens_details).reasoning_tokens)
  const inputTokens = count(usage.prompt_tokens) ?? 0
  return {
    inputTokens,
    // Some servers (Gemini, Grok) count reasoning only in the total.
    outputTokens: Math.max(
      count(usage.completion_tokens) ?? 0,
      (count(usage.total_tokens) ?? 0) - inputTokens,
    ),
    ...(cacheReadTokens === undefined ? {} : { cacheReadTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
  }
}
