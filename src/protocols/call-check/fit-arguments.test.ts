import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuzz } from '../../../test/fuzz/settings.ts'
import { SchemaChecker } from '../../base/json-schema/check.ts'
import { fitArguments as fitInput } from './fit-arguments.ts'

const fitToSchema = (input: Record<string, unknown>, schema: unknown) =>
  fitInput(input, new SchemaChecker(schema))
const conforms = (value: unknown, schema: unknown) => new SchemaChecker(schema).conforms(value)

const of = (schema: unknown) => ({ type: 'object', properties: { x: schema } })
const fitOne = (value: unknown, schema: unknown) => fitToSchema({ x: value }, of(schema))

const large = Number('12345678901234567890')
const string = { type: 'string' }
const integer = { type: 'integer' }
const number = { type: 'number' }
const boolean = { type: 'boolean' }
const none = { type: 'null' }
const list = (items?: unknown) => ({ type: 'array', ...(items === undefined ? {} : { items }) })
const todo = { type: 'object', properties: { id: integer, text: string }, required: ['id'] }

describe('digits', () => {
  const item = { type: 'object', properties: { id: integer, n: integer }, required: ['id'] }
  const fitText = (text: string, schema: unknown) =>
    fitInput(JSON.parse(text), new SchemaChecker(of(schema)), text).text

  it.each<[string, unknown, string]>([
    ['{"x":"12345678901234567890"}', integer, '{"x":12345678901234567890}'],
    ['{"x":"\\"12345678901234567890\\""}', integer, '{"x":12345678901234567890}'],
    ['{"x": ["1", 12345678901234567890, "5.0"]}', list(integer), '{"x":[1,12345678901234567890,5.0]}'],
    ['{"x":12345678901234567890}', list(integer), '{"x":[12345678901234567890]}'],
    [
      '{"x":"{\\"ID\\":12345678901234567890,\\"n\\":\\"1\\"}"}',
      item,
      '{"x":{"id":12345678901234567890,"n":1}}',
    ],
    ['{"x":{"id":12345678901234567890,"n":"1"}}', list(item), '{"x":[{"id":12345678901234567890,"n":1}]}'],
    ['{"x":"[12345678901234567890]"}', list(integer), '{"x":[12345678901234567890]}'],
  ])('%s for %j', (text, schema, fitted) => {
    expect(fitText(text, schema)).toBe(fitted)
  })

  it('of arguments that stood one level deeper', () => {
    const text = '{"arguments":{"x":12345678901234567890,"y":[1.0]}}'
    const checker = new SchemaChecker({ ...of(integer), required: ['x'] })
    expect(fitInput(JSON.parse(text), checker, text).text).toBe('{"x":12345678901234567890,"y":[1.0]}')
  })
})

