// What each Claude model takes: the API refuses a request that violates any of these facts. Source: Anthropic's model table of
// November 2026. A newer model of a known family gets the family's nearest older row, as a guess. A model that is not Claude gets
// `base`, which suits most compatible servers.

import type { ReasoningEffort } from '../../core/request.ts'

export interface AnthropicModel {
  /** How to request thinking: with a token budget, adaptively, either way, or not at all. */
  thinking: 'none' | 'budget' | 'both' | 'adaptive'
  /** How to switch thinking off: by omitting the field, by `disabled`, by `between_tools` as the lowest form, or not at all. */
  thinkingOff: 'omit' | 'disabled' | 'between_tools' | 'never'
  /** Thinks if the field is omitted. */
  thinksByDefault: boolean
  /** The text of thinking is empty unless the request asks for it. */
  hidesThinking: boolean
  efforts: readonly ReasoningEffort[]
  /** With thinking off, the model refuses efforts above `high`. */
  limitsEffortWhenOff: boolean
  /**
   * temperature, top_p and top_k: all of them; not temperature and top_p together; only `temperature: 1` or `top_p: 0.99`; or none.
   */
  sampling: 'all' | 'one' | 'defaults' | 'none'
  forcedToolChoice: boolean
  /** The last message may be the assistant's. */
  prefill: boolean
  structuredOutput: boolean
  outputTokens: number
  /** Prompt and answer together. The API refuses a request above it before the model starts. */
  contextTokens: number
  /** Takes `role: "system"` inside the conversation. */
  systemMessages: boolean
  /** Refuses replayed thinking if anything before it has changed. */
  prefixCheck: boolean
  /** The facts are of this very model, not a guess. */
  recognised: boolean
  /** `outputTokens` is the model's real limit, not a guess. */
  known: boolean
}

interface Row {
  families: readonly string[]
  /** major * 100 + minor. */
  version: number
  facts: Partial<AnthropicModel>
}

const base: AnthropicModel = {
  thinking: 'budget',
  thinkingOff: 'omit',
  thinksByDefault: false,
  hidesThinking: false,
  efforts: [],
  limitsEffortWhenOff: false,
  sampling: 'all',
  forcedToolChoice: true,
  prefill: true,
  structuredOutput: false,
  outputTokens: 32_000,
  contextTokens: 200_000,
  systemMessages: false,
  prefixCheck: false,
  recognised: false,
  known: false,
}

const upTo = {
  high: ['low', 'medium', 'high'],
  max: ['low', 'medium', 'high', 'max'],
  all: ['low', 'medium', 'high', 'xhigh', 'max'],
} as const satisfies Record<string, readonly ReasoningEffort[]>

const four5 = { sampling: 'one', structuredOutput: true, outputTokens: 64_000 } as const
const four6 = {
  ...four5,
  thinking: 'both',
  efforts: upTo.max,
  prefill: false,
  outputTokens: 128_000,
  contextTokens: 1_000_000,
} as const
const opus47 = {
  ...four6,
  thinking: 'adaptive',
  hidesThinking: true,
  efforts: upTo.all,
  sampling: 'none',
} as const
const opus48 = { ...opus47, systemMessages: true } as const
const opus5 = {
  ...opus48,
  thinksByDefault: true,
  thinkingOff: 'disabled',
  limitsEffortWhenOff: true,
} as const
const fable5 = { ...opus5, thinkingOff: 'never' } as const
const fable51 = { ...fable5, forcedToolChoice: false, prefixCheck: true } as const
const sonnet5 = { ...opus47, thinksByDefault: true, thinkingOff: 'disabled', sampling: 'defaults' } as const
const haiku55 = { ...sonnet5, limitsEffortWhenOff: true, systemMessages: true, prefixCheck: true } as const
const sonnet55 = { ...haiku55, thinkingOff: 'between_tools', forcedToolChoice: false } as const

const top = ['fable', 'mythos']

/** Newest first within a family. */
const rows: readonly Row[] = [
  { families: top, version: 502, facts: fable51 },
  { families: top, version: 501, facts: fable51 },
  { families: top, version: 500, facts: fable5 },
  { families: ['opus'], version: 505, facts: fable51 },
  { families: ['opus'], version: 500, facts: opus5 },
  { families: ['opus'], version: 408, facts: opus48 },
  { families: ['opus'], version: 407, facts: opus47 },
  { families: ['opus'], version: 406, facts: four6 },
  { families: ['opus'], version: 405, facts: { ...four5, efforts: upTo.high } },
  { families: ['opus'], version: 401, facts: { sampling: 'one', structuredOutput: true } },
  { families: ['opus'], version: 400, facts: {} },
  { families: ['sonnet'], version: 505, facts: sonnet55 },
  { families: ['sonnet'], version: 500, facts: sonnet5 },
  { families: ['sonnet'], version: 406, facts: four6 },
  { families: ['sonnet'], version: 405, facts: four5 },
  { families: ['sonnet'], version: 400, facts: { outputTokens: 64_000 } },
  { families: ['sonnet'], version: 307, facts: { outputTokens: 64_000 } },
  { families: ['haiku'], version: 505, facts: haiku55 },
  { families: ['haiku'], version: 405, facts: four5 },
  { families: ['sonnet', 'haiku'], version: 305, facts: { thinking: 'none', outputTokens: 8_192 } },
  { families: ['opus', 'sonnet', 'haiku'], version: 300, facts: { thinking: 'none', outputTokens: 4_096 } },
]

const familyFirst = /claude-([a-z]+)-(\d)(?:[-.](\d{1,2}))?(?!\d)/
const versionFirst = /claude-(\d)(?:[-.](\d{1,2}))?(?!\d)-([a-z]+)/

export function anthropicModel(name: string): AnthropicModel {
  const newer = familyFirst.exec(name)
  const older = newer ? null : versionFirst.exec(name)
  const family = newer?.[1] ?? older?.[3]
  if (family === undefined) return base
  const version = Number(newer?.[2] ?? older?.[1]) * 100 + Number(newer?.[3] ?? older?.[2] ?? 0)
  return { ...base, ...factsOf(family, version) }
}

function factsOf(family: string, version: number): Partial<AnthropicModel> {
  const ofFamily = rows.filter(({ families }) => families.includes(family))
  const own = ofFamily.find((row) => row.version === version)
  if (own) return { ...own.facts, recognised: true, known: true }
  // A new family is probably like the newest models.
  const near = ofFamily.length === 0 ? rows[0] : ofFamily.find((row) => row.version < version)
  return near?.facts ?? base
}
