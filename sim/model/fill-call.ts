// Makes the calls of a tool out of a text: several where the text has several values for one parameter. None if a required
// parameter has no value there.

import { isRecord, type Json } from '../shape.ts'
import { itemsFor, type Parameter, valuesFor } from './argument-values.ts'
import type { Tool, ToolCall } from './conversation.ts'
import { type Mentions, readMentions } from './mentions.ts'
import { resolve, typeOf } from './sample-value.ts'
import { propertiesOf } from './tool-roles.ts'

/** Values that are known from elsewhere, by the parameter's name. */
export type Known = ReadonlyMap<string, string>

interface Filled {
  readonly calls: readonly ToolCall[]
  /** Required parameters without a value. */
  readonly missing: readonly Parameter[]
}

/** More would hardly be asked for in one sentence. */
const MOST_CALLS = 12

export function fillCalls(tool: Tool, mentions: Mentions, known: Known = new Map()): Filled {
  const found = parametersOf(tool.schema, tool.schema).map((parameter) => {
    const value = known.get(parameter.name)
    return {
      ...parameter,
      values: value === undefined ? valuesOf(parameter, tool.schema, mentions) : [value],
    }
  })
  const missing = found.filter(({ values, isRequired }) => isRequired && values.length === 0)
  if (missing.length > 0) return { calls: [], missing }
  const given = found.filter(({ values }) => values.length > 0)
  const several = given.filter(({ values }) => values.length > 1)
  // Two lists of different lengths have no order in which they belong together.
  const isList = new Set(several.map(({ values }) => values.length)).size === 1
  const count = isList ? Math.min(several[0]?.values.length ?? 1, MOST_CALLS) : 1
  const calls = Array.from({ length: count }, (_, at) => ({
    name: tool.name,
    arguments: Object.fromEntries(given.map(({ name, values }) => [name, values[at] ?? values[0]])),
  }))
  return { calls, missing: [] }
}

interface OwnParameter extends Parameter {
  readonly isRequired: boolean
}

export function parametersOf(schema: unknown, root: unknown): OwnParameter[] {
  const { required } = resolve(schema, root)
  const needed = Array.isArray(required) ? required : []
  return Object.entries(propertiesOf(schema, root)).map(([name, property]) => ({
    name,
    schema: resolve(property, root),
    isRequired: needed.includes(name),
  }))
}

function valuesOf(parameter: OwnParameter, root: unknown, mentions: Mentions): unknown[] {
  const { schema, isRequired } = parameter
  const type = typeOf(schema)
  if (type === 'object') {
    const value = objectFrom(schema, root, mentions)
    return value === undefined ? [] : [value]
  }
  if (type === 'array') {
    const items = listFrom(parameter, root, mentions)
    return items.length === 0 ? [] : [items]
  }
  const values = valuesFor(parameter, mentions)
  // Nobody says what shall not be done.
  return values.length === 0 && type === 'boolean' && isRequired ? [false] : values
}

function objectFrom(schema: Json, root: unknown, mentions: Mentions): Json | undefined {
  const members = parametersOf(schema, root).map((parameter) => ({
    ...parameter,
    value: valuesOf(parameter, root, mentions)[0],
  }))
  if (members.some(({ value, isRequired }) => isRequired && value === undefined)) return undefined
  return Object.fromEntries(
    members.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
  )
}

function listFrom(parameter: Parameter, root: unknown, mentions: Mentions): unknown[] {
  const items = resolve(parameter.schema.items, root)
  if (typeOf(items) !== 'object' || !isRecord(items.properties)) return itemsFor(parameter, items, mentions)
  return segmentsOf(mentions).flatMap((segment) => objectFrom(items, root, readMentions(segment)) ?? [])
}

/** The parts of a text that each speak of one thing: they begin with its code, or with the number before that. */
function segmentsOf({ text, codes, numbers }: Mentions): string[] {
  const starts = codes.map(({ at }) => {
    const count = numbers.find(({ end }) => /^\s+(?:(?:of|x|times)\s+)?$/i.test(text.slice(end, at)))
    return count?.at ?? at
  })
  return starts.map((start, index) => text.slice(start, starts[index + 1]))
}
