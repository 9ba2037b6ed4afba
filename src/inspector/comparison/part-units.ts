// The units of a message: texts, reasoning, calls, results, images, in the shapes of all dialects.

import { type Fields, isObject, parseJson } from '../../base/json.ts'
import { at } from './row.ts'
import type { Field, Unit, UnitKind } from './unit.ts'

interface Shape {
  kind: UnitKind
  main: string
  /** The shared names of its members. */
  terms?: Record<string, string>
}

const call = (id: string, name: string, input: string): Shape => ({
  ...{ kind: 'call', main: input },
  terms: { [id]: 'id', [name]: 'name', [input]: 'arguments' },
})
const result = (id: string, content: string, more: Record<string, string> = {}): Shape => ({
  ...{ kind: 'result', main: content },
  terms: { [id]: 'id', [content]: 'content', ...more },
})
const text = (main: string): Shape => ({ kind: 'text', main, terms: { [main]: 'text' } })
const reasoning = (main: string): Shape => ({ kind: 'reasoning', main, terms: { [main]: 'reasoning' } })
const image = (main: string): Shape => ({ kind: 'image', main, terms: { [main]: 'image' } })

/** By `type`. */
const shapes = new Map<string, Shape>([
  ['text', text('text')],
  ['input_text', text('text')],
  ['output_text', text('text')],
  ['summary_text', text('text')],
  ['reasoning_text', text('text')],
  ['refusal', text('refusal')],
  ['thinking', reasoning('thinking')],
  ['redacted_thinking', reasoning('data')],
  ['reasoning', reasoning('summary')],
  ['tool_use', call('id', 'name', 'input')],
  ['server_tool_use', call('id', 'name', 'input')],
  ['tool-call', call('toolCallId', 'toolName', 'args')],
  ['function_call', { ...call('call_id', 'name', 'arguments'), terms: { call_id: 'id', id: 'item id' } }],
  [
    'custom_tool_call',
    { ...call('call_id', 'name', 'input'), terms: { call_id: 'id', id: 'item id', input: 'arguments' } },
  ],
  ['tool_result', result('tool_use_id', 'content')],
  ['tool-result', result('toolCallId', 'result', { toolName: 'name' })],
  ['function_call_output', result('call_id', 'output', { id: 'item id' })],
  ['custom_tool_call_output', result('call_id', 'output', { id: 'item id' })],
  ['image_url', image('image_url')],
  ['input_image', image('image_url')],
  ['image', image('source')],
])

/** Gemini's parts have no `type`: the member tells. */
const byMember: [string, Shape][] = [
  ['functionCall', call('id', 'name', 'args')],
  ['functionResponse', result('id', 'response')],
  ['inlineData', image('inlineData')],
]

/** The units of a part, which says in `role` whose it is. */
export function partUnits(part: unknown, path: string, role: string): Unit[] {
  if (!isObject(part)) return [unitOf('text', role, [{ term: 'text', path, value: part }])]
  if (isChatCall(part)) return [chatCall(part, path, role)]
  for (const [name, shape] of byMember)
    if (isFilled(part[name])) return shaped(part[name], at(path, name), role, shape, others(part, path, name))
  const shape = typeof part.type === 'string' ? shapes.get(part.type) : undefined
  if (shape && Object.hasOwn(part, shape.main)) return shaped(part, path, role, shape)
  if (typeof part.text === 'string')
    return shaped(part, path, role, part.thought === true ? thought : text('text'))
  const fields = Object.keys(part).length === 0 ? [{ term: 'part', path, value: part }] : others(part, path)
  return [unitOf('part', role, fields, { label: typeof part.type === 'string' ? part.type : 'part' })]
}

const thought: Shape = { ...reasoning('text'), terms: { text: 'reasoning' } }

/** An object without members is a value: it has no fields of its own. */
const isFilled = (value: unknown): value is Fields => isObject(value) && Object.keys(value).length > 0

const isChatCall = (part: Fields): boolean =>
  isFilled(part.function) || (isFilled(part.custom) && part.type === 'custom')

/** `{ id, type, function: { name, arguments } }` */
function chatCall(part: Fields, path: string, role: string): Unit {
  const inner = isFilled(part.function) ? 'function' : 'custom'
  const made = part[inner] as Fields
  const terms = { arguments: 'arguments', input: 'arguments' }
  const fields = [
    ...membersOf(made, at(path, inner), { terms }),
    ...others(part, path, inner).map((field) =>
      field.term === 'type' ? { ...field, isForm: true as const } : field,
    ),
  ]
  return callOf(role, fields)
}

