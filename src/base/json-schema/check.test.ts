import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuzz } from '../../../test/fuzz/settings.ts'
import { describeProblem, SchemaChecker } from './check.ts'
import { memberSchema } from './reference.ts'

const conforms = (value: unknown, schema: unknown) => new SchemaChecker(schema).conforms(value)
const problemsOf = (value: unknown, schema: unknown) =>
  new SchemaChecker(schema).check(value).map(describeProblem)

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
    ['x', { type: 'string', pattern: '^(?=y)', format: 'date' }],
    ['x', { type: 'string', minLength: '5' }],
    ['x', { type: [] }],
    ['x', { enum: [] }],
    ['x', { required: true }],
    ['x', { $ref: 'https://example.com/schema' }],
    ['x', { $ref: '#/$defs/nowhere' }],
  ])('%j fits %j', (value, schema) => {
    expect(problemsOf(value, schema)).toEqual([])
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
    expect(problemsOf(value, schema)).toEqual([problem])
    expect(conforms(value, schema)).toBe(false)
  })

  it('shortens a long enum in its message', () => {
    const [long] = problemsOf('x', { enum: Array.from({ length: 500 }, (_, at) => `value-${at}`) })
    expect(long?.length).toBeLessThan(300)
  })

  it('resolves the references of a part in the whole schema', () => {
    const checker = new SchemaChecker(tree)
    expect(checker.conformsTo({ $ref: '#/$defs/node' }, { value: 'x' })).toBe(false)
    expect(checker.conformsTo({ $ref: '#/$defs/node' }, { value: 1 })).toBe(true)
    expect(checker.conformsTo(undefined, 1)).toBe(true)
  })
})

describe('a list of problems', () => {
  it('names every place, in the order of the schema and of the value', () => {
    expect(problemsOf({ tags: [1, 'a', null], age: 'x', friend: {} }, person)).toEqual([
      'name: is missing',
      'tags[0]: must be string, not integer',
      'tags[2]: must be string, not null',
      'age: must be integer, not string',
      'friend.name: is missing',
    ])
  })

  it('has paths of member names and positions', () => {
    const found = new SchemaChecker(person).check({ name: 'x', tags: ['a', 2] })
    expect(found).toEqual([{ path: ['tags', 1], message: 'must be string, not integer' }])
  })

  it('follows the alternative that comes nearest', () => {
    const shapes = [{ type: 'string' }, { properties: { a: { type: 'null' }, b: { type: 'null' } } }]
    expect(problemsOf({ a: 1, b: 2 }, { anyOf: shapes })).toEqual([
      'a: must be null, not integer',
      'b: must be null, not integer',
    ])
  })

  it('ends at 20', () => {
    expect(problemsOf(Array(1_000).fill(0), { items: { type: 'null' } })).toHaveLength(20)
    expect(problemsOf({}, { required: Array.from({ length: 50 }, (_, at) => `p${at}`) })).toHaveLength(20)
  })

  it('is the same at every use of one checker', () => {
    const checker = new SchemaChecker(tree)
    const value = { root: { value: 1, next: { value: 'x' } }, flag: 0 }
    const first = checker.check(value)
    expect(first.map(({ path }) => path.join('.'))).toEqual(['root.next.value', 'flag'])
    expect(checker.conforms({ flag: true })).toBe(true)
    expect(checker.check(value)).toEqual(first)
  })
})

describe('hostile schemas and values', () => {
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

  it('a value of great depth', () => {
    let deep: unknown = 1
    for (let level = 0; level < 5000; level++) deep = { next: deep }
    expect(conforms(deep, { properties: { next: { $ref: '#' } } })).toBe(true)
  })

  it('a wide value compared with many long values of an enum', () => {
    const long = (last: number) => [...Array(1_000).fill(0), last]
    const schema = { items: { enum: Array.from({ length: 400 }, (_, at) => [long(at)]) } }
    const value = Array.from({ length: 400 }, () => [long(-1)])
    expect(typeof conforms(value, schema)).toBe('boolean')
  })
})

describe('the schema of one member', () => {
  it.each<[unknown, string, unknown]>([
    [person, 'age', { type: 'integer' }],
    [person, 'unknown', undefined],
    [person, 'constructor', undefined],
    [{ additionalProperties: { type: 'number' } }, 'x', { type: 'number' }],
    [{ allOf: [{}, { properties: { x: { type: 'null' } } }] }, 'x', { type: 'null' }],
    [{ $ref: '#/$defs/p', $defs: { p: { properties: { x: { type: 'null' } } } } }, 'x', { type: 'null' }],
    [undefined, 'x', undefined],
  ])('%j, %s', (schema, name, found) => {
    expect(memberSchema(schema, name)).toEqual(found)
  })
})

it('accepts every value by its own description and by an enum that lists it', () => {
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
