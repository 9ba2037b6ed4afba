// usageMetadata of an answer. It comes with nearly every chunk and counts from the start: the last figures count. Google counts
// thoughts apart from the answer, and what its own tools have read apart from the prompt.

import { isObject } from '../../base/json.ts'
import type { Usage } from '../../core/events.ts'

const names = [
  'promptTokenCount', 'toolUsePromptTokenCount', 'cachedContentTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount',
] as const // biome-ignore format: a list to be read as one

export class GeminiUsage {
  readonly #counts = new Map<(typeof names)[number], number>()

  merge(metadata: unknown): void {
    if (!isObject(metadata)) return
    for (const name of names) {
      const count = metadata[name]
      if (typeof count === 'number' && Number.isInteger(count) && count >= 0) this.#counts.set(name, count)
    }
  }

  /** Undefined if the service has counted nothing. */
  get usage(): Usage | undefined {
    const counts = this.#counts
    const prompt = counts.get('promptTokenCount')
    if (prompt === undefined) return undefined
    const cached = counts.get('cachedContentTokenCount')
    const thoughts = counts.get('thoughtsTokenCount')
    return {
      inputTokens: prompt + (counts.get('toolUsePromptTokenCount') ?? 0),
      outputTokens: (counts.get('candidatesTokenCount') ?? 0) + (thoughts ?? 0),
      ...(cached === undefined ? {} : { cacheReadTokens: cached }),
      ...(thoughts === undefined ? {} : { reasoningTokens: thoughts }),
    }
  }
}
