// Random values that fit a schema, as a model that is held to it would write them.

import fc from 'fast-check'
import { isObject } from '../../src/base/json.ts'
import { SchemaChecker } from '../../src/base/json-schema/check.ts'
import { resolveReference } from '../../src/base/json-schema/reference.ts'

type Schema = Record<string, unknown>

const maxDepth = 6
const scalars: Record<string, fc.Arbitrary<unknown>> = {
  string: fc.string({ maxLength: 6 }),
  boolean: fc.boolean(),
  null: fc.constant(null),
}

/** For the patterns and formats of the schemas in these tests. */
const words = [
  'a',
  'b',
  '12',
  'ses_1',
  'abc',
  'ab12',
  'https://example.com/a',
  '2026-11-18',
  '2026-11-18T10:00:00Z',
]

function texts({ pattern, format, minLength = 0, maxLength = 1_000 }: Schema): fc.Arbitrary<unknown> {
  const least = Number(minLength)
  const most = Math.min(Number(maxLength), least + 6)
  if (typeof pattern !== 'string' && format === undefined)
    return fc.string({ minLength: least, maxLength: most })
  const fits = (word: string) => typeof pattern !== 'string' || new RegExp(pattern, 'u').test(word)
  const found = words.filter(fits)
  return found.length > 0 ? fc.constantFrom(...found) : fc.stringMatching(new RegExp(String(pattern)))
}

function numbers({ type, minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf }: Schema) {
  const least = Number(minimum ?? (exclusiveMinimum === undefined ? -5 : Number(exclusiveMinimum) + 1))
  const most = Number(maximum ?? (exclusiveMaximum === undefined ? least + 20 : Number(exclusiveMaximum) - 1))
  const whole = fc.integer({ min: least, max: Math.min(most, least + 2_000) })
  return [type].flat().includes('number') && multipleOf === undefined
    ? fc.oneof(whole, fc.constant(least + 0.5))
    : whole
}

/** Undefined if no value of limited depth can be found. A found one need not fit: rules that exclude each other are not looked at. */
export function valuesOf(
  schema: unknown,
  root: unknown = schema,
  depth = 0,
): fc.Arbitrary<unknown> | undefined {
  if (schema === false || depth > maxDepth) return undefined
  if (!isObject(schema)) return scalars.string
  if (typeof schema.$ref === 'string') {
    const target = resolveReference(schema.$ref, root)
    return target === undefined ? scalars.string : valuesOf(target, root, depth + 1)
  }
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum)
  if (Array.isArray(schema.allOf)) return allOf(schema, schema.allOf, root, depth)
  const union = [schema.anyOf, schema.oneOf].find((list) => Array.isArray(list)) as unknown[] | undefined
  if (union && !isObject(schema.properties))
    return anyOf(
      union.map((branch) => fitting(valuesOf(branch, root, depth), branch, root)),
      schema.nullable,
    )
  if (union) return fitting(anyOf(besides(schema, union, root, depth), schema.nullable), schema, root)
  const types = schema.type === undefined ? [implied(schema)] : [schema.type].flat()
  return anyOf(
    types.map((type) => ofType(String(type), schema, root, depth)),
    schema.nullable,
  )
}

/** Objects with what each branch of a union beside their properties declares and requires. */
function besides(schema: Schema, union: unknown[], root: unknown, depth: number) {
  const { anyOf: _, oneOf: __, required = [], properties, ...rest } = schema
  return union.filter(isObject).map((branch) => {
    const wanted = [...new Set([required, branch.required ?? []].flat())]
    const own = Object.entries(isObject(properties) ? properties : {}).filter(
      ([name]) => !isObject(branch.properties) || name in branch.properties || wanted.includes(name),
    )
    return valuesOf({ ...rest, properties: Object.fromEntries(own), required: wanted }, root, depth)
  })
}

function implied(schema: Schema): string {
  if (isObject(schema.properties)) return 'object'
  return schema.items === undefined && schema.prefixItems === undefined ? 'string' : 'array'
}

