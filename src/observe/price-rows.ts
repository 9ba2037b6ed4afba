// List prices in US dollars per million tokens, standard processing, text. A row counts for the service on its host only: the same
// model elsewhere has another price, or none. Each row has its source and the day on which the source said so; a figure that was not
// found is left out, and the cost that needs it is unknown. Prices of services that charge by the hour of the day (DeepSeek's peak
// hours) cannot be rows.
//
// Cache writes are those of the shortest lifetime: 5 minutes at Anthropic.

import type { Price } from './cost.ts'

export interface PriceRow extends Price {
  host: string
  /** Ids of the API; each also stands for itself with a date or `-latest` after it. */
  models: readonly string[]
  date: string
}

const anthropic = {
  host: 'api.anthropic.com',
  source: 'https://platform.claude.com/docs/en/about-claude/pricing',
  date: '2026-10-10',
}
const haiku = {
  ...anthropic,
  source: 'https://apidog.com/blog/how-to-use-claude-haiku-5-5-api/',
  date: '2026-10-08',
}
const openai = { host: 'api.openai.com' }
const openaiApril = {
  ...openai,
  source: 'https://benchlm.ai/blog/posts/openai-api-pricing',
  date: '2026-04-13',
}
const openaiSeptember = {
  ...openai,
  source: 'https://github.com/uttamdeb/agent-telemetry/releases/tag/v1.6.6',
  date: '2026-09-30',
}
const catalogue = 'https://github.com/anomalyco/models.dev/blob'
const gpt55 = {
  ...openai,
  source: `${catalogue}/2593e131a1e02e1c69412c50b233986e2ab433e4/providers/openai/models/gpt-5.5.toml`,
  // https://www.morphllm.com/openai-api-pricing says the same of shorter requests.
  date: '2026-06-01',
}
/** The files of single models; a survey of that month (https://geotoolbox.ai/blog/gemini-api-pricing) has the same input and output. */
const google = (file: string) => ({
  host: 'generativelanguage.googleapis.com',
  source: `${catalogue}/${file}`,
  date: '2026-07-01',
})
const googleSurvey = { ...google(''), source: 'https://geotoolbox.ai/blog/gemini-api-pricing' }
const gemini25 = '0760ceffd3e02115e6480d9a0be7992c330c2f35/providers/google/models'
const xai = {
  host: 'api.x.ai',
  source: 'https://docs.apiyi.com/api-capabilities/grok/overview',
  date: '2026-07-13',
}

// biome-ignore format: a table
export const priceRows: readonly PriceRow[] = [
  { ...anthropic, models: ['claude-fable-5-1'], input: 10, output: 50, cacheRead: 0.25, cacheWrite: 12.5 },
  { ...anthropic, models: ['claude-fable-5'], input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 },
  { ...anthropic, models: ['claude-opus-5-5'], input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 },
  { ...anthropic, models: ['claude-opus-5', 'claude-opus-4-8', 'claude-opus-4-7', 'claude-opus-4-6', 'claude-opus-4-5'], input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  { ...anthropic, models: ['claude-opus-4-1', 'claude-opus-4', 'claude-opus-4-0'], input: 15, output: 75, cacheRead: 1.5, cacheWrite: 18.75 },
  { ...anthropic, models: ['claude-sonnet-5-5'], input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 },
  { ...anthropic, models: ['claude-sonnet-5'], input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 },
  // Longer requests have had another price.
  { ...anthropic, models: ['claude-sonnet-4-6', 'claude-sonnet-4-5', 'claude-sonnet-4', 'claude-sonnet-4-0'], input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, upTo: 200_000 },
  { ...anthropic, models: ['claude-haiku-4-5'], input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
  { ...haiku, models: ['claude-haiku-5-5'], input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite: 0.125, above: { tokens: 100_000, input: 0.5, output: 2.5, cacheRead: 0.05 } },

  { ...openaiSeptember, models: ['gpt-6.1-sol'], input: 2, output: 10, cacheRead: 0.1, upTo: 272_000 },
  { ...openaiSeptember, models: ['gpt-6-sol'], input: 2, output: 10, cacheRead: 0.2, upTo: 272_000 },
  { ...openaiSeptember, models: ['gpt-5.2', 'gpt-5.3-codex'], input: 1.75, output: 14, cacheRead: 0.175 },
  { ...openaiSeptember, models: ['gpt-5-nano'], input: 0.05, output: 0.4 },
  { ...gpt55, models: ['gpt-5.5'], input: 5, output: 30, cacheRead: 0.5, above: { tokens: 272_000, input: 10, output: 45, cacheRead: 1 } },
  { ...openaiApril, models: ['gpt-5.4'], input: 2.5, output: 15, cacheRead: 0.25, upTo: 270_000 },
  { ...openaiApril, models: ['gpt-5.4-mini'], input: 0.75, output: 4.5, cacheRead: 0.075, upTo: 270_000 },
  { ...openaiApril, models: ['gpt-5.4-nano'], input: 0.2, output: 1.25, cacheRead: 0.02, upTo: 270_000 },
  { ...openaiApril, models: ['gpt-5.1'], input: 1.25, output: 10, cacheRead: 0.125 },

  { ...google(`${gemini25}/gemini-2.5-pro.toml`), models: ['gemini-2.5-pro'], input: 1.25, output: 10, cacheRead: 0.125, above: { tokens: 200_000, input: 2.5, output: 15, cacheRead: 0.25 } },
  { ...google(`${gemini25}/gemini-2.5-flash.toml`), models: ['gemini-2.5-flash'], input: 0.3, output: 2.5, cacheRead: 0.03 },
  { ...google('2593e131a1e02e1c69412c50b233986e2ab433e4/providers/google/models/gemini-3.1-pro-preview.toml'), models: ['gemini-3.1-pro-preview'], input: 2, output: 12, cacheRead: 0.2, above: { tokens: 200_000, input: 4, output: 18, cacheRead: 0.4 } },
  { ...google('96e7a00f4333b7b909a57a0f3bf63dc8f02f1a48/providers/google/models/gemini-3.5-flash.toml'), models: ['gemini-3.5-flash'], input: 1.5, output: 9, cacheRead: 0.15 },
  { ...googleSurvey, models: ['gemini-3.1-flash-lite'], input: 0.25, output: 1.5 },
  { ...googleSurvey, models: ['gemini-2.5-flash-lite'], input: 0.1, output: 0.4 },

  // Cached input is cheaper, and longer requests cost more; that page says of neither how much.
  { ...xai, models: ['grok-4.5'], input: 2, output: 6, upTo: 200_000 },
  { ...xai, models: ['grok-4.3'], input: 1.25, output: 2.5, upTo: 200_000 },
]
