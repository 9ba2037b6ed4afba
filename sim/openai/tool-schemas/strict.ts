// The rules for schemas with `strict: true`, with OpenAI's error texts.

import { isRecord, type Json } from '../../shape.ts'
import { type SchemaPath, schemasIn } from './visit.ts'

/** Keywords that strict schemas may not have. */
const UNSUPPORTED = [
  'allOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas', 'patternProperties', 'propertyNames',
  'unevaluatedProperties', 'minProperties', 'maxProperties', 'uniqueItems', 'contains', 'prefixItems', 'minLength', 'maxLength', 'default',
] // biome-ignore format: a list to be read as one
const FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']
const MOST_LEVELS = 10
const MOST_VALUES = 1_000

/** The text of the first problem; undefined if the schema can be strict. */
export function strictProblem(schema: unknown): string | undefined {
  if (!isRecord(schema) || schema.type !== 'object' || schema.anyOf !== undefined)
    return `schema must be a JSON Schema of 'type: "object"', got 'type: ${JSON.stringify(isRecord(schema) ? schema.type : schema) ?? 'None'}'.`
  let values = 0
  for (const [inner, path] of schemasIn(schema)) {
    const where = `In context=(${path.map((name) => `'${name}'`).join(', ')}${path.length === 1 ? ',' : ''})`
    const problem = isRecord(inner)
      ? (keywordProblem(inner) ?? objectProblem(inner))
      : booleanProblem(inner, path)
    if (problem !== undefined) return `${where}, ${problem}`
    const levels = levelsOf(path)
    if (levels > MOST_LEVELS) return `${levels} levels of nesting exceeds limit of ${MOST_LEVELS}.`
    values += isRecord(inner) && Array.isArray(inner.enum) ? inner.enum.length : 0
  }
  return values > MOST_VALUES ? `${values} enum values exceeds limit of ${MOST_VALUES}.` : undefined
}

function levelsOf(path: SchemaPath): number {
  let levels = 0
  for (let at = 0; at < path.length; at++) {
    if (path[at] === 'items' || path[at] === 'properties') levels++
    // After these comes a name of the client's choice, or a position.
    if (['properties', '$defs', 'definitions', 'anyOf'].includes(path[at] ?? '')) at++
  }
  return levels
}

function booleanProblem(schema: unknown, path: SchemaPath): string | undefined {
  return path.at(-1) === 'additionalProperties'
    ? undefined
    : `schema must be an object, got ${JSON.stringify(schema)}.`
}

function keywordProblem(schema: Json): string | undefined {
  const unsupported = UNSUPPORTED.find((name) => name in schema)
  if (unsupported !== undefined) return `'${unsupported}' is not permitted.`
  if (schema.$ref !== undefined) {
    const beside = Object.keys(schema).filter((name) => name !== '$ref')
    return beside.length > 0 ? `$ref cannot have keywords {'${beside.join("', '")}'}.` : undefined
  }
  if (schema.format !== undefined && !FORMATS.includes(String(schema.format)))
    return `'${schema.format}' is not a valid format.`
  if (/\(\?|\\p/.test(String(schema.pattern ?? ''))) return `'pattern' is not supported: ${schema.pattern}.`
  if (['type', 'anyOf', 'enum', 'const'].every((name) => schema[name] === undefined))
    return "schema must have a 'type' key."
  if ([schema.type].flat().includes('array') && !isRecord(schema.items)) return 'array schema missing items.'
  return undefined
}

function objectProblem(schema: Json): string | undefined {
  if (![schema.type].flat().includes('object') && !isRecord(schema.properties)) return undefined
  if (schema.additionalProperties !== false)
    return "'additionalProperties' is required to be supplied and to be false."
  const names = Object.keys(isRecord(schema.properties) ? schema.properties : {})
  const required = Array.isArray(schema.required) ? schema.required : []
  const missing = names.find((name) => !required.includes(name))
  if (missing !== undefined)
    return `'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`
  const extra = required.find((name) => !names.includes(name))
  return extra === undefined
    ? undefined
    : `'required' is required to be supplied and to be an array including every key in properties. Extra required key '${extra}' supplied.`
}
