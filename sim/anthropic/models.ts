// What each Claude model accepts, as far as it decides which requests are refused. Made from Anthropic's
// documentation; sizes and dates of the newest are guesses. A name that is not here gets the permissive row.

export type ThinkingType = 'enabled' | 'adaptive' | 'disabled' | 'between_tools'

export interface AnthropicModel {
  readonly id: string
  readonly displayName: string
  readonly createdAt: string
  readonly contextTokens: number
  readonly maxOutputTokens: number
  readonly thinking: readonly ThinkingType[]
  /** Whether it thinks when the request does not say. */
  readonly thinksByDefault: boolean
  /** Whether thinking blocks come with empty text unless `display` asks for it. */
  readonly omitsThinking: boolean
  /** `either`: temperature or top_p, not both. */
  readonly sampling: 'free' | 'either' | 'removed'
  readonly prefill: boolean
  readonly forcedToolChoice: boolean
  readonly effort: readonly string[]
  /** Whether `role: "system"` may come inside the conversation. */
  readonly systemMessages: boolean
}

type Generation = Omit<AnthropicModel, 'id' | 'displayName' | 'createdAt'>

const OLD: Generation = {
  contextTokens: 200_000,
  maxOutputTokens: 8192,
  thinking: ['disabled'],
  thinksByDefault: false,
  omitsThinking: false,
  sampling: 'free',
  prefill: true,
  forcedToolChoice: true,
  effort: [],
  systemMessages: false,
}
const MANUAL: Generation = { ...OLD, maxOutputTokens: 64_000, thinking: ['enabled', 'disabled'] }
const MANUAL_LATE: Generation = { ...MANUAL, sampling: 'either' }
const BOTH: Generation = {
  ...MANUAL_LATE,
  maxOutputTokens: 128_000,
  thinking: ['enabled', 'adaptive', 'disabled'],
  prefill: false,
  effort: ['low', 'medium', 'high', 'max'],
}
const ADAPTIVE: Generation = {
  ...BOTH,
  contextTokens: 1_000_000,
  thinking: ['adaptive', 'disabled'],
  omitsThinking: true,
  sampling: 'removed',
  effort: ['low', 'medium', 'high', 'xhigh', 'max'],
}
const ADAPTIVE_LATE: Generation = { ...ADAPTIVE, systemMessages: true }
const FIVE: Generation = { ...ADAPTIVE_LATE, thinksByDefault: true }

const PERMISSIVE: Generation = {
  ...BOTH,
  contextTokens: 1_000_000,
  thinking: ['enabled', 'adaptive', 'disabled', 'between_tools'],
  sampling: 'free',
  prefill: true,
  effort: ['low', 'medium', 'high', 'xhigh', 'max'],
}

const MODELS: readonly AnthropicModel[] = [
  row('claude-demo', 'Claude Demo (simulated)', '2026-11-01', PERMISSIVE),
  row('claude-haiku-5-5', 'Claude Haiku 5.5', '2026-10-06', FIVE),
  row('claude-sonnet-5-5', 'Claude Sonnet 5.5', '2026-09-29', {
    ...FIVE,
    thinking: ['adaptive', 'between_tools'],
    forcedToolChoice: false,
  }),
  row('claude-opus-5-5', 'Claude Opus 5.5', '2026-09-15', {
    ...FIVE,
    thinking: ['adaptive'],
    forcedToolChoice: false,
  }),
  row('claude-opus-5', 'Claude Opus 5', '2026-07-21', FIVE),
  row('claude-sonnet-5', 'Claude Sonnet 5', '2026-06-30', FIVE),
  row('claude-opus-4-8', 'Claude Opus 4.8', '2026-05-28', ADAPTIVE_LATE),
  row('claude-opus-4-7', 'Claude Opus 4.7', '2026-04-14', ADAPTIVE),
  row('claude-sonnet-4-6', 'Claude Sonnet 4.6', '2026-02-17', BOTH),
  row('claude-opus-4-6', 'Claude Opus 4.6', '2026-02-04', BOTH),
  row('claude-opus-4-5', 'Claude Opus 4.5', '2025-11-24', {
    ...MANUAL_LATE,
    effort: ['low', 'medium', 'high'],
  }),
  row('claude-haiku-4-5', 'Claude Haiku 4.5', '2025-10-15', MANUAL_LATE),
  row('claude-sonnet-4-5', 'Claude Sonnet 4.5', '2025-09-29', MANUAL_LATE),
  row('claude-opus-4-1', 'Claude Opus 4.1', '2025-08-05', { ...MANUAL_LATE, maxOutputTokens: 32_000 }),
  row('claude-opus-4', 'Claude Opus 4', '2025-05-22', { ...MANUAL, maxOutputTokens: 32_000 }),
  row('claude-sonnet-4', 'Claude Sonnet 4', '2025-05-22', MANUAL),
  row('claude-3-7-sonnet', 'Claude Sonnet 3.7', '2025-02-24', MANUAL),
  row('claude-3-5-haiku', 'Claude Haiku 3.5', '2024-10-22', OLD),
]

/** A dated name (`…-20251001`, `…-latest`) finds its model. */
export function findModel(name: string): AnthropicModel {
  const found = MODELS.find(
    ({ id }) => name.startsWith(id) && /^(-\d{8}|-latest)?$/.test(name.slice(id.length)),
  )
  return found ? { ...found, id: name } : row(name, name, '1970-01-01', PERMISSIVE)
}

export function listModels(only: readonly string[] | undefined): AnthropicModel[] {
  return only ? only.map(findModel) : [...MODELS]
}

function row(id: string, displayName: string, day: string, generation: Generation): AnthropicModel {
  return { id, displayName, createdAt: `${day}T00:00:00Z`, ...generation }
}
