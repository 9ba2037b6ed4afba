import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuzz } from '../../../test/fuzz/settings.ts'
import { conforms, parameterSchema, violation } from './schema.ts'

const person = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    age: { type: 'integer' },
    tags: { type: 'array', items: { type: 'string' } },
    friend: { $ref: '#' },
  },
  required: ['name'],
}
const tree = {
  $defs: {
    node: {
      type: 'object',
      properties: {
        value: { type: 'number' },
        next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
      },
      required: ['value'],
    },
    'a/b~c': { type: 'boolean' },
  },
  type: 'object',
  properties: { root: { $ref: '#/$defs/node' }, flag: { $ref: '#/$defs/a~1b~0c' } },
}

describe('conforms', () => {
  it.each<[unknown, unknown]>([
    [5, { type: 'integer' }],
    [5, { type: 'number' }],
    [5.0, { type: 'int' }],
    [5.5, { type: 'float' }],
    [null, { type: ['string', 'null'] }],
    [null, { type: 'string', nullable: true }],
    [null, { enum: ['a'], nullable: true }],
    ['x', { type: 'any' }],
    ['x', { type: 'com.example.Thing' }],
    ['x', {}],
    ['x', true],
    ['x', undefined],
    ['a', { enum: ['a', 'b'] }],
    [{ a: [1] }, { const: { a: [1] } }],
    [1, { anyOf: [{ type: 'string' }, { type: 'integer' }] }],
    [1, { oneOf: [{ type: 'number' }, { type: 'integer' }] }],
    [{ a: 1, b: 2 }, { allOf: [{ required: ['a'] }, { required: ['b'] }] }],
    [{ name: 'x', friend: { name: 'y', friend: { name: 'z' } } }, person],
    [{ root: { value: 1, next: { value: 2, next: null } }, flag: true }, tree],
    [{ a: 1, x: 2 }, { properties: { a: { type: 'integer' } } }],
    [{ x1: 2 }, { additionalProperties: false, patternProperties: { '^x': {} } }],
    [['a', 1, 2], { prefixItems: [{ type: 'string' }], items: { type: 'integer' } }],
    [['a', 1], { items: [{ type: 'string' }, { type: 'integer' }] }],
    ['x', { type: 'string', minLength: 5, pattern: '^y', format: 'date' }],
    ['x', { $ref: 'https://example.com/schema' }],
    ['x', { $ref: '#/$defs/nowhere' }],
  ])('%j fits %j', (value, schema) => {
    expect(violation(value, schema)).toBeUndefined()
    expect(conforms(value, schema)).toBe(true)
  })

  it.each<[unknown, unknown, string]>([
    ['5', { type: 'integer' }, 'must be integer, not string'],
    [5.5, { type: 'integer' }, 'must be integer, not number'],
    [1, { type: ['string', 'null'] }, 'must be string or null, not integer'],
    [null, { type: 'object' }, 'must be object, not null'],
    ['c', { enum: ['a', 'b'] }, 'must be one of "a", "b"'],
    [2, { const: 1 }, 'must be 1'],
    [{ age: 1 }, person, 'name: is missing'],
    [{ name: 'x', tags: ['a', 2] }, person, 'tags[1]: must be string, not integer'],
    [{ name: 'x', friend: { name: 1 } }, person, 'friend.name: must be string, not integer'],
    [{ root: { value: 1, next: { value: 'x' } } }, tree, 'root.next.value: must be number, not string'],
    [{ flag: 1 }, tree, 'flag: must be boolean, not integer'],
    [{ b: 1 }, { additionalProperties: false }, 'b: is not a parameter'],
    [{ b: 1 }, { additionalProperties: { type: 'string' } }, 'b: must be string, not integer'],
    [['a', 'b'], { prefixItems: [{}], items: false }, '[1]: is not allowed'],
    [true, { anyOf: [{ type: 'string' }, { type: 'null' }] }, 'must be string, not boolean'],
    [{ a: 1, b: 'x' }, { allOf: [{ required: ['a'] }, { required: ['c'] }] }, 'c: is missing'],
    ['__proto__', { type: 'object' }, 'must be object, not string'],
    [{}, { required: ['toString'] }, 'toString: is missing'],
  ])('%j does not fit %j', (value, schema, problem) => {
    expect(violation(value, schema)).toBe(problem)
    expect(conforms(value, schema)).toBe(false)
  })

  it('says no more of an enum than can be read', () => {
    const long = violation('x', { enum: Array.from({ length: 500 }, (_, at) => `value-${at}`) })
    expect(long?.length).toBeLessThan(300)
  })

  it('a part of a schema is looked up in the whole', () => {
    expect(conforms({ value: 'x' }, { $ref: '#/$defs/node' }, tree)).toBe(false)
    expect(conforms({ value: 1 }, { $ref: '#/$defs/node' }, tree)).toBe(true)
  })
})

describe('schemas that lead nowhere', () => {
  const loop = { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }
  const level = (depth: number) =>
    depth === 0
      ? { type: 'null' }
      : { anyOf: Array.from({ length: 8 }, () => ({ $ref: `#/$defs/${depth - 1}` })) }
  const wide = { $defs: Array.from({ length: 20 }, (_, depth) => level(depth)), $ref: '#/$defs/19' }
  const self = { anyOf: [{ $ref: '#' }, { $ref: '#' }, { allOf: [{ $ref: '#' }, { $ref: '#' }] }] }
  it.each<[string, unknown]>([
    ['a reference to itself', loop],
    ['many alternatives of alternatives', wide],
    ['alternatives of itself', self],
  ])('%s', (_, schema) => {
    expect(typeof conforms('x', schema)).toBe('boolean')
  })

  it('a value without an end to its depth', () => {
    let deep: unknown = 1
    for (let level = 0; level < 5000; level++) deep = { next: deep }
    expect(conforms(deep, { properties: { next: { $ref: '#' } } })).toBe(true)
  })
})

describe('the schema of one parameter', () => {
  it.each<[unknown, string, unknown]>([
    [person, 'age', { type: 'integer' }],
    [person, 'unknown', undefined],
    [person, 'constructor', undefined],
    [{ additionalProperties: { type: 'number' } }, 'x', { type: 'number' }],
    [{ allOf: [{}, { properties: { x: { type: 'null' } } }] }, 'x', { type: 'null' }],
    [{ $ref: '#/$defs/p', $defs: { p: { properties: { x: { type: 'null' } } } } }, 'x', { type: 'null' }],
    [undefined, 'x', undefined],
  ])('%j, %s', (schema, name, found) => {
    expect(parameterSchema(schema, name)).toEqual(found)
  })
})

it('a value fits the schema that it is described by, and its own enum', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
      expect(conforms(value, describing(value))).toBe(true)
      expect(conforms(value, { enum: [1.5, value] })).toBe(true)
    }),
    fuzz,
  )
})

function describing(value: unknown): unknown {
  if (value === null) return { type: 'null' }
  if (Array.isArray(value)) return { type: 'array', prefixItems: value.map(describing) }
  if (typeof value !== 'object') return { type: typeof value }
  const entries = Object.entries(value).map(([name, one]) => [name, describing(one)])
  return {
    type: 'object',
    properties: Object.fromEntries(entries),
    required: Object.keys(value),
    additionalProperties: false,
  }
}