/** Of objects all members, of other values the first. */
function allOf(
  schema: Schema,
  parts: unknown[],
  root: unknown,
  depth: number,
): fc.Arbitrary<unknown> | undefined {
  const { allOf: _, ...rest } = schema
  const isRest = ['type', 'properties', 'anyOf', 'oneOf', 'items'].some((keyword) => keyword in rest)
  const all = [...(isRest ? [rest] : []), ...parts].map((part) => valuesOf(part, root, depth + 1))
  if (all.some((one) => one === undefined)) return undefined
  const values = fc
    .tuple(...(all as fc.Arbitrary<unknown>[]))
    .map((values) => (values.every(isObject) ? Object.assign({}, ...values) : values[0]))
  return fitting(values, schema, root)
}

/** Only those that fit, if there are enough. */
function fitting(values: fc.Arbitrary<unknown> | undefined, schema: unknown, root: unknown) {
  if (!values) return undefined
  const checker = new SchemaChecker(root)
  const fits = (value: unknown) => checker.conformsTo(schema, value)
  return fc.sample(values, { numRuns: 20, seed: 7 }).filter(fits).length > 2 ? values.filter(fits) : undefined
}

function anyOf(
  all: (fc.Arbitrary<unknown> | undefined)[],
  nullable: unknown,
): fc.Arbitrary<unknown> | undefined {
  const found = all.filter((one) => one !== undefined)
  if (nullable === true) found.push(fc.constant(null))
  return found.length === 0 ? undefined : fc.oneof(...found)
}

function ofType(
  type: string,
  schema: Schema,
  root: unknown,
  depth: number,
): fc.Arbitrary<unknown> | undefined {
  if (type === 'object') return objects(schema, root, depth)
  if (type === 'array') return lists(schema, root, depth)
  if (type === 'string') return texts(schema)
  return type === 'integer' || type === 'number' ? numbers({ ...schema, type }) : scalars[type]
}

type Member = [string, unknown] | undefined

function objects(schema: Schema, root: unknown, depth: number): fc.Arbitrary<unknown> | undefined {
  const required = new Set(Array.isArray(schema.required) ? (schema.required as string[]) : [])
  const members: fc.Arbitrary<Member>[] = []
  const properties = new Map(Object.entries(isObject(schema.properties) ? schema.properties : {}))
  const { additionalProperties: others } = schema
  for (const name of required) if (!properties.has(name)) properties.set(name, others ?? {})
  for (const [name, property] of properties) {
    const values = valuesOf(property, root, depth + 1)
    if (!values && required.has(name)) return undefined
    if (!values) continue
    const member = values.map((value): Member => [name, value])
    members.push(required.has(name) ? member : fc.option(member, { nil: undefined }))
  }
  const more =
    others === true || isObject(others)
      ? fc.dictionary(
          fc.stringMatching(/^other[a-z]{1,3}$/),
          valuesOf(others, root, depth + 1) ?? fc.string(),
          { maxKeys: 2 },
        )
      : fc.constant({})
  return fc
    .tuple(fc.tuple(...members), more)
    .map(([own, extra]) =>
      Object.fromEntries([...Object.entries(extra), ...own.filter((one) => one !== undefined)]),
    )
}

function lists(schema: Schema, root: unknown, depth: number): fc.Arbitrary<unknown> | undefined {
  const first = Array.isArray(schema.prefixItems)
    ? schema.prefixItems
    : Array.isArray(schema.items)
      ? schema.items
      : undefined
  if (first) {
    const places = first.map((one) => valuesOf(one, root, depth + 1))
    return places.some((one) => one === undefined)
      ? undefined
      : fc.tuple(...(places as fc.Arbitrary<unknown>[]))
  }
  const least = Number(schema.minItems ?? 0)
  const most = Math.min(Number(schema.maxItems ?? least + 3), least + 3)
  const items = valuesOf(schema.items ?? {}, root, depth + 1)
  if (items) return fc.array(items, { minLength: least, maxLength: most })
  return least === 0 ? fc.constant([]) : undefined
}
