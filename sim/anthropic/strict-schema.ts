// JSON Schema keywords that strict tools and output_config.format do not support.

import { isRecord } from '../shape.ts'

/** Keyword → the JSON type in its error text. */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  minimum: 'integer',
  maximum: 'integer',
  exclusiveMinimum: 'integer',
  exclusiveMaximum: 'integer',
  multipleOf: 'integer',
  minLength: 'string',
  maxLength: 'string',
  maxItems: 'array',
  uniqueItems: 'array',
  contains: 'array',
  prefixItems: 'array',
  minProperties: 'object',
  maxProperties: 'object',
  patternProperties: 'object',
  propertyNames: 'object',
  dependentRequired: 'object',
  dependentSchemas: 'object',
  unevaluatedProperties: 'object',
}
const UNSUPPORTED_ANYWHERE = ['oneOf', 'if', 'then', 'else', 'not']

/** The error text for the first problem. */
export function findUnsupportedKeyword(schema: unknown): string | undefined {
  if (!isRecord(schema)) return undefined
  for (const key of Object.keys(schema)) {
    const type = UNSUPPORTED[key]
    if (type) return `For '${type}' type, property '${key}' is not supported`
    if (UNSUPPORTED_ANYWHERE.includes(key)) return `Schema keyword '${key}' is not supported`
  }
  if (schema.type === 'object' && schema.additionalProperties !== false) {
    return "For 'object' type, 'additionalProperties' must be explicitly set to false"
  }
  return subschemas(schema)
    .map(findUnsupportedKeyword)
    .find((problem) => problem !== undefined)
}

function subschemas(schema: Record<string, unknown>): unknown[] {
  const maps = [schema.properties, schema.$defs, schema.definitions].filter(isRecord)
  const lists = [schema.anyOf, schema.allOf].filter(Array.isArray)
  return [...maps.flatMap((map) => Object.values(map)), ...lists.flat(), schema.items]
}
