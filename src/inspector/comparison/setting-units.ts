// The settings of a request, and the facts of an answer: under one term, whatever a dialect calls them.

import { type Fields, isObject } from '../../base/json.ts'
import { at } from './row.ts'
import type { Field, Unit } from './unit.ts'

type Meaning = (value: unknown) => unknown

interface Term {
  term: string
  meaning?: Meaning
}

const list: Meaning = (value) => (Array.isArray(value) ? value : [value])

const choices = new Map<unknown, string>([['any', 'required'], ['ANY', 'required'], ['AUTO', 'auto'], ['NONE', 'none']]) // biome-ignore format: a list to be read as one
const choice: Meaning = (value) => {
  if (!isObject(value)) return choices.get(value) ?? value
  const named = isObject(value.function) ? value.function.name : value.name
  return typeof named === 'string' ? { tool: named } : (choices.get(value.type) ?? value.type ?? value)
}

const format: Meaning = (value) => {
  if (!isObject(value)) return value
  const inner = isObject(value.json_schema) ? value.json_schema : value
  return isObject(inner.schema) ? { schema: inner.schema } : value.type
}

const ends = new Map<unknown, string>([
  ['end_turn', 'stop'], ['STOP', 'stop'], ['completed', 'stop'], ['stop_sequence', 'stop'],
  ['tool_use', 'tool_calls'], ['max_tokens', 'length'], ['MAX_TOKENS', 'length'], ['max_output_tokens', 'length'],
  ['refusal', 'content_filter'], ['SAFETY', 'content_filter'],
]) // biome-ignore format: a list to be read as one
const end: Meaning = (value) => ends.get(value) ?? value

const terms = new Map<string, Term>()
const name = (term: string, places: readonly string[], meaning?: Meaning) => {
  for (const place of places) terms.set(place, { term, ...(meaning ? { meaning } : {}) })
}

name('output limit', [
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'generationConfig.maxOutputTokens',
  'options.num_predict',
])
name('temperature', ['temperature', 'generationConfig.temperature', 'options.temperature'])
name('top_p', ['top_p', 'generationConfig.topP', 'options.top_p'])
name('top_k', ['top_k', 'generationConfig.topK', 'options.top_k'])
name('stop', ['stop', 'stop_sequences', 'generationConfig.stopSequences', 'options.stop'], list)
name('tool choice', ['tool_choice', 'function_call', 'toolConfig.functionCallingConfig.mode'], choice)
name('reasoning effort', [
  'reasoning_effort',
  'reasoning.effort',
  'output_config.effort',
  'generationConfig.thinkingConfig.thinkingLevel',
  'think',
])
name('thinking budget', ['thinking.budget_tokens', 'generationConfig.thinkingConfig.thinkingBudget'])
name(
  'response format',
  [
    'response_format',
    'text.format',
    'output_format',
    'output_config.format',
    'generationConfig.responseJsonSchema',
    'generationConfig.responseSchema',
  ],
  format,
)
name('user', ['user', 'metadata.user_id', 'safety_identifier'])
// Of answers.
name(
  'finish reason',
  ['choices[0].finish_reason', 'stop_reason', 'status', 'candidates[0].finishReason', 'done_reason'],
  end,
)
name('input tokens', [
  'usage.prompt_tokens',
  'usage.input_tokens',
  'usageMetadata.promptTokenCount',
  'prompt_eval_count',
])
name('output tokens', [
  'usage.completion_tokens',
  'usage.output_tokens',
  'usageMetadata.candidatesTokenCount',
  'eval_count',
])
name('all tokens', ['usage.total_tokens', 'usageMetadata.totalTokenCount'])
name('tokens read from the cache', [
  'usage.prompt_tokens_details.cached_tokens',
  'usage.input_tokens_details.cached_tokens',
  'usage.cache_read_input_tokens',
  'usageMetadata.cachedContentTokenCount',
])
name('tokens of reasoning', [
  'usage.completion_tokens_details.reasoning_tokens',
  'usage.output_tokens_details.reasoning_tokens',
  'usageMetadata.thoughtsTokenCount',
])
name('id', ['id', 'responseId'])
name('model', ['model', 'modelVersion', 'requestedModel.modelId'])
name('time', ['created', 'created_at'])

/** Places above those of the table: their members are settings themselves. */
const above = new Set([...terms.keys()].flatMap((place) => ancestors(place)))

function ancestors(place: string): string[] {
  const found: string[] = []
  for (let at = 0; at < place.length; at++)
    if (place[at] === '.' || place[at] === '[') found.push(place.slice(0, at))
  return found
}

/** `path` is both the place in the body and the key of the table. */
export function settingUnits(value: unknown, path: string): Unit[] {
  if (above.has(path) && isObject(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([key, inner]) => settingUnits(inner, at(path, key)))
  if (above.has(path) && Array.isArray(value) && value.length > 0)
    return value.flatMap((inner, place) => settingUnits(inner, at(path, place)))
  const known = terms.get(path)
  return [
    settingOf(known?.term ?? path, {
      path,
      value,
      ...(known?.meaning ? { meaning: known.meaning(value) } : {}),
    }),
  ]
}

const settingOf = (term: string, field: Omit<Field, 'term'>): Unit => ({
  ...{
    section: 'settings',
    kind: 'setting',
    role: '',
    key: term,
    label: term,
    main: term,
    fields: [{ term, ...field }],
  },
})

export type Settings = Fields
