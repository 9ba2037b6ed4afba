// Random JSON Schemas of the keywords that the checker knows, some that it does not, and values near them. Names and values are few,
// so that keywords meet.

import fc from 'fast-check'

export type Schema = boolean | { [keyword: string]: unknown }

export interface SchemaCase {
  schema: Schema
  values: unknown[]
}

const names = ['a', 'b', 'ab', 'c', '1']
const strings = ['', 'a', 'b', 'ab', 'abc', 'a1', 'aab', 'é', '😀', '😀b']
const numbers = [-1, 0, 1, 2, 3, 4, 0.5, 1.5, 2.25, 10]
const patterns = [
  '^a',
  'b$',
  '^[a-c]+$',
  '^.{1,2}$',
  '^(?:a|ab)+$',
  '^\\w*$',
  '[^a]',
  '^(?=a)',
  '(a)\\1',
  '\\d|é',
]
const types = ['string', 'number', 'integer', 'boolean', 'null', 'object', 'array']

const some = <T>(values: readonly T[]) => fc.constantFrom(...values)
const name = some(names)
const small = fc.integer({ min: 0, max: 3 })
const limit = some([...numbers, 2.5])

const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.oneof(some(strings), some(numbers), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
})).value

/** What the checker cannot decide, or need not. */
const unsettled = fc.oneof(
  fc.record({ pattern: some(['^(?=a)', '(a)\\1', '^\\w+$']) }),
  fc.record({ format: some(['email', 'date']) }),
)

/** What a draft writes in its own way. */
export type Draft = '2020-12' | '7'

/** One keyword, or some that belong together, as members of a schema. */
function keywords(schema: fc.Arbitrary<Schema>, draft: Draft): fc.Arbitrary<object>[] {
  const schemas = fc.array(schema, { minLength: 1, maxLength: 3 })
  const members = (one: fc.Arbitrary<unknown>) => fc.dictionary(name, one, { maxKeys: 3 })
  const nameList = fc.uniqueArray(name, { maxLength: 2 })
  const record = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] })
  const isNew = draft === '2020-12'
  return [
    fc.record({ type: fc.oneof(some(types), fc.uniqueArray(some(types), { minLength: 1, maxLength: 3 })) }),
    fc.record({ type: some(types) }),
    fc.record({
      enum: fc.uniqueArray(value, { minLength: 1, maxLength: 4, selector: (one) => JSON.stringify(one) }),
    }),
    fc.record({ const: value }),
    record({ minimum: limit, maximum: limit, exclusiveMinimum: limit, exclusiveMaximum: limit }),
    fc.record({ multipleOf: some([1, 2, 3, 0.5, 0.25]) }),
    record({ minLength: small, maxLength: small }),
    fc.record({ pattern: some(patterns) }),
    record({ minItems: small, maxItems: small, uniqueItems: fc.boolean() }),
    fc.record({ items: schema }),
    isNew
      ? record({ prefixItems: schemas, items: schema, unevaluatedItems: schema })
      : record({ items: schemas, additionalItems: schema }),
    isNew
      ? record({ contains: schema, minContains: small, maxContains: small })
      : fc.record({ contains: schema }),
    record({ minProperties: small, maxProperties: small, required: nameList }),
    record({ properties: members(schema), required: nameList }),
    record({
      properties: members(schema),
      patternProperties: fc.dictionary(some(patterns), schema, { maxKeys: 2 }),
      additionalProperties: schema,
    }),
    isNew
      ? fc.record({ unevaluatedProperties: schema })
      : fc.record({ dependencies: members(fc.oneof(schema, nameList)) }),
    fc.record({ propertyNames: schema }),
    isNew
      ? record({ dependentRequired: members(nameList), dependentSchemas: members(schema) })
      : fc.constant({}),
    fc.record({ allOf: schemas }),
    fc.record({ anyOf: schemas }),
    fc.record({ oneOf: schemas }),
    fc.record({ not: fc.oneof(schema, unsettled) }),
    fc.record({ anyOf: fc.tuple(schema, unsettled) }),
    unsettled,
    fc.record({ uniqueItems: fc.constant(true) }),
    record({ if: schema, then: schema, else: schema }),
    fc.record({
      $ref: some(['#', '#/$defs/a', '#/$defs/b', '#/properties/a', '#/nowhere', 'https://example.com/x']),
    }),
    record({ format: some(['email', 'date']), title: some(strings), 'x-other': value }),
  ]
}

