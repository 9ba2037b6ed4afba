import { describe, expect, it } from 'vitest'
import { editJson, jsonValue } from './json-edit.ts'
import { CannotEdit } from './plan.ts'

const set = (text: string, path: (string | number)[], value: unknown) => editJson(text, [{ path, value }])

describe('editJson', () => {
  it('creates a new text', () => {
    expect(set('', ['env', 'A'], '1')).toBe('{\n  "env": {\n    "A": "1"\n  }\n}\n')
    expect(set(' \n', ['a'], 1)).toBe('{\n  "a": 1\n}\n')
  })

  it('keeps comments, indentation, line ends and a byte order mark', () => {
    const text = '\uFEFF{\r\n\t// mine\r\n\t"a": 1, /* too */\r\n\t"env": { "B": "2" }\r\n}\r\n'
    const after = set(text, ['env', 'A'], '1')
    expect(after).toContain('// mine\r\n\t"a": 1, /* too */')
    expect(after.startsWith('\uFEFF{\r\n')).toBe(true)
    expect(after).not.toMatch(/[^\r]\n/)
    expect(jsonValue(after, ['env'])).toEqual({ B: '2', A: '1' })
  })

  it('replaces a value and nothing else', () => {
    expect(set('{ "a": /* x */ 1 /* y */, "b": [1,2] }', ['a'], 2)).toBe(
      '{ "a": /* x */ 2 /* y */, "b": [1,2] }',
    )
  })

  it('changes nothing if the value is set already', () => {
    const text = '{"a":{"b" : [ 1 ]}}'
    expect(set(text, ['a', 'b'], [1])).toBe(text)
  })

  it.each([
    ['{\n  "a": { "b": 1 } // about a\n}\n', '{\n  "a": { "b": 1 }, // about a\n  "c": 2\n}\n'],
    ['{\n  "a": 1, // x\n}', '{\n  "a": 1, // x\n  "c": 2,\n}'],
    ['{\n\t"a": 1 /* x */\n\t// end\n}', '{\n\t"a": 1, /* x */\n\t"c": 2\n\t// end\n}'],
    ['{ "a": 1 }', '{ "a": 1, "c": 2 }'],
    ['{"a":1}', '{"a":1, "c": 2}'],
    ['{ // nothing\n}', '{ // nothing\n  "c": 2\n}'],
    ['{}', '{\n  "c": 2\n}'],
    ['{\n  "a": 1 // x, y\n}', '{\n  "a": 1, // x, y\n  "c": 2\n}'],
    ['{\n  "a": 1 /* x, */ // y,\n}', '{\n  "a": 1, /* x, */ // y,\n  "c": 2\n}'],
    [`{\n  "a": 1\n  ${'/'.repeat(60)}\n}`, `{\n  "a": 1,\n  "c": 2\n  ${'/'.repeat(60)}\n}`],
  ])('adds to %j and lays nothing out anew', (text, expected) => {
    expect(set(text, ['c'], 2)).toBe(expected)
  })

  it('accepts trailing commas', () => {
    expect(jsonValue(set('{\n  "a": 1,\n}\n', ['b'], 2), ['b'])).toBe(2)
    expect(jsonValue(set('{"l":[1,],}', ['a'], 2), ['l'])).toEqual([1])
  })

  it('appends to a list or creates one', () => {
    const append = (text: string) => editJson(text, [{ path: ['l'], value: 'x', append: true }])
    expect(jsonValue(append('{ "l": ["a" /* first */] }'), ['l'])).toEqual(['a', 'x'])
    expect(append('{ "l": ["a" /* first */] }')).toContain('/* first */')
    expect(jsonValue(append('{ "l": [] }'), ['l'])).toEqual(['x'])
    expect(jsonValue(append('{}'), ['l'])).toEqual(['x'])
  })

  it('writes a value on one line on request', () => {
    const value = { a: 1, b: { c: 'x' } }
    const two = ['x', 'y'].map((name) => ({ path: ['m', name], value, oneLine: true }))
    expect(editJson('', two)).toBe(
      '{\n  "m": {\n    "x": { "a": 1, "b": { "c": "x" } },\n    "y": { "a": 1, "b": { "c": "x" } }\n  }\n}\n',
    )
  })

  it.each([
    ['{ "a": 1', 'line 1 is not valid JSON (a } is missing)'],
    ['{\n"a": 1 "b": 2 }', 'line 2 is not valid JSON'],
    ['[]', 'not a JSON object'],
    ['"text"', 'not a JSON object'],
    ['{"env":"text"}', '"env" is not an object'],
    ['{"env":[]}', '"env" is not an object'],
    ['{"env":{"A":1,"A":2}}', '"env.A" stands there twice'],
    ['{"env":{},"env":{}}', '"env" stands there twice'],
    ['{"env":{"A":{}}}', '"env.A" is not a string'],
    ['{"env":{"A":null}}', '"env.A" is not a string'],
    ['{} {}', 'not valid JSON'],
  ])('refuses %s', (text, reason) => {
    expect(() => set(text, ['env', 'A'], '1')).toThrow(CannotEdit)
    expect(() => set(text, ['env', 'A'], '1')).toThrow(reason)
  })

  it('handles names of Object.prototype', () => {
    const text = '{\n  "__proto__": { "x": 1 },\n  "constructor": 2\n}'
    expect(set(text, ['a'], 1)).toBe(text.replace('2\n', '2,\n  "a": 1\n'))
  })
})
