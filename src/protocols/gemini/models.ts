// What a Gemini model takes, by its name. Names that say nothing count as the newest generation. Facts as of November 2026.

import type { ReasoningEffort } from '../../core/request.ts'

export type ThinkingLevel = 'minimal' | 'low' | 'medium' | 'high'

/** By levels, or by a budget of tokens. `isOptional`: a budget of 0 switches thinking off. */
export type ThinkingControl =
  | { readonly levels: readonly ThinkingLevel[] }
  | { readonly least: number; readonly most: number; readonly isOptional: boolean }

export interface GeminiModel {
  /** Undefined: the model does not think, and refuses settings for it. */
  readonly thinking: ThinkingControl | undefined
  /** Levels are all that it takes: a budget is refused. */
  readonly levelsOnly: boolean
  /** It refuses calls of the current turn without their thought signature. */
  readonly needsSignatures: boolean
  /** It takes media inside results, an answer in JSON beside tools, and the service's own tools beside functions. */
  readonly mixes: boolean
  /** The most output tokens of one request. More would need a second one. */
  readonly mostOutput?: { readonly streamed: number; readonly whole: number }
}

const low: readonly ThinkingLevel[] = ['low', 'medium', 'high']
const minimal: readonly ThinkingLevel[] = ['minimal', ...low]

const older: GeminiModel = { thinking: undefined, levelsOnly: false, needsSignatures: false, mixes: false }
const third: GeminiModel = {
  thinking: { levels: low },
  levelsOnly: false,
  needsSignatures: true,
  mixes: true,
}
const newest: GeminiModel = {
  ...third,
  levelsOnly: true,
  mostOutput: { streamed: 65_536, whole: 32_768 },
}

/** The first row that fits a name counts. */
const rows: readonly (readonly [name: RegExp, facts: GeminiModel])[] = [
  [/^gemma|^learnlm|^gemini-(?:1\.|2\.0)/, older],
  [/^gemini-2\.5-pro/, { ...older, thinking: { least: 128, most: 32_768, isOptional: false } }],
  [/^gemini-2\.5-flash-lite/, { ...older, thinking: { least: 512, most: 24_576, isOptional: true } }],
  [/^gemini-2\.5-flash/, { ...older, thinking: { least: 1, most: 24_576, isOptional: true } }],
  [/^gemini-2\./, older],
  [/^gemini-3-pro/, { ...third, thinking: { levels: ['low', 'high'] } }],
  [/^gemini-3(?:\.\d+)?-flash-lite|^gemini-3(?:\.[1-6])?-flash/, { ...third, thinking: { levels: minimal } }],
  [/^gemini-3/, third],
]

export const geminiModel = (name: string): GeminiModel =>
  rows.find(([names]) => names.test(name))?.[1] ?? newest

/** For the listing: the efforts that a client can ask for. */
export function effortsOf({ thinking }: GeminiModel): readonly ReasoningEffort[] {
  if (thinking === undefined) return []
  if ('levels' in thinking) return thinking.levels
  return thinking.isOptional ? ['none', ...minimal] : minimal
}
