// The rules for schemas with `strict: true`, with the service's error texts.

import { isRecord } from '../../shape.ts'

/** Keywords that strict schemas may not have. */
const UNSUPPORTED = [
  'allOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas', 'patternProperties', 'propertyNames',
  'unevaluatedProperties', 'minProperties', 'maxProperties', 'uniqueItems', 'contains', 'prefixItems',
] // biome-ignore format: a list to be read as one

/** The text of the first problem; undefined if the schema can be strict. */
export function strictProblem(schema: unknown, context: readonly string[] = []): string | undefined {
  if (!isRecord(schema)) return undefined
  const where = `In context=(${context.map((name) => `'${name}'`).join(', ')}${context.length === 1 ? ',' : ''})`
  const unsupported = UNSUPPORTED.find((name) => name in schema)
  if (unsupported !== undefined) return `${where}, '${unsupported}' is not permitted.`
  if (schema.type === 'object' || isRecord(schema.properties)) {
    if (schema.additionalProperties !== false)
      return `${where}, 'additionalProperties' is required to be supplied and to be false.`
    const names = Object.keys(isRecord(schema.properties) ? schema.properties : {})
    const required = Array.isArray(schema.required) ? schema.required : []
    const missing = names.find((name) => !required.includes(name))
    if (missing !== undefined)
      return `${where}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`
  }
  return innerSchemas(schema)
    .map(([names, inner]) => strictProblem(inner, [...context, ...names]))
    .find((problem) => problem !== undefined)
}

function innerSchemas(schema: Record<string, unknown>): [string[], unknown][] {
  const maps = ['properties', '$defs', 'definitions'].flatMap((keyword) =>
    Object.entries(isRecord(schema[keyword]) ? schema[keyword] : {}).map(
      ([name, inner]): [string[], unknown] => [[keyword, name], inner],
    ),
  )
  const variants = Array.isArray(schema.anyOf) ? schema.anyOf : []
  return [
    ...maps,
    ...variants.map((inner, at): [string[], unknown] => [['anyOf', String(at)], inner]),
    [['items'], schema.items],
  ]
}
