import { describe, expect, it } from 'vitest'
import { rewriteSchema } from './rewrite.ts'
import type { SubsetName } from './subset.ts'
import { subsets, withoutKeywords } from './subsets.ts'

type Schema = Record<string, unknown>

const object = (properties: Schema, more: Schema = {}): Schema => ({ type: 'object', properties, ...more })
const strict = (properties: Schema): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
/** The property `p` of a tool, rewritten; the reason if the tool is unfit. */
function property(given: unknown, name: SubsetName, isRequired = true): unknown {
  const schema: Schema = { ...object({ p: given }), ...(isRequired ? { required: ['p'] } : {}) }
  const made = rewriteSchema(schema, subsets[name])
  if (made.kind === 'unfit') return made.reason
  const sent = made.kind === 'rewritten' ? made.schema : schema
  return (sent.properties as Schema).p
}

describe('strict schemas for OpenAI', () => {
  it.each<[string, unknown, unknown]>([
    ['a type', { type: 'string' }, { type: ['string', 'null'] }],
    ['an enum', { type: 'string', enum: ['a'] }, { type: ['string', 'null'], enum: ['a', null] }],
    [
      'a constant',
      { const: 'a', description: 'D' },
      { description: 'D', anyOf: [{ type: 'string', const: 'a' }, { type: 'null' }] },
    ],
    ['a union', { anyOf: [{ type: 'string' }] }, { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    ['one that takes null', { type: ['string', 'null'] }, { type: ['string', 'null'] }],
    [
      'one that takes null, with a default',
      { type: ['string', 'null'], default: 'a' },
      'p has a default and may be null',
    ],
  ])('an optional property becomes required and takes null: %s', (_, given, expected) => {
    expect(property(given, 'openai', false)).toEqual(expected)
  })

  it.each<[string, unknown, unknown]>([
    [
      'lengths',
      { type: 'string', minLength: 2, description: 'D.' },
      { type: 'string', description: 'D. (minLength: 2)' },
    ],
    ['a default', { type: 'integer', default: 5 }, { type: 'integer', description: '(default: 5)' }],
    [
      'a format that it does not know',
      { type: 'string', format: 'uri' },
      { type: 'string', description: '(format: "uri")' },
    ],
    [
      'a pattern that it does not know',
      { type: 'string', pattern: '(?=a)' },
      { type: 'string', description: '(pattern: "(?=a)")' },
    ],
    ['remarks', { type: 'string', title: 'T', $comment: 'c', 'x-y': 1, examples: [1] }, { type: 'string' }],
    ['a nullable of OpenAPI', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      'oneOf',
      { oneOf: [{ type: 'string' }, { type: 'integer' }] },
      { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    ],
    [
      'allOf',
      { allOf: [object({ a: { type: 'string' } }, { required: ['a'] }), object({}, { description: 'D' })] },
      { ...strict({ a: { type: 'string' } }), description: 'D' },
    ],
    ['a missing type', { properties: {}, required: [] }, 'it has an object without declared keys'],
    ['an enum without type', { enum: ['a', 1] }, { type: ['string', 'integer'], enum: ['a', 1] }],
  ])('%s', (_, given, expected) => {
    expect(property(given, 'openai')).toEqual(expected)
  })

  it.each<[unknown, string]>([
    [{ type: 'object' }, 'it has an object without declared keys'],
    [
      object({ a: { type: 'string' } }, { additionalProperties: true }),
      'it takes keys that are not declared',
    ],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'it takes keys that are not declared'],
    [{}, 'it allows anything in one place'],
    [true, 'it allows anything in one place'],
    [{ type: 'array' }, 'it has a list of anything'],
    [{ type: 'array', items: [{ type: 'string' }] }, 'it has a list with a schema for each place'],
    [{ type: 'string', not: { const: 'a' } }, 'it has not'],
    [object({ a: { type: 'string' } }, { if: {} }), 'it has if'],
    [object({ a: { type: 'string' } }, { required: ['b'] }), 'it requires b, which is not declared'],
    [{ ...strict({ a: { type: 'integer' } }), enum: [{ a: 1 }] }, 'it has an enum of objects or lists'],
    [{ enum: [] }, 'it has an empty enum'],
    [{ allOf: [{ type: 'string' }, { type: 'integer' }] }, 'the branches of its allOf differ in type'],
    [{ $ref: '#/$defs/lost' }, 'it has a reference that leads nowhere'],
    [{ $ref: 'https://example.com/x' }, 'it has a reference that leads nowhere'],
  ])('%j is unfit', (given, reason) => {
    expect(property(given, 'openai')).toBe(reason)
  })

  it('too many levels, properties or values are unfit', () => {
    let deep: Schema = { type: 'string' }
    for (let level = 0; level < 10; level++) deep = object({ a: deep }, { required: ['a'] })
    expect(property(deep, 'openai')).toBe('it is too large')
    expect(property({ enum: Array.from({ length: 1_001 }, (_, at) => `v${at}`) }, 'openai')).toBe(
      'it is too large',
    )
  })

  it('a union at the root becomes one object, whose calls are checked afterwards', () => {
    const branch = (name: string) =>
      object({ [name]: { type: 'string' }, both: { type: 'string' } }, { required: [name, 'both'] })
    const made = rewriteSchema({ anyOf: [branch('a'), branch('b')] }, subsets.openai)
    const optional = { type: ['string', 'null'] }
    expect(made).toMatchObject({
      kind: 'rewritten',
      isLoose: true,
      schema: strict({ a: optional, both: { type: 'string' }, b: optional }),
    })
  })

  it('a reference keeps its remarks outside, and definitions are rewritten once', () => {
    const schema = object(
      { a: { $ref: '#/$defs/n', description: 'D' }, b: { $ref: '#/$defs/n' } },
      {
        required: ['a', 'b'],
        $defs: { n: object({ next: { $ref: '#/$defs/n' } }), unused: { not: {} } },
      },
    )
    expect(rewriteSchema(schema, subsets.openai)).toMatchObject({
      schema: {
        properties: { a: { description: 'D', anyOf: [{ $ref: '#/$defs/n' }] }, b: { $ref: '#/$defs/n' } },
        $defs: { n: strict({ next: { anyOf: [{ $ref: '#/$defs/n' }, { type: 'null' }] } }) },
      },
    })
  })
})

describe('other subsets', () => {
  it.each<[SubsetName, unknown, unknown]>([
    ['anthropic', { type: 'integer', minimum: 1 }, { type: 'integer', description: '(minimum: 1)' }],
    [
      'anthropic',
      { type: 'array', items: { type: 'string' }, minItems: 2 },
      { type: 'array', items: { type: 'string' }, description: '(minItems: 2)' },
    ],
    [
      'cerebras',
      { type: 'array', items: { type: 'string' }, minItems: 1 },
      { type: 'array', items: { type: 'string' }, description: '(minItems: 1)' },
    ],
    ['xgrammar', { type: 'object' }, { type: 'object', additionalProperties: true }],
    [
      'xgrammar',
      { type: 'string', pattern: 'a', uniqueItems: true, not: {} },
      { type: 'string', pattern: 'a', uniqueItems: true, not: {} },
    ],
    ['xgrammar', { allOf: [{ type: 'string' }, { pattern: 'a' }] }, { type: 'string', pattern: 'a' }],
    ['xai', { type: 'object' }, { type: 'object', additionalProperties: true }],
    ['xai', true, {}],
    ['xai', { type: 'string', enum: [] }, { type: 'string' }],
    ['xai', { type: 'string', maxLength: 5_000 }, { type: 'string', description: '(maxLength: 5000)' }],
    [
      'xai',
      { type: 'array', items: [{ type: 'string' }], additionalItems: false },
      { type: 'array', items: false, prefixItems: [{ type: 'string' }] },
    ],
    ['xai', { $ref: '#' }, { type: 'object', additionalProperties: true }],
    [
      'moonshot',
      { type: 'string', anyOf: [{ minLength: 1 }, { type: 'string', enum: ['a'] }] },
      {
        anyOf: [
          { type: 'string', minLength: 1 },
          { type: 'string', enum: ['a'] },
        ],
      },
    ],
    [
      'moonshot',
      { type: ['string', 'integer', 'null'], minimum: 1, description: 'D' },
      { description: 'D', anyOf: [{ type: 'string' }, { minimum: 1, type: 'integer' }, { type: 'null' }] },
    ],
    [
      'moonshot',
      { type: ['string', 'integer', 'boolean'], enum: ['a', 1] },
      {
        anyOf: [
          { type: 'string', enum: ['a'] },
          { type: 'integer', enum: [1] },
        ],
      },
    ],
    ['gemini', { type: ['string', 'null'], const: 'a' }, { type: 'string', enum: ['a'], nullable: true }],
    ['gemini', { type: 'integer', enum: [1, 2] }, { type: 'integer', description: '(enum: [1,2])' }],
    [
      'gemini',
      { anyOf: [{ type: 'integer' }, { type: 'null' }], description: 'D' },
      { description: 'D', type: 'integer', nullable: true },
    ],
    [
      'gemini',
      { type: 'object', additionalProperties: { type: 'string' }, propertyNames: { pattern: 'a' } },
      { type: 'object', description: '(propertyNames: {"pattern":"a"})' },
    ],
    ['gemini', { type: 'array' }, { type: 'array', items: { type: 'string' } }],
    [
      'gbnf',
      { type: 'string', pattern: '^a$', format: 'date', minLength: 1 },
      { type: 'string', description: '(pattern: "^a$", format: "date", minLength: 1)' },
    ],
    [
      'gbnf',
      { oneOf: [{ enum: ['all'] }, { type: 'string', pattern: '^[0-9]+$' }] },
      { anyOf: [{ enum: ['all'] }, { type: 'string', description: '(pattern: "^[0-9]+$")' }] },
    ],
    ['mistral', { $id: 'x', type: 'string', default: { $id: 1 } }, { type: 'string', default: { $id: 1 } }],
  ])('%s: %j', (name, given, expected) => {
    expect(property(given, name)).toEqual(expected)
  })

  it('a union at the root stays where it may stand', () => {
    const given = { oneOf: [object({ a: { type: 'string' } }), object({ b: { type: 'string' } })] }
    expect(rewriteSchema(given, subsets.mistral)).toEqual({ kind: 'kept' })
    expect(rewriteSchema({ $id: 'x', ...given }, subsets.mistral)).toMatchObject({ schema: given })
  })

  it('the root of xAI may be a union of objects', () => {
    const named = object({ a: { type: 'string' } })
    const given = { anyOf: [named, { type: 'string' }, { required: ['b'] }] }
    expect(rewriteSchema(given, subsets.xai)).toMatchObject({
      schema: { anyOf: [named, { type: 'object', required: ['b'] }] },
    })
  })

  it('a reference is inlined for Gemini, and a tree is cut', () => {
    const schema = object(
      { n: { $ref: '#/$defs/n' } },
      {
        $defs: {
          n: object({ next: { $ref: '#/$defs/n' }, a: { $ref: '#/$defs/s' } }),
          s: { type: 'string' },
        },
      },
    )
    const inner = (next: unknown) => object({ next, a: { type: 'string' } })
    expect(rewriteSchema(schema, subsets.gemini)).toMatchObject({
      schema: object({ n: inner(inner({ type: 'object' })) }),
    })
  })

  it('keywords that a service has named', () => {
    const schema = object({ p: { type: 'integer', exclusiveMinimum: 1, 'x-a': 1 } })
    const made = rewriteSchema(schema, withoutKeywords(undefined, ['exclusiveMinimum', 'x-a', '$ref']))
    expect(made).toMatchObject({
      schema: object({ p: { type: 'integer', description: '(exclusiveMinimum: 1)' } }),
    })
  })

  it('a schema that fits is kept', () => {
    const schema = strict({ a: { type: 'string' } })
    for (const subset of Object.values(subsets).filter(({ name }) => name !== 'gemini'))
      expect(rewriteSchema(schema, subset)).toEqual({ kind: 'kept' })
  })
})

describe('hostile schemas', () => {
  const names = Object.keys(subsets) as SubsetName[]
  const wide = (keyword: string, width: number) => ({
    [keyword]: Array.from({ length: width }, () => ({ $ref: '#/$defs/0' })),
  })
  /** Each level refers several times to the next. */
  const tower = (keyword: string, width: number) => ({
    ...object({ p: { $ref: '#/$defs/0' } }),
    $defs: Object.fromEntries(
      Array.from({ length: 30 }, (_, level) => [
        String(level),
        { [keyword]: Array.from({ length: width }, () => ({ $ref: `#/$defs/${level + 1}` })) },
      ]),
    ),
  })
  const loop = {
    ...object({ p: { allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] } }),
    $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
  }
  let deep: Schema = { type: 'string' }
  for (let level = 0; level < 60; level++) deep = object({ a: deep })
  const many = object(
    Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`p${at}`, { type: 'string' }])),
  )
  it.each<[string, Schema]>([
    ['towers of allOf', tower('allOf', 8)],
    ['towers of anyOf', tower('anyOf', 8)],
    ['towers of properties', { ...object({ p: wide('anyOf', 3_000) }), $defs: { 0: wide('oneOf', 3_000) } }],
    ['loops', loop],
    ['depth as great as a body may have', object({ deep })],
    ['many properties', many],
    [
      'names of the prototype',
      JSON.parse(
        '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"object"}},"__proto__":{"x":1}}',
      ),
    ],
  ])('%s take little time', (_, schema) => {
    for (const name of names) {
      const start = performance.now()
      expect(rewriteSchema(schema, subsets[name])).toHaveProperty('kind')
      expect(performance.now() - start).toBeLessThan(2_000)
    }
  })
})
