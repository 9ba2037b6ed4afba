// The settings of a Responses request: reasoning, text, limits, and what other dialects have under other names.

import { createHash } from 'node:crypto'
import { type Fields, isObject } from '../../base/json.ts'
import type { TurnRequest } from '../../core/request.ts'
import { fittingUser } from '../requests/fitting-user.ts'
import { fittingEffort } from '../requests/nearest-effort.ts'
import { otherEffort, unusedFields } from '../requests/unused-fields.ts'
import { unusedNote, unusedOf } from './request-in.ts'
import type { ResponsesTraits } from './traits.ts'

export interface SettingsOptions {
  traits: ResponsesTraits
  note(text: string): void
  /** Takes a note of the door back. */
  withdraw(text: string): void
}

/** The smallest limit that the service takes. */
export const leastTokens = 16

export function writeSettings(body: Fields, request: TurnRequest, options: SettingsOptions): void {
  noteUnused(request, options)
  writeReasoning(body, request, options)
  writeText(body, request)
  writeLimit(body, request, options)
  writeSampling(body, request, options)
  writeShared(body, request, options)
}

/** Fields that are read here, by Chat's names. */
const used = [
  'max_tokens', 'max_completion_tokens', 'temperature', 'top_p', 'user', 'verbosity', 'metadata', 'safety_identifier',
  'service_tier', 'prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention', 'stop', otherEffort,
] // biome-ignore format: a list to be read as one

/** Fields of a Responses request that the door reports as left out, and that are sent here. */
const sent = ['text.verbosity', 'service_tier']

function noteUnused(request: TurnRequest, { note, withdraw }: SettingsOptions): void {
  const { dialect, body } = request.origin
  const dropped = unusedFields(request, used)
  if (dropped.length > 0) note(`not supported by the upstream and left out: ${dropped.join(', ')}`)
  if (dialect !== 'openai-responses') return
  const unused = unusedOf(body)
  if (unused.length === 0) return
  withdraw(unusedNote(unused))
  const left = unused.filter((name) => !sent.includes(name))
  if (left.length > 0) note(unusedNote(left))
}

/** Fields that both OpenAI dialects have under the same name. */
const shared = [
  'metadata',
  'service_tier',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
]

function writeShared(body: Fields, { origin, user }: TurnRequest, { note }: SettingsOptions): void {
  if (origin.dialect === 'openai-chat' || origin.dialect === 'openai-responses')
    for (const name of shared) if (origin.body[name] != null) body[name] = origin.body[name]
  body.safety_identifier ??= fittingUser(user, note)
  // The id of a Messages client's user names its session.
  if (origin.dialect === 'anthropic-messages' && user)
    body.prompt_cache_key ??= createHash('sha256').update(user).digest('hex')
}

function writeReasoning(body: Fields, request: TurnRequest, options: SettingsOptions): void {
  const { traits } = options
  const asked = request.reasoning?.effort ?? request.otherEffort
  const effort = asked === undefined ? undefined : fittingEffort(asked, request, options)
  const summary = summaryOf(request) ?? (isSummaryWanted(effort, traits) ? 'auto' : undefined)
  if (effort !== undefined || summary !== undefined)
    body.reasoning = {
      ...(effort === undefined ? {} : { effort }),
      ...(summary === undefined ? {} : { summary }),
    }
}

function summaryOf({ origin: { dialect, body } }: TurnRequest): unknown {
  return dialect === 'openai-responses' && isObject(body.reasoning)
    ? (body.reasoning.summary ?? undefined)
    : undefined
}

/** Where reasoning is a setting of the model and is not switched off. Other servers show theirs unasked. */
function isSummaryWanted(effort: string | undefined, traits: ResponsesTraits): boolean {
  const isKnown = effort !== undefined || (traits.efforts !== undefined && traits.efforts.length > 0)
  return traits.isOpenAI && isKnown && isReasoning(effort, traits)
}

const isReasoning = (effort: unknown, { efforts, reasonsByDefault }: ResponsesTraits) =>
  efforts?.length !== 0 && (effort === undefined ? reasonsByDefault : effort !== 'none')

/** With this effort the model refuses the settings in `fixed`. */
export const isSamplingFixed = (effort: unknown, traits: ResponsesTraits): boolean =>
  traits.fixedWhile === 'always' || isReasoning(effort, traits)

function writeText(body: Fields, { origin, responseFormat: format }: TurnRequest): void {
  const text: Fields = {}
  if (format?.type === 'json') text.format = { type: 'json_object' }
  // Chat's default is not strict, and the schema of a client may not qualify.
  else if (format) {
    const { name, schema, strict = false, description } = format
    text.format = { type: 'json_schema', name, schema, strict, ...(description ? { description } : {}) }
  }
  const verbosity = verbosityOf(origin)
  if (typeof verbosity === 'string') text.verbosity = verbosity
  if (Object.keys(text).length > 0) body.text = text
}

function verbosityOf({ dialect, body }: TurnRequest['origin']): unknown {
  if (dialect === 'openai-chat') return body.verbosity
  return dialect === 'openai-responses' && isObject(body.text) ? body.text.verbosity : undefined
}

function writeLimit(body: Fields, { maxOutputTokens: limit }: TurnRequest, { note }: SettingsOptions): void {
  if (limit === undefined) return
  body.max_output_tokens = Math.max(limit, leastTokens)
  if (limit < leastTokens)
    note(
      `the output limit of ${limit} tokens was raised to ${leastTokens}, the least that the upstream takes`,
    )
}

function writeSampling(body: Fields, request: TurnRequest, { traits, note }: SettingsOptions): void {
  const effort = isObject(body.reasoning) ? body.reasoning.effort : undefined
  const isFixed = isSamplingFixed(effort, traits)
  const settings = { temperature: request.temperature, top_p: request.topP }
  const left: string[] = []
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined) continue
    if (!isFixed || !traits.fixed.includes(name)) body[name] = value
    else if (value !== 1) left.push(name)
  }
  if (left.length > 0) note(`${left.join(' and ')} left out: this model takes only the default`)
}
