// What each Claude model accepts: one row for each documented model (models overview and migration guides, November 2026). Release
// days are guesses. A name without a row gets the permissive row.

export type ThinkingType = 'enabled' | 'adaptive' | 'disabled' | 'between_tools'

export interface AnthropicModel {
  readonly id: string
  readonly displayName: string
  readonly createdAt: string
  readonly contextTokens: number
  readonly maxOutputTokens: number
  readonly thinking: readonly ThinkingType[]
  /** Thinks if the request does not say. */
  readonly thinksByDefault: boolean
  /** Thinking blocks have empty text unless `display` asks for it. */
  readonly omitsThinking: boolean
  /** `either`: temperature or top_p, not both. `defaults`: only the default values, and not both. */
  readonly sampling: 'free' | 'either' | 'defaults' | 'removed'
  readonly prefill: boolean
  readonly forcedToolChoice: boolean
  readonly effort: readonly string[]
  /** Refuses xhigh and max while thinking is off. */
  readonly limitsEffortWhenOff: boolean
  /** Takes `role: "system"` inside the conversation. */
  readonly systemMessages: boolean
  /** The accounts whose replayed thinking is checked against its prefix. */
  readonly prefixCheck: 'no accounts' | 'new accounts' | 'all accounts'
  /** Thinking blocks work only in the account that created them. */
  readonly accountBound: boolean
}

type Generation = Omit<AnthropicModel, 'id' | 'displayName' | 'createdAt'>

const ALL = ['low', 'medium', 'high', 'xhigh', 'max']

/** The table does not list `disabled` for them. It says what they do anyway, and no refusal of it is known. */
const MANUAL: Generation = {
  contextTokens: 200_000,
  maxOutputTokens: 64_000,
  thinking: ['enabled', 'disabled'],
  thinksByDefault: false,
  omitsThinking: false,
  sampling: 'either',
  prefill: true,
  forcedToolChoice: true,
  effort: [],
  limitsEffortWhenOff: false,
  systemMessages: false,
  prefixCheck: 'no accounts',
  accountBound: false,
}
const BOTH: Generation = {
  ...MANUAL,
  contextTokens: 1_000_000,
  maxOutputTokens: 128_000,
  thinking: ['enabled', 'adaptive', 'disabled'],
  prefill: false,
  effort: ['low', 'medium', 'high', 'max'],
}
const ADAPTIVE: Generation = {
  ...BOTH,
  thinking: ['adaptive', 'disabled'],
  omitsThinking: true,
  sampling: 'removed',
  effort: ALL,
}
const OPUS_4_8: Generation = { ...ADAPTIVE, systemMessages: true }
const OPUS_5: Generation = { ...OPUS_4_8, thinksByDefault: true, limitsEffortWhenOff: true }
const OPUS_5_5: Generation = {
  ...OPUS_5,
  thinking: ['adaptive'],
  forcedToolChoice: false,
  prefixCheck: 'new accounts',
}
const SONNET_5: Generation = { ...ADAPTIVE, thinksByDefault: true, sampling: 'defaults' }
const SONNET_5_5: Generation = {
  ...SONNET_5,
  thinking: ['adaptive', 'between_tools'],
  limitsEffortWhenOff: true,
  forcedToolChoice: false,
  systemMessages: true,
  prefixCheck: 'new accounts',
  accountBound: true,
}
const HAIKU_5_5: Generation = {
  ...SONNET_5_5,
  thinking: ['adaptive', 'disabled'],
  forcedToolChoice: true,
}
const FABLE_5: Generation = { ...OPUS_5, thinking: ['adaptive'] }
const FABLE_5_1: Generation = { ...FABLE_5, forcedToolChoice: false, prefixCheck: 'new accounts' }
const MYTHOS_5_1: Generation = { ...FABLE_5_1, prefixCheck: 'all accounts' }
const FABLE_5_2: Generation = { ...MYTHOS_5_1, accountBound: true }

const PERMISSIVE: Generation = {
  ...BOTH,
  thinking: ['enabled', 'adaptive', 'disabled', 'between_tools'],
  sampling: 'free',
  prefill: true,
  effort: ALL,
}

const MODELS: readonly AnthropicModel[] = [
  row('claude-demo', 'Claude Demo (simulated)', '2026-11-01', PERMISSIVE),
  row('claude-fable-5-2', 'Claude Fable 5.2', '2026-10-27', FABLE_5_2),
  row('claude-mythos-5-2', 'Claude Mythos 5.2', '2026-10-27', FABLE_5_2),
  row('claude-haiku-5-5', 'Claude Haiku 5.5', '2026-10-06', HAIKU_5_5),
  row('claude-sonnet-5-5', 'Claude Sonnet 5.5', '2026-09-29', SONNET_5_5),
  row('claude-opus-5-5', 'Claude Opus 5.5', '2026-09-15', OPUS_5_5),
  row('claude-fable-5-1', 'Claude Fable 5.1', '2026-08-31', FABLE_5_1),
  row('claude-mythos-5-1', 'Claude Mythos 5.1', '2026-08-31', MYTHOS_5_1),
  row('claude-opus-5', 'Claude Opus 5', '2026-07-21', OPUS_5),
  row('claude-fable-5', 'Claude Fable 5', '2026-07-07', FABLE_5),
  row('claude-mythos-5', 'Claude Mythos 5', '2026-07-07', FABLE_5),
  row('claude-sonnet-5', 'Claude Sonnet 5', '2026-06-30', SONNET_5),
  row('claude-opus-4-8', 'Claude Opus 4.8', '2026-05-28', OPUS_4_8),
  row('claude-opus-4-7', 'Claude Opus 4.7', '2026-04-14', ADAPTIVE),
  row('claude-sonnet-4-6', 'Claude Sonnet 4.6', '2026-02-17', BOTH),
  row('claude-opus-4-6', 'Claude Opus 4.6', '2026-02-04', BOTH),
  row('claude-opus-4-5', 'Claude Opus 4.5', '2025-11-24', { ...MANUAL, effort: ['low', 'medium', 'high'] }),
  row('claude-haiku-4-5', 'Claude Haiku 4.5', '2025-10-15', MANUAL),
  row('claude-sonnet-4-5', 'Claude Sonnet 4.5', '2025-09-29', MANUAL),
]

const SUFFIX = /^(-\d{8}|-latest)?$/

/** Also finds the model of a dated name (`…-20251001`, `…-latest`). */
export function findModel(name: string): AnthropicModel {
  const found = MODELS.find(({ id }) => name.startsWith(id) && SUFFIX.test(name.slice(id.length)))
  return found ? { ...found, id: name } : row(name, name, '1970-01-01', PERMISSIVE)
}

const RETIRED = ['claude-opus-4-1', 'claude-opus-4', 'claude-sonnet-4']

/** Opus 4.1 and 4, Sonnet 4, and all earlier models. */
export function isRetired(name: string): boolean {
  return (
    /^claude-(instant|[123])\b/.test(name) ||
    RETIRED.some((id) => name.startsWith(id) && SUFFIX.test(name.slice(id.length)))
  )
}

export function listModels(only: readonly string[] | undefined): AnthropicModel[] {
  return only ? only.map(findModel) : [...MODELS]
}

/** The documented models, newest first. */
export const DOCUMENTED: readonly string[] = MODELS.map(({ id }) => id).filter((id) => id !== 'claude-demo')

function row(id: string, displayName: string, day: string, generation: Generation): AnthropicModel {
  return { id, displayName, createdAt: `${day}T00:00:00Z`, ...generation }
}
