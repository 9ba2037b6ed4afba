// Schemas of tools, each with arguments that fit it by construction.

import fc from 'fast-check'
import { Literal } from '../fuzz/json-style.ts'

type Schema = Record<string, unknown>

interface Fitting {
  schema: Schema
  value: unknown
}

/** Names that are spelt much like each other, or like members that mean something. */
const names = [
  'path',
  'file_path',
  'filePath',
  'input',
  'arguments',
  'parameters',
  'name',
  'type',
  'a',
  'A',
  '__proto__',
  'constructor',
]

/** Text that could be something else. */
const text = fc.oneof(
  fc.constantFrom(
    '5',
    '1.0',
    'true',
    'null',
    '',
    '[]',
    '["a"]',
    '{"a": 1}',
    'a, b',
    'a\nb',
    'Asc',
    '"quoted"',
    '</tool_call>',
    '\n</tool_call>\n',
    'é🙂',
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
)

/** As JSON spells numbers. */
const spelt = fc.constantFrom(
  '1.0',
  '1e2',
  '-0',
  '0.10',
  '9007199254740993',
  '1E400',
  '0.1000000000000000055',
)
const whole = fc.oneof(
  fc.integer(),
  fc.constantFrom('5.0', '1234567890123456789').map((number) => new Literal(number)),
)
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  spelt.map((one) => new Literal(one)),
)

const of = (type: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<Fitting> =>
  value.map((one) => ({ schema: { type }, value: one }))

const scalar: fc.Arbitrary<Fitting> = fc.oneof(
  of('string', text),
  of('integer', whole),
  of('number', number),
  of('boolean', fc.boolean()),
  of('null', fc.constant(null)),
  text.map((value) => ({ schema: { enum: [value, `${value}!`, value.toUpperCase()] }, value })),
  text.map((value) => ({ schema: { const: value }, value })),
  text.map((value) => ({ schema: { type: ['string', 'null'] }, value })),
  fc
    .integer({ min: -50, max: 50 })
    .map((value) => ({ schema: { type: 'integer', minimum: value, maximum: value }, value })),
  text.map((value) => ({
    schema: { type: 'string', minLength: [...value].length, maxLength: [...value].length },
    value,
  })),
  fc.oneof(text, fc.integer(), fc.boolean()).map((value) => ({ schema: {}, value })),
)

const unlike: readonly Schema[] = [
  { type: 'object', required: ['never'] },
  { type: 'array', minItems: 99 },
  { type: 'null' },
]

const { fitting } = fc.letrec<{ fitting: Fitting; list: Fitting; object: Fitting; union: Fitting }>(
  (tie) => ({
    fitting: fc.oneof({ maxDepth: 3 }, scalar, tie('list'), tie('object'), tie('union')),
    list: fc.oneof(
      fc.array(tie('fitting') as fc.Arbitrary<Fitting>, { maxLength: 3 }).map((all) => ({
        schema: { type: 'array', prefixItems: all.map(({ schema }) => schema), minItems: all.length },
        value: all.map(({ value }) => value),
      })),
      (tie('fitting') as fc.Arbitrary<Fitting>).map(({ schema, value }) => ({
        schema: { type: 'array', items: schema },
        value: [value, value],
      })),
    ),
    object: objectOf(tie('fitting') as fc.Arbitrary<Fitting>),
    union: fc
      .tuple(tie('fitting') as fc.Arbitrary<Fitting>, fc.shuffledSubarray([...unlike]), fc.boolean())
      .map(([{ schema, value }, others, first]) => ({
        schema: { anyOf: first ? [schema, ...others] : [...others, schema] },
        value,
      })),
  }),
)

function objectOf(member: fc.Arbitrary<Fitting>): fc.Arbitrary<Fitting> {
  const members = fc.uniqueArray(fc.tuple(fc.constantFrom(...names), member, fc.boolean()), {
    maxLength: 4,
    selector: ([name]) => name,
  })
  const shape = fc.record({
    members,
    absent: fc.subarray(['optional', 'file-path', 'Input']),
    closed: fc.boolean(),
    extra: fc.boolean(),
  })
  return shape.map(({ members: all, absent, closed, extra }) => {
    const own = all.map(([name, { schema }]): [string, unknown] => [name, schema])
    const value = all.map(([name, { value: one }]): [string, unknown] => [name, one])
    const more: [string, unknown][] =
      extra && !closed
        ? [
            ['novel', '5'],
            ['nothing', null],
          ]
        : []
    return {
      schema: {
        type: 'object',
        properties: Object.fromEntries([
          ...own,
          ...absent.map((name): [string, unknown] => [name, { type: 'string' }]),
        ]),
        required: all.filter(([, , required]) => required).map(([name]) => name),
        ...(closed ? { additionalProperties: false } : {}),
      },
      value: Object.fromEntries([...value, ...more]),
    }
  })
}

export const fittingCall: fc.Arbitrary<Fitting> = objectOf(fitting)