/** The members of an object that are no part of the shape. */
const others = (value: Fields, path: string, ...without: string[]): Field[] =>
  membersOf(value, path, {}).filter(({ term }) => !without.includes(term))

function membersOf(
  value: Fields,
  path: string,
  { terms = {}, form = [] }: { terms?: Record<string, string>; form?: readonly string[] },
): Field[] {
  return Object.entries(value).map(([name, inner]) => ({
    ...{
      term: Object.hasOwn(terms, name) ? (terms[name] as string) : name,
      path: at(path, name),
      value: inner,
    },
    ...(form.includes(name) ? { isForm: true as const } : {}),
  }))
}

function shaped(part: Fields, path: string, role: string, shape: Shape, more: Field[] = []): Unit[] {
  const { kind, main, terms = {} } = shape
  const fields = [...membersOf(part, path, { terms, form: ['type', 'thought'] }), ...more]
  if (kind === 'call') return [callOf(role, fields)]
  if (kind === 'result') return resultUnits(role, fields, terms[main] ?? main)
  if (kind === 'image') return [unitOf('image', role, fields.map(withImage), { main: 'image' })]
  return [
    unitOf(kind, role, kind === 'reasoning' ? fields.map(withSummary) : fields, {
      main: terms[main] ?? main,
    }),
  ]
}

function callOf(role: string, fields: Field[]): Unit {
  const known = fields.map((field) =>
    field.term === 'arguments' ? { ...field, meaning: inputMeaning(field.value) } : field,
  )
  const [id, name] = [textAt(fields, 'id'), textAt(fields, 'name')]
  return unitOf('call', role, known, { key: id, label: `call of ${name || 'no name'}`, main: 'arguments' })
}

/** Some dialects write arguments as text, some as a value. */
const inputMeaning = (value: unknown) => (typeof value === 'string' ? (parseJson(value) ?? value) : value)

/** A result of several parts is as many units: the first has its id. */
export function resultUnits(role: string, fields: Field[], main: string): Unit[] {
  const key = textAt(fields, 'id')
  const label = `result of ${key || 'no id'}`
  const content = fields.find(({ term, isForm }) => term === main && !isForm)
  if (!content || !Array.isArray(content.value) || content.value.length === 0)
    return [
      unitOf(
        'result',
        role,
        fields.map((field) => (field === content ? { ...field, term: 'content' } : field)),
        { key, label, main: 'content' },
      ),
    ]
  const rest = fields.filter((field) => field !== content)
  const parts = content.value.flatMap((part, place) => partUnits(part, at(content.path, place), role))
  return parts.map((part, place) => ({
    ...part,
    ...(part.kind === 'text' ? { kind: 'result' as const, main: 'content' } : {}),
    ...{ key, label },
    fields: [
      ...part.fields.map((field) =>
        part.kind === 'text' && field.term === part.main ? { ...field, term: 'content' } : field,
      ),
      ...(place === 0 ? rest : []),
    ],
  }))
}

function withImage(field: Field): Field {
  if (field.term !== 'image') return field
  const { value } = field
  const from = isObject(value) ? (value.url ?? value.data ?? value.file_id ?? value) : value
  const data = typeof from === 'string' ? /^data:[^,]{0,200},/.exec(from)?.[0] : undefined
  return { ...field, meaning: data === undefined ? from : (from as string).slice(data.length) }
}

/** A summary is a list of texts, of which most have one. */
function withSummary(field: Field): Field {
  const { value } = field
  if (field.term !== 'reasoning' || !Array.isArray(value)) return field
  return {
    ...field,
    meaning: value
      .map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : ''))
      .join('\n'),
  }
}

export const textAt = (fields: readonly Field[], term: string): string => {
  const value = fields.find((field) => field.term === term && !field.isForm)?.value
  return typeof value === 'string' ? value : ''
}

export function unitOf(kind: UnitKind, role: string, fields: Field[], more: Partial<Unit> = {}): Unit {
  const section = role === 'system' ? 'system' : 'messages'
  return { section, kind, role, key: '', label: `${role} ${kind}`.trim(), main: 'text', fields, ...more }
}
