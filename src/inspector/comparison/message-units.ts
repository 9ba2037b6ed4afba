// The units of a conversation, from the places where dialects keep it.

import { isObject } from '../../base/json.ts'
import { partUnits, resultUnits, unitOf } from './part-units.ts'
import { at } from './row.ts'
import type { Field, Unit } from './unit.ts'

/** Members of a body that hold its conversation. */
export const conversationMembers = ['system', 'instructions', 'systemInstruction', 'system_instruction', 'messages', 'input', 'contents'] // biome-ignore format: a list to be read as one

const roles = new Map([['developer', 'system'], ['model', 'assistant'], ['function', 'tool']]) // biome-ignore format: a list to be read as one
const roleOf = (role: unknown) => (typeof role === 'string' ? (roles.get(role) ?? role) : '')

export function conversationUnits(name: string, value: unknown): Unit[] {
  if (name === 'messages' || name === 'contents' || (name === 'input' && Array.isArray(value)))
    return Array.isArray(value) && value.length > 0
      ? value.flatMap((message, place) => messageUnits(message, at(name, place)))
      : [emptyUnit(name, value)]
  const role = name === 'input' ? 'user' : 'system'
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((part, place) => partUnits(part, at(name, place), role))
  if (isObject(value)) return messageUnits({ ...value }, name, role)
  return [unitOf('text', role, [{ term: 'text', path: name, value }])]
}

const emptyUnit = (path: string, value: unknown, role = ''): Unit =>
  unitOf('empty', role, [{ term: path, path, value }], { label: 'no messages' })

/** Members of a message that are units themselves. */
const content = [
  'content',
  'parts',
  'reasoning_content',
  'reasoning',
  'thinking',
  'refusal',
  'tool_calls',
  'function_call',
]

export function messageUnits(message: unknown, path: string, ofBody?: string): Unit[] {
  if (!isObject(message)) return partUnits(message, path, 'user')
  const isItem = typeof message.type === 'string' && message.type !== 'message' && message.role === undefined
  if (isItem) return partUnits(message, path, 'assistant')
  const role = ofBody ?? roleOf(message.role)
  const rest: Field[] = []
  const empty: Field[] = []
  const units: Unit[] = []
  for (const [name, value] of Object.entries(message)) {
    const place = at(path, name)
    if (name === 'role' || (name === 'type' && value === 'message'))
      rest.push({ term: name, path: place, value, isForm: true })
    else if (content.includes(name) && isNothing(value))
      empty.push({ term: name, path: place, value, isForm: true })
    else if (content.includes(name)) units.push(...contentUnits(name, value, place, role))
    else rest.push({ term: name, path: place, value })
  }
  if (units.length > 0) rest.push(...empty)
  else if (empty.length > 0)
    units.push(
      unitOf(
        'empty',
        role,
        empty.map(({ isForm: _isForm, ...field }) => field),
        { label: `empty ${role} message` },
      ),
    )
  if (role === 'tool') return toolMessage(units, rest)
  const [first, ...others] = units
  if (!first) {
    const label = typeof message.type === 'string' ? message.type : `empty ${role} message`
    return [
      unitOf('empty', role, rest.length > 0 ? rest : [{ term: 'message', path, value: message }], { label }),
    ]
  }
  return [
    { ...first, fields: [...first.fields, ...rest.map((field) => ({ ...field, of: `${role} message` }))] },
    ...others,
  ]
}

/** `null` is the usual content of a message that has calls alone. */
const isNothing = (value: unknown) =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value as object).length === 0)

function contentUnits(name: string, value: unknown, path: string, role: string): Unit[] {
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((part, place) => partUnits(part, at(path, place), role))
  if (name === 'function_call' && isObject(value))
    return partUnits({ ...value, type: name }, path, role).map(withoutType(path))
  const kind = name.startsWith('reasoning') || name === 'thinking' ? 'reasoning' : 'text'
  if (typeof value === 'string') return [unitOf(kind, role, [{ term: kind, path, value }], { main: kind })]
  return partUnits(value, path, role)
}

/** The type was added to find the shape. */
const withoutType =
  (path: string) =>
  (unit: Unit): Unit => ({
    ...unit,
    fields: unit.fields.filter((field) => field.path !== at(path, 'type')),
  })

/** Chat: `{ role: 'tool', tool_call_id, content }`. */
function toolMessage(units: readonly Unit[], rest: readonly Field[]): Unit[] {
  if (units.some(({ kind }) => kind === 'result')) {
    const [first, ...others] = units as [Unit, ...Unit[]]
    return [
      {
        ...first,
        fields: [
          ...first.fields,
          ...rest.map((field) => ({ ...field, ...(field.term === 'id' ? { term: 'message id' } : {}) })),
        ],
      },
      ...others,
    ]
  }
  const fields = rest.map((field) => (field.term === 'tool_call_id' ? { ...field, term: 'id' } : field))
  const [first, ...others] = units
  if (!first) return resultUnits('tool', fields, 'content')
  return [first, ...others].flatMap((unit, place) =>
    resultUnits(
      'tool',
      [
        ...unit.fields.map((field) =>
          field.term === unit.main || unit.kind === 'empty' ? { ...field, term: 'content' } : field,
        ),
        ...(place === 0 ? fields : []),
      ],
      'content',
    ).map((one) => ({
      ...one,
      kind: unit.kind === 'image' ? ('image' as const) : one.kind,
      key: keyOf(fields),
      label: `result of ${keyOf(fields) || 'no id'}`,
    })),
  )
}

const keyOf = (fields: readonly Field[]) => {
  const value = fields.find(({ term }) => term === 'id')?.value
  return typeof value === 'string' ? value : ''
}
