// Calls that fit and look odd. Not a byte of them may change.

import {
  boolean,
  callOf,
  integer,
  type Kind,
  listOf,
  number,
  objectOf,
  readCall,
  readFile,
  string,
  toolOf,
} from '../kind.ts'

const fits = (
  id: string,
  properties: Record<string, unknown>,
  input: string,
  more: Record<string, unknown> = {},
): Kind => ({
  id: `fits-${id}`,
  tools: [toolOf('use', objectOf(properties, [], more))],
  call: callOf('use', input),
  class: 'fits',
})

const depth = 40
const nested = { $defs: { node: objectOf({ next: { $ref: '#/$defs/node' } }, []) } }
const long = 'All work and no play. '.repeat(1_000)

export const fittingKinds: readonly Kind[] = [
  { id: 'fits-plain', tools: [readFile], call: readCall('{"path": "src/a.ts", "limit": 5}'), class: 'fits' },
  fits('digits-in-a-string', { version: string, code: string }, '{"version": "5", "code": "007"}'),
  fits('words-in-a-string', { answer: string, none: string }, '{"answer": "true", "none": "null"}'),
  fits('json-in-a-string', { content: string }, '{"content": "{\\"a\\": [1, 2]}"}'),
  fits('text-where-a-number-would-do', { value: { anyOf: [string, number] } }, '{"value": "5"}'),
  fits('text-where-a-list-would-do', { paths: { type: ['string', 'array'] } }, '{"paths": "[\\"a\\"]"}'),
  fits(
    'null-where-allowed',
    { a: { type: ['string', 'null'] }, b: { anyOf: [integer, { type: 'null' }] } },
    '{"a": null, "b": null}',
  ),
  fits('null-in-an-open-field', { a: string }, '{"a": "x", "novel": null}'),
  fits('fields-beyond-an-open-schema', { a: string }, '{"a": "x", "b": "5", "c": {"d": [null]}}'),
  fits('falsy-values', { a: string, b: integer, c: boolean }, '{"a": "", "b": 0, "c": false}', {
    required: ['a', 'b', 'c'],
  }),
  fits(
    'spelt-numbers',
    { n: listOf(number) },
    '{"n": [1.0, 1e2, -0, 0.10, 9007199254740993, 1E400, 0.1000000000000000055]}',
  ),
  fits('long-integers', { id: integer, other: integer }, '{"id": 1234567890123456789, "other": 5.0}'),
  fits('unicode', { text: string }, '{"text": "naïve 日本語 🙂 \\u00e9\\ud83d\\ude42 \\/ \\u2028 مرحبا"}'),
  fits('odd-spaces', { a: integer, b: listOf(integer) }, '{ "a" :\n 1 ,\t"b":[ 1,2 ] }'),
  fits('name-of-the-prototype', {}, '{"__proto__": {"a": 1}, "constructor": "x"}'),
  fits(
    'deep-nesting',
    { next: { $ref: '#/$defs/node' } },
    `${'{"next": '.repeat(depth)}{}${'}'.repeat(depth)}`,
    nested,
  ),
  fits('nothing-asked', {}, '{}'),
  fits('enum-of-two-cases', { order: { enum: ['asc', 'ASC'] } }, '{"order": "ASC"}'),
  fits(
    'keywords-of-its-own',
    { at: { type: 'string', format: 'date-time', 'x-order': 1, examples: ['5'] } },
    '{"at": "2026-11-16T00:00:00Z"}',
  ),
  fits('long-text', { content: string }, JSON.stringify({ content: long })),
  {
    id: 'fits-tool-without-schema',
    tools: [toolOf('free')],
    call: callOf('free', '{"a": "5", "b": null}'),
    class: 'fits',
  },
]
