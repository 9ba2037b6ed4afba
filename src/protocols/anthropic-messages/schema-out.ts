// JSON Schemas in the form that the Messages API takes.

import { isObject } from '../tool-input.ts'

type Schema = Record<string, unknown>

/**
 * A tool's schema must say `type: "object"` and may not be a choice at the top. A top-level anyOf/oneOf/allOf of objects
 * becomes one object: every property of every branch, required what every branch (allOf: any branch) requires.
 */
export function toInputSchema(schema: Schema): Schema {
  const { anyOf, oneOf, allOf, ...rest } = schema
  const branches = [anyOf, oneOf, allOf].find((value) => Array.isArray(value)) as unknown[] | undefined
  if (!branches) return schema.type === 'object' ? schema : { ...schema, type: 'object' }
  const objects = branches.filter(isObject)
  const requiredOf = (branch: Schema) => (Array.isArray(branch.required) ? (branch.required as string[]) : [])
  const every = Array.isArray(allOf)
    ? objects.flatMap(requiredOf)
    : (objects
        .map(requiredOf)
        .reduce<string[] | undefined>(
          (both, names) => both?.filter((name) => names.includes(name)) ?? names,
          undefined,
        ) ?? [])
  const required = [...new Set([...requiredOf(rest), ...every])]
  const properties = Object.assign(
    {},
    ...objects.map((branch) => branch.properties ?? {}),
    rest.properties ?? {},
  )
  return { ...rest, type: 'object', properties, ...(required.length > 0 ? { required } : {}) }
}

/** Keywords that structured output refuses; they are told to the model in words instead. */
const unenforced = new Set([
  'minItems', 'maxItems', 'uniqueItems', 'contains', 'minContains', 'maxContains', 'prefixItems', 'minimum', 'maximum',
  'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'minProperties', 'maxProperties',
  'patternProperties', 'propertyNames', 'dependentRequired', 'dependentSchemas', 'unevaluatedProperties',
  'unevaluatedItems', 'if', 'then', 'else', 'not', '$schema',
]) // biome-ignore format: a list to be read as one

const maxDepth = 32

/** A schema for `output_config.format`: closed objects, no refused keywords, references written out. */
export function toOutputSchema(schema: Schema): Schema {
  const definitions = { ...asSchema(schema.definitions), ...asSchema(schema.$defs) }
  return lower(schema, definitions, 0)
}

const asSchema = (value: unknown): Schema => (isObject(value) ? value : {})

function lower(schema: Schema, definitions: Schema, depth: number): Schema {
  if (depth > maxDepth) return {}
  if (typeof schema.$ref === 'string') {
    const target = definitions[schema.$ref.replace(/^#\/(\$defs|definitions)\//, '')]
    const { $ref: _, ...beside } = schema
    return lower({ ...asSchema(target), ...beside }, definitions, depth + 1)
  }
  const out: Schema = {}
  const said: string[] = []
  const each = (value: unknown) => lower(asSchema(value), definitions, depth + 1)
  for (const [key, value] of Object.entries(schema)) {
    if (key === '$defs' || key === 'definitions') continue
    if (unenforced.has(key)) {
      if (key !== '$schema') said.push(`${key}: ${JSON.stringify(value)}`)
    } else if (key === 'properties') {
      out.properties = Object.fromEntries(
        Object.entries(asSchema(value)).map(([name, property]) => [name, each(property)]),
      )
    } else if ((key === 'anyOf' || key === 'oneOf' || key === 'allOf') && Array.isArray(value)) {
      out[key === 'oneOf' ? 'anyOf' : key] = value.map(each)
    } else if (key === 'items' && isObject(value)) out.items = each(value)
    else out[key] = value
  }
  if (out.type === 'object' || out.properties !== undefined) out.additionalProperties = false
  if (said.length > 0) out.description = [out.description, `(${said.join(', ')})`].filter(Boolean).join(' ')
  return out
}