describe('another way to write the same value', () => {
  it.each<[unknown, unknown, unknown, ...string[]]>([
    ['5', integer, 5, 'a string became a number'],
    [' -5 ', integer, -5, 'a string became a number'],
    ['5.0', integer, 5, 'a string became a number'],
    ['2.5e3', number, 2500, 'a string became a number'],
    ['true', boolean, true, 'a string became a boolean'],
    ['False', boolean, false, 'a string became a boolean'],
    ['null', none, null, 'a string became null'],
    ['None', { type: ['integer', 'null'] }, null, 'a string became null'],
    ['7', { type: ['null', 'integer'] }, 7, 'a string became a number'],
    ['{"id":1}', todo, { id: 1 }, 'a string became an object'],
    ['[1, 2]', list(integer), [1, 2], 'a string became an array'],
    ['"[1, 2]"', list(integer), [1, 2], 'a string became an array'],
    [
      "['a', 'b',]",
      list(string),
      ['a', 'b'],
      'a string became an array',
      'single-quoted strings',
      'trailing commas',
    ],
    ['[{\\"id\\": 1}]', list(todo), [{ id: 1 }], 'a string became an array', 'escaped JSON text'],
    ['"5"', integer, 5, 'a string became a number'],
    ['"b"', { enum: ['a', 'b'] }, 'b', 'quotes around a string were removed'],
    [{ id: 1 }, list(todo), [{ id: 1 }], 'an object became an array of one'],
    [3, list(integer), [3], 'a number became an array of one'],
    [3, { anyOf: [list(integer), none] }, [3], 'a number became an array of one'],
    ['5', { anyOf: [{ enum: ['auto'] }, integer] }, 5, 'a string became a number'],
    ['5', { oneOf: [boolean, number] }, 5, 'a string became a number'],
    ['a.txt', list(string), ['a.txt'], 'a string became an array of one'],
    ['C', { enum: ['a', 'b', 'c'] }, 'c', '"C" became "c"'],
    [' Open', { const: 'open' }, 'open', '" Open" became "open"'],
    ['true', { anyOf: [integer, boolean] }, true, 'a string became a boolean'],
  ])('%j for %j', (value, schema, fitted, ...changes) => {
    expect(fitOne(value, schema)).toMatchObject({
      input: { x: fitted },
      changes: changes.map((change) => `x: ${change}`),
    })
  })

  describe('of members', () => {
    const schema = {
      type: 'object',
      properties: { file_path: string, limit: integer, all: { type: ['boolean', 'null'] } },
      required: ['file_path'],
    }
    const closed = { ...schema, additionalProperties: false }

    it.each<[Record<string, unknown>, unknown, unknown, ...string[]]>([
      [{ file_path: 'a', limit: null }, schema, { file_path: 'a' }, 'limit: null became absent'],
      [{ filePath: 'a' }, schema, { file_path: 'a' }, 'filePath: was read as "file_path"'],
      [{ 'file-path': 'a' }, closed, { file_path: 'a' }, 'file-path: was read as "file_path"'],
      [
        { file_path: 'a', Limit: '5' },
        closed,
        { file_path: 'a', limit: 5 },
        'Limit: was read as "limit"',
        'limit: a string became a number',
      ],
      [
        { arguments: { file_path: 'a' } },
        schema,
        { file_path: 'a' },
        'the arguments were inside "arguments"',
      ],
      [{ input: '{"file_path":"a"}' }, schema, { file_path: 'a' }, 'the arguments were inside "input"'],
      [
        { params: { filePath: 'a' } },
        schema,
        { file_path: 'a' },
        'the arguments were inside "params"',
        'filePath: was read as "file_path"',
      ],
    ])('%j', (input, rules, fitted, ...changes) => {
      const { input: found, changes: told } = fitToSchema(input, rules)
      expect({ found, told }).toEqual({ found: fitted, told: changes })
    })

    it.each<[Record<string, unknown>, unknown]>([
      [{ file_path: 'a', all: null }, schema],
      [{ file_path: null }, schema],
      [{ file_path: 'a', other: null }, schema],
      // The member may be one that the tool takes beside its own.
      [{ file_path: 'a', Limit: '5' }, schema],
      [{ filePath: 'a', FilePath: 'b' }, schema],
      [{ file_path: 'a', filePath: 'b' }, closed],
      [{ filePath: 'a' }, { ...closed, patternProperties: { '^f': {} } }],
      [{ arguments: { other: 'a' } }, schema],
      [{ arguments: { file_path: 'a' }, more: 1 }, schema],
      [{ arguments: { x: 1 } }, { ...of(string), required: ['arguments'] }],
    ])('but not %j', (input, rules) => {
      const { input: found, changes } = fitToSchema(input, rules)
      expect(found).toBe(input)
      expect(changes).toEqual([])
    })
  })

  it('inside a value that fits otherwise, with the path', () => {
    const input = {
      todos: [
        { id: '1', text: 'a' },
        { id: 2, text: 3 },
      ],
      other: '5',
    }
    expect(fitToSchema(input, { properties: { todos: list(todo) } })).toMatchObject({
      input: {
        todos: [
          { id: 1, text: 'a' },
          { id: 2, text: 3 },
        ],
        other: '5',
      },
      changes: ['todos[0].id: a string became a number'],
    })
    expect(input.todos[0]?.id).toBe('1')
  })

  it('inside a value that was text', () => {
    expect(fitOne('[{"id":"1"}]', list(todo))).toMatchObject({
      input: { x: [{ id: 1 }] },
      changes: ['x: a string became an array', 'x[0].id: a string became a number'],
    })
  })

  it('through references, and by the alternative that fits', () => {
    const schema = {
      $defs: {
        until: {
          type: 'object',
          properties: { kind: { const: 'until' }, at: string },
          required: ['kind', 'at'],
        },
        during: {
          type: 'object',
          properties: { kind: { const: 'for' }, n: integer },
          required: ['kind', 'n'],
        },
      },
      properties: { wait: { anyOf: [{ $ref: '#/$defs/until' }, { $ref: '#/$defs/during' }] } },
    }
    expect(fitToSchema({ wait: { kind: 'for', n: '5' } }, schema)).toMatchObject({
      input: { wait: { kind: 'for', n: 5 } },
      changes: ['wait.n: a string became a number'],
    })
  })

  it('limits the list of changes', () => {
    const { input, changes } = fitOne(
      Array.from({ length: 500 }, (_, at) => String(at)),
      list(integer),
    )
    expect(input.x).toEqual(Array.from({ length: 500 }, (_, at) => at))
    expect(changes).toHaveLength(21)
    expect(changes.at(-1)).toBe('and 480 more like these')
  })

  it('prefers an object to its text, even with a problem left in it', () => {
    const schema = list({ type: 'object', properties: { state: { enum: ['open'] } } })
    expect(fitOne('[{"state":"closed"}]', schema).input).toEqual({ x: [{ state: 'closed' }] })
  })
})

