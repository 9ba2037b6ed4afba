// generationConfig of a request, in canonical terms.

import { textOf } from '../../base/json.ts'
import type { ReasoningEffort, ResponseFormat, TurnRequest } from '../../core/request.ts'
import {
  array,
  between,
  boolean,
  defined,
  type Fields,
  number,
  object,
  optional,
  positiveInteger,
  string,
  unsupported,
} from '../requests/decode.ts'
import { readEffortWord, type StatedEffort } from '../requests/reasoning-effort.ts'
import { member } from './member.ts'
import { fromJsonSchema, fromOpenApiSchema } from './schema-in.ts'

export interface SettingsIn {
  turn: Pick<
    TurnRequest,
    | 'maxOutputTokens'
    | 'temperature'
    | 'topP'
    | 'topK'
    | 'stop'
    | 'reasoning'
    | 'otherEffort'
    | 'responseFormat'
  >
  /** The client wants to see thoughts. */
  showsThoughts: boolean
}

const at = (name: string) => `generationConfig.${name}`

export function readSettings(config: Fields): SettingsIn {
  const read = <T>(name: string, check: (value: unknown, path: string) => T): T | undefined =>
    optional(member(config, name), at(name), check)
  const stop = read('stopSequences', array)?.map((entry, index) =>
    string(entry, at(`stopSequences[${index}]`)),
  )
  if ((read('candidateCount', positiveInteger) ?? 1) > 1)
    throw unsupported(at('candidateCount'), 'only one candidate is written; ask several times.')
  for (const kind of read('responseModalities', array) ?? [])
    if (textOf(kind).toUpperCase() !== 'TEXT')
      throw unsupported(at('responseModalities'), 'only TEXT is written here.')
  const thinking = read('thinkingConfig', object) ?? {}
  const { effort, otherEffort } = readEffort(thinking)
  return {
    turn: defined({
      maxOutputTokens: read('maxOutputTokens', positiveInteger),
      temperature: read('temperature', between(0, 2)),
      topP: read('topP', between(0, 1)),
      topK: read('topK', positiveInteger),
      stop: stop && stop.length > 0 ? stop : undefined,
      reasoning: effort && { effort },
      otherEffort,
      responseFormat: readFormat(config),
    }),
    showsThoughts:
      optional(member(thinking, 'includeThoughts'), at('thinkingConfig.includeThoughts'), boolean) ?? false,
  }
}

/** Budgets below these limits. Larger budgets are `high`. */
const budgets: readonly { below: number; effort: ReasoningEffort }[] = [
  { below: 1, effort: 'none' },
  { below: 4_096, effort: 'low' },
  { below: 16_384, effort: 'medium' },
]

function readEffort(thinking: Fields): StatedEffort {
  const path = at('thinkingConfig.thinkingLevel')
  const level = optional(member(thinking, 'thinkingLevel'), path, string)?.toLowerCase()
  if (level !== undefined && level !== 'thinking_level_unspecified') return readEffortWord(level, path)
  const budget = optional(member(thinking, 'thinkingBudget'), at('thinkingConfig.thinkingBudget'), number)
  // -1 leaves it to the model.
  if (budget === undefined || budget < 0) return {}
  return { effort: budgets.find(({ below }) => budget < below)?.effort ?? 'high' }
}

function readFormat(config: Fields): ResponseFormat | undefined {
  const type = optional(member(config, 'responseMimeType'), at('responseMimeType'), string)
  if (type !== 'application/json') return undefined
  const json = optional(member(config, 'responseJsonSchema'), at('responseJsonSchema'), object)
  const proto = optional(member(config, 'responseSchema'), at('responseSchema'), object)
  const schema = (json && fromJsonSchema(json)) ?? (proto && fromOpenApiSchema(proto))
  return schema ? { type: 'json-schema', name: 'answer', schema } : { type: 'json' }
}
