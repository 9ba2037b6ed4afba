// Random schemas of tools, with all that tool authors write.

import fc from 'fast-check'

type Schema = Record<string, unknown>

const names = ['a', 'b', 'c', 'type', 'items', '__proto__', 'required']
const name = fc.constantFrom(...names)

const remarks: fc.Arbitrary<Schema> = fc.record(
  {
    description: fc.constantFrom('What it is.', ''),
    title: fc.constant('T'),
    'x-order': fc.integer(),
    examples: fc.constant([1]),
    default: fc.constantFrom<unknown>(null, 1, 'a'),
  },
  { requiredKeys: [] },
)

const scalar: fc.Arbitrary<Schema> = fc.oneof(
  fc.record({ type: fc.constant('string') }),
  fc.record(
    {
      type: fc.constant('string'),
      minLength: fc.integer({ min: 0, max: 3 }),
      maxLength: fc.constantFrom(5, 2_000, 5_000),
      pattern: fc.constantFrom('^a$', 'b', '^(?!c)\\d+$'),
      format: fc.constantFrom('uri', 'date', 'int32', 'uuid'),
    },
    { requiredKeys: ['type'] },
  ),
  fc.record(
    {
      type: fc.constantFrom('integer', 'number'),
      minimum: fc.constant(-9),
      exclusiveMaximum: fc.constant(9_999),
      multipleOf: fc.constant(1),
    },
    { requiredKeys: ['type'] },
  ),
  fc.record({
    type: fc.constantFrom<unknown>(
      'boolean',
      'null',
      ['string', 'null'],
      ['string', 'integer'],
      ['boolean', 'number', 'null'],
    ),
  }),
  fc.record({ enum: fc.constantFrom<unknown[]>(['a', 'b'], [1, 2], ['a', 1, null], [true], ['a', null]) }),
  fc.record({ type: fc.constant('string'), enum: fc.constant(['x', 'y']) }),
  fc.record({ const: fc.constantFrom<unknown>('k', 7, null) }),
  fc.record({ type: fc.constant('string'), nullable: fc.constant(true) }),
  fc.constant({}),
)

const reference: fc.Arbitrary<Schema> = fc.oneof(
  fc.record({ $ref: fc.constantFrom('#/$defs/one', '#/$defs/two') }),
  fc.record({
    $ref: fc.constantFrom('#/$defs/one', '#/definitions/three', '#/$defs/lost'),
    description: fc.constant('Ref.'),
  }),
)

function schemaOf(depth: number): fc.Arbitrary<unknown> {
  if (depth === 0) return fc.oneof({ arbitrary: scalar, weight: 5 }, { arbitrary: reference, weight: 1 })
  const inner = schemaOf(depth - 1)
  const structured = fc.oneof(
    objectOf(inner),
    fc.record(
      {
        type: fc.constant('array'),
        items: inner,
        minItems: fc.constantFrom(0, 1),
        maxItems: fc.constantFrom(2, 500),
        uniqueItems: fc.boolean(),
      },
      { requiredKeys: ['type'] },
    ),
    fc.record({ type: fc.constant('array'), items: fc.array(inner, { minLength: 1, maxLength: 2 }) }),
    fc.record({ type: fc.constant('array'), prefixItems: fc.array(inner, { minLength: 1, maxLength: 2 }) }),
    fc.record({ anyOf: fc.array(inner, { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(inner, { minLength: 1, maxLength: 3 }) }),
    fc.record({ allOf: fc.array(inner, { minLength: 1, maxLength: 2 }) }),
    fc
      .tuple(
        objectOf(inner),
        fc.array(fc.record({ required: fc.array(name, { maxLength: 2 }) }), { minLength: 1, maxLength: 2 }),
      )
      .map(([schema, anyOf]) => ({ ...schema, anyOf })),
    fc.record({ type: fc.constant('object') }),
    fc.boolean(),
  )
  const any = fc.oneof(
    { arbitrary: scalar, weight: 4 },
    { arbitrary: reference, weight: 1 },
    { arbitrary: structured, weight: 4 },
  )
  return fc
    .tuple(any, remarks, fc.boolean())
    .map(([schema, more, isRemarked]) =>
      isRemarked && typeof schema === 'object' && !('$ref' in (schema as Schema))
        ? { ...more, ...(schema as Schema) }
        : schema,
    )
}

/** `mayBeSloppy`: may require what it does not declare. */
const objectOf = (inner: fc.Arbitrary<unknown>, mayBeSloppy = true): fc.Arbitrary<Schema> =>
  fc
    .tuple(
      fc.uniqueArray(fc.tuple(name, inner), { selector: ([one]) => one, maxLength: 4 }),
      fc.array(name, { maxLength: 3 }),
      fc.boolean(),
      fc.constantFrom<unknown>(undefined, undefined, false, false, true, { type: 'string' }),
    )
    .map(([members, wanted, isSloppy, others]) => {
      const own = members.map(([one]) => one)
      const required = [
        ...new Set(
          mayBeSloppy && isSloppy && wanted.includes('c')
            ? wanted
            : wanted.filter((one) => own.includes(one)),
        ),
      ]
      return {
        type: 'object',
        properties: Object.fromEntries(members),
        ...(required.length > 0 ? { required } : {}),
        ...(others === undefined ? {} : { additionalProperties: others }),
      }
    })

/** The schema of a tool: mostly an object, now and then a union of them. */
export const toolSchemas: fc.Arbitrary<Schema> = fc
  .tuple(
    fc.oneof(
      { arbitrary: objectOf(schemaOf(2)), weight: 6 },
      {
        arbitrary: fc.record({
          anyOf: fc.array(objectOf(schemaOf(1), false), { minLength: 1, maxLength: 3 }),
        }),
        weight: 1,
      },
    ),
    schemaOf(1),
    schemaOf(1),
    scalar,
  )
  .map(([root, one, two, three]) => ({ ...root, $defs: { one, two }, definitions: { three } }))