describe('unchanged values', () => {
  it.each<[unknown, unknown]>([
    ['007', string],
    [5, string],
    [true, string],
    [large, string],
    ['true', string],
    ['null', { type: ['string', 'null'] }],
    ['5', { type: ['string', 'integer'] }],
    ['{"a":1}', string],
    ['5', {}],
    ['5', undefined],
    // No other reading exists.
    ['five', integer],
    ['5.5', integer],
    ['5 apples', number],
    ['0x10', integer],
    ['007', integer],
    ['yes', boolean],
    ['1', boolean],
    [1, boolean],
    ['', integer],
    ['null', integer],
    [{ a: 1 }, string],
    [['a'], string],
    ['{"a":', todo],
    [large, string],
    ['1e999', number],
    // Two values differ from it in case only.
    ['B', { enum: ['b', 'a', 'b '] }],
    ['d', { enum: ['a', 'b', 'c'] }],
    ['9', { type: 'integer', enum: [1, 2] }],
    // Broken JSON that could mean two things.
    ['["a" "b"]', list(string)],
    ['["a", "b"', list(string)],
    ['{"id": 1,', todo],
    // A string may be a list in another notation.
    ['a, b', list(string)],
    ['null', list(string)],
    ['ls -la', list(string)],
    ['', list(string)],
    // Either a number, or a list of one text.
    ['5', { anyOf: [number, list(string)] }],
    [{ id: 1 }, list()],
    ['x', false],
  ])('%j for %j', (value, schema) => {
    const input = { x: value }
    const fitted = fitToSchema(input, of(schema))
    expect(fitted.input).toBe(input)
    expect(fitted.changes).toEqual([])
  })

  it('keeps unknown and known members', () => {
    const schema = { ...of(integer), additionalProperties: false, required: ['y'] }
    const input = JSON.parse('{"z":"1","x":"2","__proto__":"3"}')
    const { input: fitted } = fitToSchema(input, schema)
    expect(JSON.stringify(fitted)).toBe('{"z":"1","x":2,"__proto__":"3"}')
  })

  it('keeps everything for a schema without an end', () => {
    const self = {
      properties: { x: { anyOf: [{ $ref: '#/properties/x' }, { allOf: [{ $ref: '#/properties/x' }] }] } },
    }
    expect(fitToSchema({ x: '5' }, self).input).toEqual({ x: '5' })
    let deep: unknown = '5'
    for (let level = 0; level < 100; level++) deep = { x: deep }
    expect(() =>
      fitToSchema({ x: deep }, { properties: { x: { $ref: '#' } }, required: ['x'] }),
    ).not.toThrow()
  })
})

