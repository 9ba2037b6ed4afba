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
    [0, { minimum: 1 }, 'must be at least 1'],
    [1, { exclusiveMinimum: 1 }, 'must be more than 1'],
    [3, { maximum: 2 }, 'must be at most 2'],
    [2, { exclusiveMaximum: true, maximum: 2 }, 'must be less than 2'],
    [5, { multipleOf: 2 }, 'must be a multiple of 2'],
    ['abcd', { maxLength: 3 }, 'must have at most 3 characters'],
    ['', { minLength: 1, maxLength: 3 }, 'must have at least 1 and at most 3 characters'],
    ['b', { pattern: '^a\\d' }, 'must match the pattern ^a\\d'],
    [{ a: [] }, { properties: { a: { minItems: 1 } } }, 'a: must have at least 1 elements'],
    [[1, 1], { uniqueItems: true }, 'must have no equal elements'],
    [[1], { contains: { const: 2 } }, 'must have at least 1 elements as "contains" describes'],
    [{}, { minProperties: 1 }, 'must have at least 1 members'],
    [{ A: 1 }, { propertyNames: { pattern: '^[a-z]' } }, 'A: has a name that is not allowed'],
    [{ a: 1 }, { dependentRequired: { a: ['b'] } }, 'b: is missing, which "a" needs'],
    [1, { not: { type: 'integer' } }, 'must not be what "not" describes'],
    [
      { a: 1, b: 1 },
      { oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      'fits several of the alternatives, must fit one',
    ],
    [{ a: 1 }, { if: { required: ['a'] }, then: { required: ['b'] } }, 'b: is missing'],
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

describe('a judgement', () => {
  const checker = new SchemaChecker({
    properties: { a: { type: 'integer' }, b: { pattern: '^(?=x)' }, c: { $ref: 'elsewhere.json' } },
    required: ['a'],
  })
  it('is complete where all was decided, and where a problem was found', () => {
    expect(checker.judge({ a: 1 })).toEqual({ problems: [], isComplete: true })
    expect(checker.judge({ b: 'x' })).toEqual({
      problems: [{ path: ['a'], message: 'is missing' }],
      isComplete: true,
    })
  })

  it('is not complete where a pattern, a reference or the budget left something open', () => {
    expect(checker.judge({ a: 1, b: 'x' })).toEqual({ problems: [], isComplete: false })
    expect(checker.judge({ a: 1, c: 'x' })).toEqual({ problems: [], isComplete: false })
    expect(checker.judge({ a: 'x' }, { steps: 2 })).toEqual({ problems: [], isComplete: false })
  })

  it.each([
    undefined,
    null,
    true,
    {},
    { title: 'x', $schema: 'y', 'x-other': 1 },
    { properties: {}, required: [] },
  ])('is trivial by %j', (schema) => {
    expect(new SchemaChecker(schema).isTrivial).toBe(true)
  })

  it.each([false, { type: 'object' }, { properties: { a: {} } }, { $ref: '#/nowhere' }, { pattern: '(' }])(
    'is not trivial by %j',
    (schema) => {
      expect(new SchemaChecker(schema).isTrivial).toBe(false)
    },
  )
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