export const schemaOf = (draft: Draft): fc.Arbitrary<Schema> =>
  fc
    .tuple(inner(draft), fc.option(fc.record({ a: inner(draft), b: inner(draft) })))
    .map(([schema, defs]) => (typeof schema === 'boolean' || !defs ? schema : { ...schema, $defs: defs }))

const inner = (draft: Draft) =>
  fc.letrec<{ schema: Schema }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3, depthSize: 'max', withCrossShrink: true },
      {
        weight: 1,
        arbitrary: fc.oneof(
          { weight: 1, arbitrary: fc.boolean() },
          { weight: 6, arbitrary: fc.record({ type: some(types) }) },
        ),
      },
      {
        weight: 4,
        arbitrary: fc
          .array(fc.oneof(...keywords(tie('schema'), draft)), { minLength: 1, maxLength: 3 })
          .map((parts) => comparable(Object.assign({}, ...parts))),
      },
    ),
  })).schema

/** Ajv 8.20 skips what follows a list of schemas for elements (`contains`, say) where the array is shorter than the list. */
function comparable({ contains, ...schema }: Record<string, unknown>): Schema {
  const hasList = Array.isArray(schema.items) || schema.prefixItems !== undefined
  return contains === undefined || hasList ? schema : { ...schema, contains }
}

/** Values that the schema leads to, one keyword at a time, and others. All as `JSON.parse` makes them. */
export const schemaCase = (draft: Draft): fc.Arbitrary<SchemaCase> =>
  schemaOf(draft)
    .chain((schema) => {
      const one = fc.oneof({ weight: 3, arbitrary: near(schema, 4) }, { weight: 1, arbitrary: value })
      return fc.record({ schema: fc.constant(schema), values: fc.array(one, { minLength: 4, maxLength: 8 }) })
    })
    .map((found) => JSON.parse(JSON.stringify(found)) as SchemaCase)

function near(schema: unknown, depth: number): fc.Arbitrary<unknown> {
  if (typeof schema !== 'object' || schema === null || depth === 0) return value
  const fields = schema as Record<string, unknown>
  const list = (keyword: string) => (Array.isArray(fields[keyword]) ? (fields[keyword] as unknown[]) : [])
  const found = [
    ...list('enum').map((one) => fc.constant(one)),
    ...('const' in fields ? [fc.constant(fields.const)] : []),
    ...[...list('allOf'), ...list('anyOf'), ...list('oneOf'), fields.if, fields.then, fields.else]
      .filter((one) => one !== undefined)
      .map((one) => near(one, depth - 1)),
    ...[fields.type].flat().map((type) => ofType(type, fields, depth)),
    ...('properties' in fields || 'required' in fields || 'patternProperties' in fields
      ? [ofType('object', fields, depth)]
      : []),
    ...('pattern' in fields || 'format' in fields || 'minLength' in fields ? [some(strings)] : []),
    ...('uniqueItems' in fields || 'items' in fields || 'prefixItems' in fields || 'contains' in fields
      ? [ofType('array', fields, depth)]
      : []),
  ]
  return found.length === 0 ? value : fc.oneof(...found)
}

function ofType(type: unknown, fields: Record<string, unknown>, depth: number): fc.Arbitrary<unknown> {
  if (type === 'string') return some(strings)
  if (type === 'number' || type === 'integer') return some(numbers)
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  if (type === 'array') {
    const [first] = [fields.items, fields.contains, fields.prefixItems].flat()
    return fc.array(near(first, depth - 1), { maxLength: 3 })
  }
  if (type !== 'object') return value
  const properties = (fields.properties ?? {}) as Record<string, unknown>
  const members = Object.fromEntries(names.map((one) => [one, near(properties[one], depth - 1)]))
  const required = Array.isArray(fields.required) ? (fields.required as string[]) : []
  return fc.oneof(
    fc.record(members, { requiredKeys: required }),
    fc.record(
      Object.fromEntries(Object.keys(properties).map((one) => [one, members[one]])) as typeof members,
      { requiredKeys: [] },
    ),
  )
}
