// Random values that fit a schema, as a model that is held to it would write them.

import fc from 'fast-check'
import { isObject } from '../../src/base/json.ts'
import { resolveReference } from '../../src/base/json-schema/reference.ts'

type Schema = Record<string, unknown>

const maxDepth = 6
const scalars: Record<string, fc.Arbitrary<unknown>> = {
  string: fc.string({ maxLength: 6 }),
  integer: fc.integer({ min: -5, max: 2_000 }),
  number: fc.oneof(fc.integer({ min: -5, max: 5 }), fc.constantFrom(0.5, -2.25)),
  boolean: fc.boolean(),
  null: fc.constant(null),
}

/** Undefined if no value of limited depth fits. */
export function valuesOf(schema: unknown, root: unknown = schema, depth = 0): fc.Arbitrary<unknown> | undefined {
  if (schema === false || depth > maxDepth) return undefined
  if (!isObject(schema)) return scalars.string
  if (typeof schema.$ref === 'string') return valuesOf(resolveReference(schema.$ref, root), root, depth + 1)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum)
  const union = [schema.anyOf, schema.oneOf].find((list) => Array.isArray(list)) as unknown[] | undefined
  if (union) return anyOf(union.map((branch) => valuesOf(branch, root, depth)), schema.nullable)
  const types = schema.type === undefined ? ['string'] : [schema.type].flat()
  return anyOf(types.map((type) => ofType(String(type), schema, root, depth)), schema.nullable)
}

function anyOf(all: (fc.Arbitrary<unknown> | undefined)[], nullable: unknown): fc.Arbitrary<unknown> | undefined {
  const found = all.filter((one) => one !== undefined)
  if (nullable === true) found.push(fc.constant(null))
  return found.length === 0 ? undefined : fc.oneof(...found)
}

function ofType(type: string, schema: Schema, root: unknown, depth: number): fc.Arbitrary<unknown> | undefined {
  if (type === 'object') return objects(schema, root, depth)
  if (type === 'array') return lists(schema, root, depth)
  return scalars[type]
}

function objects(schema: Schema, root: unknown, depth: number): fc.Arbitrary<unknown> | undefined {
  const required = Array.isArray(schema.required) ? (schema.required as string[]) : []
  const model: Record<string, fc.Arbitrary<unknown>> = {}
  for (const [name, property] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
    const values = valuesOf(property, root, depth + 1)
    if (values) model[name] = values
    else if (required.includes(name)) return undefined
  }
  for (const name of required) model[name] ??= scalars.string as fc.Arbitrary<unknown>
  const { additionalProperties: others } = schema
  const more =
    others === true || isObject(others)
      ? fc.dictionary(fc.stringMatching(/^other[a-z]{1,3}$/), valuesOf(others, root, depth + 1) ?? fc.string(), { maxKeys: 2 })
      : fc.constant({})
  return fc.tuple(fc.record(model, { requiredKeys: required }), more).map(([own, extra]) => ({ ...extra, ...own }))
}

function lists(schema: Schema, root: unknown, depth: number): fc.Arbitrary<unknown> | undefined {
  const first = Array.isArray(schema.prefixItems) ? schema.prefixItems : Array.isArray(schema.items) ? schema.items : undefined
  if (first) {
    const places = first.map((one) => valuesOf(one, root, depth + 1))
    return places.some((one) => one === undefined) ? undefined : fc.tuple(...(places as fc.Arbitrary<unknown>[]))
  }
  const least = Number(schema.minItems ?? 0)
  const most = Math.min(Number(schema.maxItems ?? least + 3), least + 3)
  const items = valuesOf(schema.items ?? {}, root, depth + 1)
  if (items) return fc.array(items, { minLength: least, maxLength: most })
  return least === 0 ? fc.constant([]) : undefined
}
