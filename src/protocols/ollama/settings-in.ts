// `options`, `think` and `format` of a request, in canonical terms. Options of a local runner (memory, threads, the size of its window)
// say nothing here.

import type { ResponseFormat, TurnRequest } from '../../core/request.ts'
import {
  array,
  between,
  defined,
  type Fields,
  invalid,
  number,
  object,
  optional,
  string,
  wholeNumber,
} from '../requests/decode.ts'
import { readEffortWord, type StatedEffort } from '../requests/reasoning-effort.ts'

export interface SettingsIn {
  turn: Partial<TurnRequest>
  /** False only if the client asks for no thinking: it has a field of its own, which others pass over. */
  showsThinking: boolean
}

export function readSettings(fields: Fields): SettingsIn {
  const options = optional(fields.options, 'options', object) ?? {}
  const read = <T>(name: string, check: (value: unknown, path: string) => T): T | undefined =>
    optional(options[name], `options.${name}`, check)
  const { effort, otherEffort } = readThink(fields.think)
  return {
    turn: defined({
      maxOutputTokens: read('num_predict', readLimit),
      temperature: read('temperature', between(0, 2)),
      topP: read('top_p', between(0, 1)),
      // 0 switches it off.
      topK: read('top_k', wholeNumber) || undefined,
      stop: read('stop', readStop),
      reasoning: effort && { effort },
      otherEffort,
      responseFormat: readFormat(fields.format),
    }),
    showsThinking: fields.think !== false,
  }
}

/** -1 and -2 mean no limit. */
function readLimit(value: unknown, path: string): number | undefined {
  const limit = number(value, path)
  if (!Number.isInteger(limit)) throw invalid(path, 'must be a whole number')
  return limit > 0 ? limit : undefined
}

function readStop(value: unknown, path: string): string[] | undefined {
  const stops =
    typeof value === 'string'
      ? [value]
      : array(value, path).map((entry, at) => string(entry, `${path}[${at}]`))
  return stops.length > 0 ? stops : undefined
}

function readThink(value: unknown): StatedEffort {
  if (value === undefined || value === null) return {}
  if (typeof value === 'boolean') return { effort: value ? 'medium' : 'none' }
  if (typeof value !== 'string') throw invalid('think', 'must be true, false, "low", "medium" or "high"')
  return value === '' ? {} : readEffortWord(value, 'think')
}

function readFormat(value: unknown): ResponseFormat | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (value === 'json') return { type: 'json' }
  if (typeof value === 'string') throw invalid('format', 'must be "json", or a JSON schema')
  return { type: 'json-schema', name: 'answer', schema: { ...object(value, 'format') } }
}
