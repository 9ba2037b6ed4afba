// Values for the parameters of a client's tool. Unlike the checker in base/json-schema, which passes what it does not
// understand, this module must be sure: a schema that it does not understand takes no value, so the tool is not used.

import { type Fields, isObject, textOf } from '../../base/json.ts'
import { resolveReference } from '../../base/json-schema/reference.ts'
import type { Tool } from '../../core/request.ts'
import { normalName } from './parameter-names.ts'

export interface Parameter {
  name: string
  /** See `normalName`. */
  normal: string
  schema: Fields
  required: boolean
}

const maxReferences = 8

export function parametersOf(tool: Tool): Parameter[] {
  const properties = isObject(tool.schema.properties) ? tool.schema.properties : {}
  const required = Array.isArray(tool.schema.required) ? tool.schema.required : []
  const parameters = Object.entries(properties).map(([name, schema]) => ({
    name,
    normal: normalName(name),
    schema: resolve(schema, tool.schema),
    required: required.includes(name),
  }))
  for (const name of required) {
    // Named but not described: nothing is known that it would take.
    if (typeof name === 'string' && !Object.hasOwn(properties, name))
      parameters.push({ name, normal: normalName(name), schema: { not: {} }, required: true })
  }
  return parameters
}

/** The alternatives may be references as well, as for an enumeration that can be left out. */
function resolve(schema: unknown, root: Fields): Fields {
  const own = follow(schema, root)
  const key = Array.isArray(own.anyOf) ? 'anyOf' : Array.isArray(own.oneOf) ? 'oneOf' : undefined
  if (key !== undefined)
    return { ...own, [key]: (own[key] as unknown[]).map((branch) => follow(branch, root)) }
  const [only, ...others] = Array.isArray(own.allOf) ? own.allOf : []
  return only === undefined || others.length > 0 ? own : { ...own, ...follow(only, root) }
}

function follow(schema: unknown, root: Fields): Fields {
  let current = schema
  for (let hops = 0; isObject(current) && typeof current.$ref === 'string'; hops++) {
    if (hops === maxReferences) return { not: {} }
    current = resolveReference(current.$ref, root)
  }
  if (current === true) return {}
  return isObject(current) ? current : { not: {} }
}

/** The schema itself, or the alternatives it leaves open. */
export function alternatives(schema: Fields): Fields[] {
  const branches = schema.anyOf ?? schema.oneOf
  return Array.isArray(branches) ? branches.filter(isObject) : [schema]
}

export function allowsType(schema: Fields, type: string): boolean {
  if ('not' in schema) return false
  if (schema.type === undefined) return !('enum' in schema) && !('const' in schema)
  return schema.type === type || (Array.isArray(schema.type) && schema.type.includes(type))
}

/** The value as this schema takes it, or undefined when it does not. */
export function adapt(value: unknown, schema: Fields): unknown {
  for (const branch of alternatives(schema)) {
    const fitted = adaptOne(value, branch)
    if (fitted !== undefined) return fitted
  }
  return undefined
}

function adaptOne(value: unknown, schema: Fields): unknown {
  if ('const' in schema) return schema.const === value ? value : undefined
  if (Array.isArray(schema.enum)) return schema.enum.includes(value) ? value : undefined
  if (typeof value === 'string') {
    if (typeof schema.maxLength === 'number' && value.length > schema.maxLength) return undefined
    return allowsType(schema, 'string') ? value : undefined
  }
  if (typeof value === 'number') {
    const whole = Number.isInteger(value)
    if (allowsType(schema, 'number') || (whole && allowsType(schema, 'integer'))) return clamp(value, schema)
    return allowsType(schema, 'string') ? textOf(value) : undefined
  }
  if (typeof value === 'boolean') return allowsType(schema, 'boolean') ? value : undefined
  if (Array.isArray(value)) return adaptArray(value, schema)
  if (value === null) return allowsType(schema, 'null') ? null : undefined
  return undefined
}

function adaptArray(values: unknown[], schema: Fields): unknown[] | undefined {
  if (schema.type === undefined || !allowsType(schema, 'array')) return undefined
  const items = isObject(schema.items) ? schema.items : {}
  const fitted = values.map((value) => adapt(value, items))
  return fitted.includes(undefined) ? undefined : fitted
}

/** Limits that stand in the schema, or only in the description (`max 600000`). */
function clamp(value: number, schema: Fields): number {
  const described = /\bmax(?:imum)?:?\s+(?:of\s+)?(\d+)/i.exec(textOf(schema.description ?? ''))
  const maximum = typeof schema.maximum === 'number' ? schema.maximum : Number.POSITIVE_INFINITY
  const minimum = typeof schema.minimum === 'number' ? schema.minimum : Number.NEGATIVE_INFINITY
  return Math.max(minimum, Math.min(value, maximum, described ? Number(described[1]) : maximum))
}
