// The settings that a tune compares, as a table: one question per setting, its choices in the order in which ties are decided. A
// setting that the backend's kind does not have in the schema is not asked about.

import { isObject } from '../../../base/json.ts'
import { backendSchema } from '../../../config/backend-schema.ts'
import type { BackendConfig } from '../../../config/schema.ts'
import { defaultToolText } from '../../../config/tool-text.ts'
import { markupFor, type ToolTextFormat } from '../../../protocols/tool-text/markup.ts'
import type { DoorName } from '../../clients/answer.ts'

/** A change of one setting, by its path inside the backend. Without a value the setting is removed. */
export interface SettingChange {
  path: readonly string[]
  value?: unknown
  /** The setting is a row of a table of which the first fitting row counts. */
  isFirst?: true
}

export interface Choice {
  /** As the progress and the report name it. */
  name: string
  /** What makes a configuration of today's into this choice; none if it is today's. */
  changes: readonly SettingChange[]
}

export interface Question {
  name: string
  /** The simplest first: the default before others. */
  choices: readonly Choice[]
  /** The configured choice. */
  current: Choice
  /** Asked only if the service itself makes the calls. */
  needsNative?: true
}

export const nativeName = 'native'

/** The questions for a model of this backend at this door, in the order in which they are decided. */
export function questionsFor(backend: BackendConfig, model: string, door: DoorName): Question[] {
  const isForwarded = ownDoor(backend) === door
  const asked = rows.filter(({ needsTranslation }) => !needsTranslation || !isForwarded)
  return [formQuestion(backend, model), ...asked.map((row) => rowQuestion(row, backend))].filter(
    (question) => question !== undefined,
  )
}

/** Settings that this door cannot show: the requests of a client that speaks the service's dialect pass as they are. */
export const notShownAt = (backend: BackendConfig, door: DoorName): string[] =>
  ownDoor(backend) === door
    ? rows.flatMap((row) => (row.needsTranslation && rowQuestion(row, backend) ? row.name : []))
    : []

/** The door of the service's own dialect. */
function ownDoor(backend: BackendConfig): DoorName | undefined {
  if (backend.kind === 'anthropic') return 'messages'
  if (backend.kind === 'gemini') return 'gemini'
  if (backend.kind !== 'openai') return undefined
  return backend.api === 'responses' ? 'responses' : 'chat'
}

const formats: readonly ToolTextFormat[] = ['json', 'xml']
const formatNames: Record<ToolTextFormat, string> = { json: 'text, as JSON', xml: 'text, as XML' }

function formQuestion(backend: BackendConfig, model: string): Question | undefined {
  if (backend.kind !== 'openai' && backend.kind !== 'qwen-web') return undefined
  const isOpenAI = backend.kind === 'openai'
  const toolText = { ...defaultToolText, ...backend.toolText }
  const now = markupFor(toolText, model).format
  const isText = !isOpenAI || backend.tools === 'text'
  const native: Choice = {
    name: nativeName,
    changes: isText
      ? [
          { path: ['tools'], value: 'native' },
          ...(backend.toolText === undefined ? [] : [{ path: ['toolText'] }]),
        ]
      : [],
  }
  const texts = formats.map((format): Choice => {
    const own: SettingChange = { path: ['toolText', 'formats', model], value: format, isFirst: true }
    return {
      name: formatNames[format],
      changes: [...(isText ? [] : [{ path: ['tools'], value: 'text' }]), ...(format === now ? [] : [own])],
    }
  })
  return withCurrent('tools', isOpenAI ? [native, ...texts] : texts)
}

interface Row {
  name: string
  path: readonly string[]
  /** Beside the default. */
  values: readonly string[]
  needsNative?: true
  /** Without effect for clients of the service's own dialect. */
  needsTranslation?: true
}

/** Settings with a few values, each of which may help a model or harm it. */
const rows: readonly Row[] = [
  { name: 'strict', path: ['strict'], values: ['on', 'off'], needsNative: true, needsTranslation: true },
  { name: 'call checking', path: ['calls', 'check'], values: ['repair', 'retry'] },
]

function rowQuestion({ name, path, values, needsNative }: Row, backend: BackendConfig): Question | undefined {
  const known = values.filter((value) => accepts(backend.kind, path, value))
  if (known.length === 0) return undefined
  const usual = valueAt(parsed(backend.kind, {}), path)
  const now = valueAt(backend, path)
  const choices = [...new Set([usual, now, ...known])].map(
    (value): Choice => ({
      // A setting without a default is a choice of its own.
      name: `${name} ${value ?? 'not set'}`,
      changes:
        value === now ? [] : [value === undefined ? { path: withEmptied(backend, path) } : { path, value }],
    }),
  )
  const question = withCurrent(name, choices)
  return question && { ...question, ...(needsNative && { needsNative }) }
}

/** The path of what goes: an object that would be empty goes too. */
function withEmptied(backend: BackendConfig, path: readonly string[]): readonly string[] {
  const above = path.slice(0, -1)
  const members = above.length === 0 ? undefined : valueAt(backend, above)
  return isObject(members) && Object.keys(members).length === 1 ? above : path
}

function withCurrent(name: string, choices: readonly Choice[]): Question | undefined {
  const current = choices.find(({ changes }) => changes.length === 0)
  return current && { name, choices, current }
}

/** The least that each kind needs. */
const samples: Record<BackendConfig['kind'], Record<string, unknown>> = {
  anthropic: { kind: 'anthropic', apiKey: 'x' },
  cursor: { kind: 'cursor' },
  gemini: { kind: 'gemini', apiKey: 'x' },
  openai: { kind: 'openai', baseUrl: 'http://127.0.0.1/v1' },
  'qwen-web': { kind: 'qwen-web', token: 'x' },
}

const parsed = (kind: BackendConfig['kind'], more: Record<string, unknown>): unknown =>
  backendSchema.safeParse({ ...samples[kind], ...more }).data

/** Whether the schema of this kind has the setting with this value. */
function accepts(kind: BackendConfig['kind'], path: readonly string[], value: unknown): boolean {
  const setting = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value)
  return valueAt(parsed(kind, setting as Record<string, unknown>), path) === value
}

const valueAt = (from: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (node, key) => (isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined),
    from,
  )
