// The types that a JSON Schema allows. Lookups are bounded: a schema comes from outside.

import { type Fields, isObject } from '../json.ts'
import { resolveReference } from './reference.ts'

export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'object' | 'array'

/** With the names that tool authors carry over from other languages. */
const spellings = new Map<string, JsonType>([
  ['string', 'string'],
  ['str', 'string'],
  ['text', 'string'],
  ['number', 'number'],
  ['float', 'number'],
  ['double', 'number'],
  ['integer', 'integer'],
  ['int', 'integer'],
  ['long', 'integer'],
  ['boolean', 'boolean'],
  ['bool', 'boolean'],
  ['null', 'null'],
  ['none', 'null'],
  ['object', 'object'],
  ['dict', 'object'],
  ['map', 'object'],
  ['array', 'array'],
  ['list', 'array'],
  ['tuple', 'array'],
])

const maxDepth = 32
const maxSchemas = 500

export function typeOf(value: unknown): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  if (typeof value === 'string' || typeof value === 'boolean') return typeof value as JsonType
  return 'object'
}

/** An integer is also a number. */
export function isOfTypes(value: unknown, types: ReadonlySet<JsonType>): boolean {
  const type = typeOf(value)
  return types.has(type) || (type === 'integer' && types.has('number'))
}

/** The types of the `type` keyword, `nullable` included; undefined where it allows any, or names an unknown one. */
export function namedTypes(schema: Fields): ReadonlySet<JsonType> | undefined {
  if (schema.type === undefined) return undefined
  const types = new Set<JsonType>()
  for (const name of Array.isArray(schema.type) ? schema.type : [schema.type]) {
    const type = typeof name === 'string' ? spellings.get(name.toLowerCase()) : undefined
    if (type === undefined) return undefined
    types.add(type)
  }
  if (schema.nullable === true) types.add('null')
  return types
}

/** All types that a value may have, references and combinations included; undefined where the schema does not say. */
export function allowedTypes(schema: unknown, root: unknown = schema): ReadonlySet<JsonType> | undefined {
  return new AllowedTypes(root).of(schema, 0)
}

class AllowedTypes {
  readonly #root: unknown
  #budget = maxSchemas

  constructor(root: unknown) {
    this.#root = root
  }

  of(schema: unknown, depth: number): ReadonlySet<JsonType> | undefined {
    if (!isObject(schema) || depth > maxDepth || this.#budget-- <= 0) return undefined
    const restrictions = [own(schema)]
    const target = resolveReference(schema.$ref, this.#root)
    if (target !== undefined) restrictions.push(this.of(target, depth + 1))
    for (const list of [schema.anyOf, schema.oneOf])
      if (Array.isArray(list)) restrictions.push(this.#union(list, depth))
    if (Array.isArray(schema.allOf))
      for (const part of schema.allOf) restrictions.push(this.of(part, depth + 1))
    return restrictions.reduce(intersection, undefined) ?? implied(schema)
  }

  #union(schemas: unknown[], depth: number): ReadonlySet<JsonType> | undefined {
    const types = new Set<JsonType>()
    for (const schema of schemas) {
      const some = this.of(schema, depth + 1)
      if (some === undefined) return undefined
      for (const type of some) types.add(type)
    }
    return types
  }
}

function own(schema: Fields): ReadonlySet<JsonType> | undefined {
  const named = namedTypes(schema)
  if (named !== undefined) return named
  if (Array.isArray(schema.enum)) return new Set(schema.enum.map(typeOf))
  return schema.const === undefined ? undefined : new Set([typeOf(schema.const)])
}

/** In JSON Schema these keywords do not restrict the type, but a schema with `properties` means an object. */
function implied(schema: Fields): ReadonlySet<JsonType> | undefined {
  if (isObject(schema.properties)) return new Set(['object'])
  return schema.items === undefined && schema.prefixItems === undefined ? undefined : new Set(['array'])
}

function intersection(
  one: ReadonlySet<JsonType> | undefined,
  other: ReadonlySet<JsonType> | undefined,
): ReadonlySet<JsonType> | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const both = new Set<JsonType>()
  for (const type of one) if (other.has(type) || (type === 'integer' && other.has('number'))) both.add(type)
  if (one.has('number') && other.has('integer')) both.add('integer')
  return both
}
