import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../../../test/fuzz/any-character.ts'
import { fuzz } from '../../../test/fuzz/settings.ts'
import { SchemaChecker } from '../../base/json-schema/check.ts'
import { readTextValue } from './text-value.ts'

const read = (raw: string, schema: unknown) => {
  const { value, change } = readTextValue(raw, schema)
  return change === undefined ? { value } : { value, change }
}
const string = { type: 'string' }
const integer = { type: 'integer' }
const boolean = { type: 'boolean' }
const none = { type: 'null' }
const object = { type: 'object' }
const array = { type: 'array' }
const either = (...schemas: unknown[]) => ({ anyOf: schemas })

describe('strings are unchanged', () => {
  const texts = [
    '',
    ' ',
    '    def f():\n        return 1\n',
    '\n\n',
    '007',
    '5',
    'true',
    'null',
    'None',
    '{"a":1}',
    '"quoted"',
    '"\\C|\\."',
    '&lt;b&gt; \\n',
    '\r\n',
  ]
  it.each(texts)('%j', (text) => {
    expect(read(text, string)).toEqual({ value: text })
    expect(read(text, { $ref: '#/$defs/s', $defs: { s: string } })).toEqual({ value: text })
  })

  it('a string outside its enum is left to the client', () => {
    expect(read('kelvin', { ...string, enum: ['celsius'] })).toEqual({ value: 'kelvin' })
  })

  it('an enum value loses quotes and white space around it', () => {
    const unit = { ...string, enum: ['celsius', '"k"'] }
    expect(read('"celsius"', unit)).toEqual({ value: 'celsius', change: 'quotes around a value' })
    expect(read(' celsius\n', unit)).toEqual({ value: 'celsius', change: 'white space around a value' })
    expect(read('"k"', unit)).toEqual({ value: '"k"' })
  })
})

describe('other types are JSON', () => {
  it.each<[string, unknown, unknown]>([
    ['5', integer, 5],
    [' 5\n', integer, 5],
    ['3.0', { type: 'number' }, 3],
    ['3.14', { type: 'float' }, 3.14],
    ['true', boolean, true],
    ['null', none, null],
    ['null', { type: ['integer', 'null'] }, null],
    ['5', either(integer, none), 5],
    ['{"a": 1,\n "b": 2}', object, { a: 1, b: 2 }],
    ['[]', array, []],
    ['["x"]', array, ['x']],
    ['["x"]', either(either(none, { type: 'array', items: {} }), none), ['x']],
    ['{"k":"v"}', { properties: { k: string } }, { k: 'v' }],
    ['1', { enum: [1, 2] }, 1],
    // The right type, but not valid: the client reports it.
    ['3.7', integer, 3.7],
    ['9', { type: 'integer', enum: [1, 2] }, 9],
    ['[1,"x"]', { type: 'array', items: integer }, [1, 'x']],
  ])('%j for %j', (text, schema, value) => {
    expect(read(text, schema)).toEqual({ value })
  })

  it('large numbers keep their digits', () => {
    expect(readTextValue(' 12345678901234567890\n', integer).json).toBe('12345678901234567890')
    expect(readTextValue('1.0', { type: 'number' }).json).toBe('1.0')
    expect(readTextValue('[1.0]', {}).json).toBe('[1.0]')
  })
})

describe('or sloppy JSON', () => {
  it.each<[string, unknown, unknown, string]>([
    ['True', boolean, true, 'True for true'],
    ['None', { type: ['integer', 'null'] }, null, 'None for null'],
    ["{'k': 'v'}", object, { k: 'v' }, 'single-quoted strings'],
    ['[1, 2,]', array, [1, 2], 'trailing commas'],
    ['[{"a":"b"', array, [{ a: 'b' }], 'missing closing brackets'],
    ['[{\\"id\\": \\"1\\"}]', array, [{ id: '1' }], 'escaped JSON text'],
    ['[{\\"p\\": \\"C:\\\\\\\\x\\"}]', array, [{ p: 'C:\\x' }], 'escaped JSON text'],
    ['"5"', integer, 5, 'quotes around a value'],
    ['"[1]"', array, [1], 'quotes around a value'],
    ['"True"', boolean, true, 'quotes around a value, True for true'],
  ])('%j for %j', (text, schema, value, change) => {
    expect(read(text, schema)).toEqual({ value, change })
  })

  it.each<[string, unknown]>([
    ['abc', integer],
    ['', integer],
    ['007', integer],
    ['yes', boolean],
    ['null', integer],
    ['5', object],
    ['[1', array],
    ['{"a": x}', object],
    ['{"a":1} and more', object],
    ['1e999', integer],
    ['['.repeat(200) + ']'.repeat(200), array],
  ])('%j for %j is left to the client', (text, schema) => {
    expect(read(text, schema)).toEqual({ value: text })
  })
})

describe('a string among several types', () => {
  it.each<[string, unknown, unknown]>([
    ['null', either(string, none), null],
    ['null', { type: ['null', 'string'] }, null],
    ['null', { type: 'string', nullable: true }, null],
    ['None', either(string, none), 'None'],
    ['hello', either(string, integer, none), 'hello'],
    ['5', either(string, integer), 5],
    ['5', either(string, none), '5'],
    ['007', either(string, integer), '007'],
    ['True', either(string, boolean), 'True'],
    ['["a"]', either(string, array), ['a']],
    ["['a']", either(string, array), "['a']"],
    ['"a"', either(string, array), '"a"'],
    ['{"a":1}', either(string, { type: 'object', required: ['b'] }), '{"a":1}'],
    ['5', { enum: ['5', 6] }, '5'],
    ['12345678901234567890', either(string, integer), '12345678901234567890'],
  ])('%j for %j', (text, schema, value) => {
    expect(read(text, schema)).toEqual({ value })
  })
})

describe('without a type', () => {
  it.each<[string, unknown]>([
    ['{"a": 1}', { a: 1 }],
    ['\n[1]\n', [1]],
    ['5', '5'],
    ['true', 'true'],
    ['null', 'null'],
    ['"x"', '"x"'],
    ["{'a': 1}", "{'a': 1}"],
    ['[x] done', '[x] done'],
    [' text ', ' text '],
  ])('%j', (text, value) => {
    for (const schema of [
      undefined,
      {},
      true,
      { description: 'a value' },
      { type: 'any' },
      either(string, {}),
    ])
      expect(read(text, schema)).toEqual({ value })
  })
})

it('a reference is resolved in the whole schema', () => {
  const root = { $defs: { n: integer }, properties: { x: { $ref: '#/$defs/n' } } }
  expect(readTextValue('5', root.properties.x, new SchemaChecker(root)).value).toBe(5)
  expect(readTextValue('5', root.properties.x).value).toBe('5')
})

it('any value is restored from its text by the schema of its type', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: anyCharacter }), fc.jsonValue({ maxDepth: 3 })), (given) => {
      const value = JSON.parse(JSON.stringify(given)) as unknown
      const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      expect(readTextValue(text, { type })).toMatchObject({ value })
      expect(readTextValue(text, { type }).change).toBeUndefined()
    }),
    fuzz,
  )
})
