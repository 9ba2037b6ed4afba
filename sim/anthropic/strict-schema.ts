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
const FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid']

/** The limits for all strict tools of a request. */
const MOST = { tools: 20, optional: 24, unions: 16 }

/** The error text for a request over one of the limits. */
export function findStrictExcess(schemas: readonly unknown[]): string | undefined {
  if (schemas.length > MOST.tools)
    return `Too many strict tools (${schemas.length}). The maximum number of strict tools supported is ${MOST.tools}. Try reducing the number of tools marked as strict.`
  const count = { optional: 0, unions: 0 }
  for (const schema of schemas) countParameters(schema, count)
  if (count.optional > MOST.optional)
    return `Schemas contains too many optional parameters (${count.optional}), which would make grammar compilation inefficient. Reduce the number of optional parameters in your tool schemas (limit: ${MOST.optional}).`
  if (count.unions > MOST.unions)
    return `Schemas contains too many union parameters (${count.unions}), which would cause exponential compilation cost. Reduce the number of nullable or union-typed parameters (limit: ${MOST.unions} parameters with unions).`
  return undefined
}

function countParameters(schema: unknown, count: { optional: number; unions: number }): void {
  if (!isRecord(schema)) return
  const required = Array.isArray(schema.required) ? schema.required : []
  for (const [name, property] of Object.entries(isRecord(schema.properties) ? schema.properties : {})) {
    if (!required.includes(name)) count.optional++
    if (isRecord(property) && (Array.isArray(property.type) || property.anyOf !== undefined)) count.unions++
  }
  for (const inner of subschemas(schema)) countParameters(inner, count)
}

/** The error text for the first problem. */
export function findUnsupportedKeyword(schema: unknown): string | undefined {
  if (!isRecord(schema)) return undefined
  for (const key of Object.keys(schema)) {
    const type = UNSUPPORTED[key]
    if (type) return `For '${type}' type, property '${key}' is not supported`
    if (UNSUPPORTED_ANYWHERE.includes(key)) return `Schema keyword '${key}' is not supported`
  }
  if (Number(schema.minItems ?? 0) > 1)
    return `For 'array' type, 'minItems' values other than 0 or 1 are not supported`
  if (Array.isArray(schema.items)) return `For 'array' type, 'items' must be an object`
  if (schema.format !== undefined && !FORMATS.includes(String(schema.format)))
    return `Schema keyword 'format' has an unsupported value: ${schema.format}`
  if ([schema.type].flat().includes('object') && schema.additionalProperties !== false) {
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
