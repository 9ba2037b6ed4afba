// Token counts of an Anthropic answer.

import { type Fields, isObject } from '../../base/json.ts'
import type { Usage } from '../../core/events.ts'

const usageFields = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'output_tokens_details',
] as const

export class AnthropicUsage {
  readonly #counts: Fields = {}

  /** Counts are cumulative, and later events may repeat them or set them to null: the newest number of each field wins. */
  merge(usage: unknown): void {
    if (!isObject(usage)) return
    for (const key of usageFields)
      if (usage[key] !== undefined && usage[key] !== null) this.#counts[key] = usage[key]
  }

  /** Undefined until the service has sent a count. */
  get usage(): Usage | undefined {
    return Object.keys(this.#counts).length > 0 ? toUsage(this.#counts) : undefined
  }
}

/** Anthropic's `input_tokens` exclude cached tokens; the canonical `inputTokens` include them. */
function toUsage(counts: Fields): Usage {
  const count = (value: unknown) => (typeof value === 'number' && value >= 0 ? value : 0)
  const cacheReadTokens = count(counts.cache_read_input_tokens)
  const cacheWriteTokens = count(counts.cache_creation_input_tokens)
  const details = isObject(counts.output_tokens_details) ? counts.output_tokens_details : {}
  return {
    inputTokens: count(counts.input_tokens) + cacheReadTokens + cacheWriteTokens,
    outputTokens: count(counts.output_tokens),
    cacheReadTokens,
    cacheWriteTokens,
    ...(typeof details.thinking_tokens === 'number' ? { reasoningTokens: details.thinking_tokens } : {}),
  }
}
