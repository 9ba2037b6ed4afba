// Schemas of a request → JSON Schema. `parameters` and `responseSchema` are OpenAPI's subset as a proto message: types in upper case,
// `nullable`, whole numbers as text. The fields for JSON Schema take it as it is; Gemini CLI writes upper-case types there, too.

import { isObject } from '../../base/json.ts'
import type { Fields } from '../requests/decode.ts'
import { camelCase } from './member.ts'

type Schema = Record<string, unknown>
type Convert = (schema: Fields) => Schema

const typeNames = new Set(['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL'])
const plainType = (type: unknown) =>
  typeof type === 'string' && typeNames.has(type) ? type.toLowerCase() : type

const maps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'defs', 'dependentSchemas'])
const lists = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
const singles = new Set([
  'items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames', 'unevaluatedProperties',
]) // biome-ignore format: a list to be read as one

/** The value of a keyword, with every schema inside it converted. */
function inner(keyword: string, value: unknown, convert: Convert): unknown {
  const one = (schema: unknown) => (isObject(schema) ? convert(schema) : schema)
  if (maps.has(keyword) && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, one(schema)]))
  if (lists.has(keyword) && Array.isArray(value)) return value.map(one)
  if (singles.has(keyword)) return Array.isArray(value) ? value.map(one) : one(value)
  return value
}

/** The schema itself, apart from the spelling of types. */
export const fromJsonSchema: Convert = (schema) =>
  isPlain(schema)
    ? (schema as Schema)
    : Object.fromEntries(
        Object.entries(schema).map(([keyword, value]) => [
          keyword,
          keyword === 'type' ? typesOf(value) : inner(keyword, value, fromJsonSchema),
        ]),
      )

const typesOf = (type: unknown) => (Array.isArray(type) ? type.map(plainType) : plainType(type))

/** No type is in upper case, here or deeper: most schemas stay the object that came, with the spelling of their numbers. */
function isPlain(schema: Fields): boolean {
  if (typesOf(schema.type) !== schema.type && !isSameList(schema.type)) return false
  let plain = true
  const look: Convert = (deeper) => {
    plain &&= isPlain(deeper)
    return {}
  }
  for (const [keyword, value] of Object.entries(schema)) if (plain) inner(keyword, value, look)
  return plain
}

const isSameList = (type: unknown) => Array.isArray(type) && type.every((each) => plainType(each) === each)

/** Members of the proto message without a counterpart. */
const dropped = new Set(['nullable', 'propertyOrdering', 'example'])
const counts = new Set(['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'])

export const fromOpenApiSchema: Convert = (schema) => {
  const out: Schema = {}
  for (const [given, value] of Object.entries(schema)) {
    const keyword = keywordOf(given)
    if (dropped.has(keyword) || value === undefined || value === null) continue
    if (keyword === 'type') {
      if (value !== 'TYPE_UNSPECIFIED') out.type = typesOf(value)
    } else if (counts.has(keyword)) out[keyword] = wholeNumber(value)
    // The proto form has a format for lists of words; JSON Schema has none.
    else if (keyword === 'format' && value === 'enum') continue
    else out[keyword] = inner(keyword, value, fromOpenApiSchema)
  }
  return schema.nullable === true ? withNull(out) : out
}

const renamed = new Map([['defs', '$defs'], ['ref', '$ref']]) // biome-ignore format: a list to be read as one

function keywordOf(name: string): string {
  const keyword = camelCase(name)
  return renamed.get(keyword) ?? keyword
}

/** Whole numbers of 64 bits are text in proto3 JSON. */
const wholeNumber = (value: unknown) =>
  typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value

function withNull(schema: Schema): Schema {
  const { type, anyOf, enum: words } = schema
  const listed = Array.isArray(words) && !words.includes(null) ? { enum: [...words, null] } : {}
  if (typeof type === 'string') return { ...schema, ...listed, type: type === 'null' ? type : [type, 'null'] }
  if (Array.isArray(type))
    return { ...schema, ...listed, type: type.includes('null') ? type : [...type, 'null'] }
  return Array.isArray(anyOf)
    ? { ...schema, ...listed, anyOf: [...anyOf, { type: 'null' }] }
    : { ...schema, ...listed }
}
