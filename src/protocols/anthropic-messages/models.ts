// What each generation of Claude models takes, as data: the API refuses a request over any of these. From Anthropic's
// documentation; a name that is not recognised gets the last row, which suits most compatible servers.

import type { ReasoningEffort } from '../../core/request.ts'

export interface AnthropicModel {
  /** How thinking is asked for: with a token budget, adaptively, either way, or not at all. */
  thinking: 'none' | 'budget' | 'both' | 'adaptive'
  /** How thinking is kept off: by leaving the field out, by saying so, by the lowest form there is, or not at all. */
  thinkingOff: 'omit' | 'disabled' | 'between_tools' | 'never'
  /** Thinks when the field is left out. */
  thinksByDefault: boolean
  /** Thinking text comes back empty unless it is asked for. */
  hidesThinking: boolean
  efforts: readonly ReasoningEffort[]
  /** temperature, top_p and top_k: all, not temperature and top_p together, or none. */
  sampling: 'all' | 'one' | 'none'
  forcedToolChoice: boolean
  /** The last message may be the assistant's. */
  prefill: boolean
  structuredOutput: boolean
  outputTokens: number
  /** Prompt and answer together; more is refused before the model begins. */
  contextTokens: number
  /** Takes `role: "system"` inside the conversation. */
  systemMessages: boolean
  /** The name is that of a Claude model: these are facts, not guesses. */
  recognised: boolean
  /** `outputTokens` is the model's true limit, not our guess. */
  known: boolean
}

interface Row extends Partial<AnthropicModel> {
  family?: string
  /** The first version (major * 100 + minor) that the row is for. */
  from: number
}

const base: AnthropicModel = {
  thinking: 'budget',
  thinkingOff: 'omit',
  thinksByDefault: false,
  hidesThinking: false,
  efforts: [],
  sampling: 'all',
  forcedToolChoice: true,
  prefill: true,
  structuredOutput: false,
  outputTokens: 32_000,
  contextTokens: 200_000,
  systemMessages: false,
  recognised: false,
  known: false,
}

const upTo = {
  high: ['low', 'medium', 'high'],
  max: ['low', 'medium', 'high', 'max'],
  all: ['low', 'medium', 'high', 'xhigh', 'max'],
} as const satisfies Record<string, readonly ReasoningEffort[]>

const adaptive = {
  thinking: 'adaptive',
  hidesThinking: true,
  efforts: upTo.all,
  sampling: 'none',
  prefill: false,
  structuredOutput: true,
  outputTokens: 128_000,
} as const

const late = { ...adaptive, systemMessages: true } as const
const five = { ...late, thinksByDefault: true, thinkingOff: 'disabled' } as const

/** Newest first; the first row that fits counts. */
const rows: readonly Row[] = [
  { family: 'opus', from: 505, ...five, thinkingOff: 'never', forcedToolChoice: false },
  { family: 'sonnet', from: 505, ...five, thinkingOff: 'between_tools', forcedToolChoice: false },
  { from: 500, ...five },
  { from: 408, ...late },
  { from: 407, ...adaptive },
  {
    family: 'opus',
    from: 406,
    thinking: 'both',
    efforts: upTo.max,
    sampling: 'one',
    prefill: false,
    structuredOutput: true,
    outputTokens: 128_000,
  },
  {
    from: 406,
    thinking: 'both',
    efforts: upTo.max,
    sampling: 'one',
    prefill: false,
    structuredOutput: true,
    outputTokens: 64_000,
  },
  {
    family: 'opus',
    from: 405,
    efforts: upTo.high,
    sampling: 'one',
    structuredOutput: true,
    outputTokens: 64_000,
  },
  { from: 405, sampling: 'one', structuredOutput: true, outputTokens: 64_000 },
  { family: 'opus', from: 401, sampling: 'one', structuredOutput: true },
  { family: 'opus', from: 400 },
  { from: 307, outputTokens: 64_000 },
  { from: 305, thinking: 'none', outputTokens: 8_192 },
  { from: 300, thinking: 'none', outputTokens: 4_096 },
]

const families = 'opus|sonnet|haiku|fable|mythos'
const familyFirst = new RegExp(`claude-(${families})-(\\d)(?:[-.](\\d{1,2}))?(?!\\d)`)
const versionFirst = new RegExp(`claude-(\\d)(?:[-.](\\d{1,2}))?(?!\\d)-(${families})`)

export function anthropicModel(name: string): AnthropicModel {
  const newer = familyFirst.exec(name)
  const older = newer ? null : versionFirst.exec(name)
  const family = newer?.[1] ?? older?.[3]
  if (family === undefined) return base
  const version = Number(newer?.[2] ?? older?.[1]) * 100 + Number(newer?.[3] ?? older?.[2] ?? 0)
  const row = rows.find((candidate) => version >= candidate.from && (candidate.family ?? family) === family)
  return { ...base, ...row, recognised: row !== undefined, known: row !== undefined }
}
