// Kinds of JSON Schema keywords.

import { copySpelling } from '../../base/exact-json.ts'
import { type Fields, isObject } from '../../base/json.ts'

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '))

/** Keywords that constrain nothing. */
export const annotations = set(
  'description title default examples example deprecated readOnly writeOnly $schema $id $comment $anchor',
)

/** Keywords whose members have names of the client's choice. */
const maps = set('properties patternProperties $defs definitions dependentSchemas')
/** Keywords that hold values, not schemas. */
const values = set('const default enum examples example required dependentRequired')

/** The keywords that apply to values of one type alone. */
const typed = new Map<string, ReadonlySet<string>>([
  [
    'object',
    set(
      'properties required additionalProperties patternProperties propertyNames minProperties maxProperties',
    ),
  ],
  [
    'array',
    set('items prefixItems additionalItems minItems maxItems uniqueItems contains minContains maxContains'),
  ],
  ['string', set('minLength maxLength pattern format')],
  ['number', set('minimum maximum exclusiveMinimum exclusiveMaximum multipleOf')],
])

const typedKeywords = new Set([...typed.values()].flatMap((keywords) => [...keywords]))

/** False for a keyword of another type. */
export const isFor = (type: unknown, keyword: string): boolean =>
  !typedKeywords.has(keyword) ||
  typed.get(type === 'integer' ? 'number' : String(type))?.has(keyword) === true

export const without = (schema: Fields, ...keywords: readonly string[]): Fields =>
  copySpelling(
    schema,
    Object.fromEntries(Object.entries(schema).filter(([name]) => !keywords.includes(name))),
  )

export const isRemark = (keyword: string): boolean => annotations.has(keyword) || keyword.startsWith('x-')

/** The schemas directly inside a schema. */
export function* innerSchemas(schema: Fields): Generator<Fields> {
  for (const [keyword, value] of Object.entries(schema)) {
    if (values.has(keyword)) continue
    const inner = maps.has(keyword) && isObject(value) ? Object.values(value) : [value].flat()
    for (const one of inner) if (isObject(one)) yield one
  }
}

/** True for values that are written the same. */
export const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other)

export const textsOf = (list: unknown): string[] =>
  Array.isArray(list) ? list.filter((name) => typeof name === 'string') : []

export const membersOf = (value: unknown): [string, unknown][] =>
  isObject(value) ? Object.entries(value) : []