/** A value and a schema of exactly its types. */
const described: fc.Arbitrary<[unknown, unknown]> = fc.letrec<{ any: [unknown, unknown] }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.tuple(fc.string(), fc.constant(string)),
    fc.tuple(fc.integer(), fc.constant(integer)),
    fc.tuple(
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((one) => !Number.isInteger(one)),
      fc.constant(number),
    ),
    fc.tuple(fc.boolean(), fc.constantFrom(boolean, { type: ['boolean', 'null'] })),
    fc.tuple(fc.constant(null), fc.constantFrom(none, { anyOf: [none, integer] })),
    fc
      .array(tie('any'), { maxLength: 3 })
      .map((all): [unknown, unknown] => [
        all.map(([one]) => one),
        { type: 'array', prefixItems: all.map(([, one]) => one) },
      ]),
    fc
      .dictionary(fc.stringMatching(/^[a-z]{1,5}$/), tie('any'), { maxKeys: 4 })
      .map((all): [unknown, unknown] => {
        const entries = Object.entries(all)
        return [
          Object.fromEntries(entries.map(([name, [one]]) => [name, one])),
          { type: 'object', properties: Object.fromEntries(entries.map(([name, [, one]]) => [name, one])) },
        ]
      }),
  ),
})).any

const runs = fuzz

describe('any value', () => {
  it('that fits is unchanged', () => {
    fc.assert(
      fc.property(described, ([value, schema]) => {
        const input = { x: value }
        expect(conforms(input, of(schema))).toBe(true)
        expect(fitToSchema(input, of(schema)).input).toBe(input)
      }),
      runs,
    )
  })

  it('is restored from its text', () => {
    fc.assert(
      fc.property(described, fc.constantFrom(1, 2), ([value, schema], times) => {
        fc.pre(typeof value !== 'string')
        let text = JSON.stringify(value)
        for (let time = 1; time < times; time++) text = JSON.stringify(text)
        expect(fitOne(text, schema).input).toEqual({ x: JSON.parse(JSON.stringify(value)) })
      }),
      runs,
    )
  })

  it('changes only to a value that fits better', () => {
    fc.assert(
      fc.property(described, described, ([value], [, schema]) => {
        const { input, changes } = fitOne(value, schema)
        if (changes.length === 0) expect(input).toEqual({ x: value })
        else
          expect(
            typeof value === 'object' || typeof input.x === 'object' || conforms(input, of(schema)),
          ).toBe(true)
      }),
      runs,
    )
  })
})

describe('time is bounded', () => {
  const ms = (input: Record<string, unknown>, schema: unknown) => {
    const began = performance.now()
    fitToSchema(input, schema)
    return performance.now() - began
  }

  it('for many elements and many parameters', () => {
    const properties = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`p${at}`, string]))
    const items = { type: 'object', properties, required: ['p0'] }
    expect(ms({ x: Array.from({ length: 3_000 }, () => ({})) }, of(list(items)))).toBeLessThan(5_000)
  })

  it('for alternatives inside alternatives, with a long text', () => {
    const node = {
      type: 'object',
      properties: { n: integer, s: string, next: { $ref: '#/$defs/node' } },
      required: ['n'],
    }
    const anyOf = Array.from({ length: 32 }, (_, at) => ({ ...node, title: String(at) }))
    const leaf = { n: '5', s: 'x'.repeat(100_000) }
    const input = { x: { n: '5', next: { n: '5', next: leaf } } }
    expect(ms(input, { ...of({ $ref: '#/$defs/node' }), $defs: { node: { anyOf } } })).toBeLessThan(5_000)
  })
})

it('nothing is read into a value after the work is used up', () => {
  const items = { type: 'object', properties: { n: integer }, required: ['n'] }
  const x = [...Array.from({ length: 100_000 }, () => ({ n: '5' })), { n: '5', m: 1 }]
  const { input } = fitToSchema({ input: { x } }, { ...of(list(items)), required: ['x'] })
  expect(Object.keys(input)).toEqual(['input'])
})
