// JSON Schemas in the form of the Messages API.

import { copySpelling, writeMember } from '../../base/exact-json.ts'
import { isObject } from '../../base/json.ts'

type Schema = Record<string, unknown>

/**
 * A tool's schema must have `type: "object"` and no choice at the top. A top-level anyOf/oneOf/allOf of objects becomes one object:
 * with the properties of all branches, and required what every branch (allOf: any branch) requires.
 */
export function toInputSchema(given: Schema): Schema {
  const schema = toDraft2020(given) as Schema
  if (![schema.anyOf, schema.oneOf, schema.allOf].some(Array.isArray))
    return schema.type === 'object' ? schema : { ...schema, type: 'object' }
  const { anyOf, oneOf, allOf, ...rest } = schema
  const branches = [anyOf, oneOf, allOf].find((value) => Array.isArray(value)) as unknown[]
  const objects = branches.filter(isObject)
  const requiredOf = (branch: Schema) => (Array.isArray(branch.required) ? (branch.required as string[]) : [])
  const every = Array.isArray(allOf) ? objects.flatMap(requiredOf) : inAll(objects.map(requiredOf))
  const required = [...new Set([...requiredOf(rest), ...every])]
  const properties = Object.fromEntries(
    [...objects, rest].flatMap((branch) =>
      Object.entries(isObject(branch.properties) ? branch.properties : {}),
    ),
  )
  return { ...rest, type: 'object', properties, ...(required.length > 0 ? { required } : {}) }
}

function inAll([first = [], ...others]: readonly (readonly string[])[]): string[] {
  const sets = others.map((names) => new Set(names))
  return first.filter((name) => sets.every((names) => names.has(name)))
}

/**
 * The API checks schemas by draft 2020-12, where two forms of earlier drafts are errors: a list as `items`, and
 * `exclusiveMinimum: true` beside `minimum`. Returns the same value if nothing changes.
 */
function toDraft2020(value: unknown): unknown {
  if (Array.isArray(value)) return mapped(value, toDraft2020)
  if (!isObject(value)) return value
  const schema = mappedValues(value, keywordToDraft2020)
  if (!isOldSchema(schema)) return schema
  const { items, additionalItems, minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...rest } = schema
  return {
    ...rest,
    ...(Array.isArray(items)
      ? { prefixItems: items, ...(additionalItems === undefined ? {} : { items: additionalItems }) }
      : items === undefined
        ? {}
        : { items }),
    ...bound('minimum', 'exclusiveMinimum', minimum, exclusiveMinimum),
    ...bound('maximum', 'exclusiveMaximum', maximum, exclusiveMaximum),
  }
}

function keywordToDraft2020(value: unknown, keyword: string): unknown {
  // Fast exit: most values are strings and numbers.
  if (typeof value !== 'object' || dataKeywords.has(keyword)) return value
  return mapKeywords.has(keyword) && isObject(value) ? mappedValues(value, toDraft2020) : toDraft2020(value)
}

/** Keywords whose value is data, not a schema. */
const dataKeywords = new Set(['const', 'default', 'enum', 'example', 'examples', 'required'])
/** Keywords whose value maps client-chosen names to schemas. */
const mapKeywords = new Set(['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties'])

const isOldSchema = ({ items, exclusiveMinimum, exclusiveMaximum }: Schema) =>
  Array.isArray(items) || typeof exclusiveMinimum === 'boolean' || typeof exclusiveMaximum === 'boolean'

function bound(name: string, exclusiveName: string, limit: unknown, exclusive: unknown): Schema {
  if (exclusive === true) return limit === undefined ? {} : { [exclusiveName]: limit }
  const kept = exclusive === undefined || exclusive === false ? {} : { [exclusiveName]: exclusive }
  return limit === undefined ? kept : { [name]: limit, ...kept }
}

/** Returns the same object if nothing in it changes. */
function mappedValues(object: Schema, map: (value: unknown, key: string) => unknown): Schema {
  let changed: Map<string, unknown> | undefined
  for (const key of Object.keys(object)) {
    const value = map(object[key], key)
    if (value === object[key]) continue
    changed ??= new Map(Object.entries(object))
    changed.set(key, value)
  }
  return changed ? copySpelling(object, Object.fromEntries(changed)) : object
}

function mapped<T>(values: readonly T[], map: (value: T) => unknown): readonly unknown[] {
  const made = values.map(map)
  return made.some((value, at) => value !== values[at]) ? copySpelling(values, made) : values
}

/** Keywords that structured output enforces, besides sub-schemas. All others are added to the description. */
const enforced = new Set(['type', 'enum', 'const', 'default', 'format', 'title', 'description', 'required'])
const meaningless = new Set(['$schema', '$id', '$comment', '$defs', 'definitions', 'additionalProperties'])

const maxDefinitions = 1_000

/**
 * A schema for `output_config.format`: closed objects, only enforced keywords. References stay references: inlining them can turn a
 * small schema into a huge one. Undefined if the API does not take it: recursive or external references.
 */
export function toOutputSchema(schema: Schema): Schema | undefined {
  const { $defs, definitions, ...root } = schema
  const named = new Map(Object.entries({ ...asSchema(definitions), ...asSchema($defs) }))
  if (named.size > maxDefinitions || !areResolvable(referencesOf(root), named)) return undefined
  if (named.size === 0) return lower(root)
  return {
    ...lower(root),
    $defs: Object.fromEntries([...named].map(([name, value]) => [name, lower(asSchema(value))])),
  }
}

const asSchema = (value: unknown): Schema => (isObject(value) ? value : {})

const nameOf = (reference: string) => /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(reference)?.[1]

function referencesOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : referencesOf(inner),
  )
}

function areResolvable(
  references: readonly string[],
  named: ReadonlyMap<string, unknown>,
  open = new Set<string>(),
  done = new Set<string>(),
): boolean {
  return references.every((reference) => {
    const name = nameOf(reference)
    if (name === undefined || !named.has(name) || open.has(name)) return false
    if (done.has(name)) return true
    open.add(name)
    const ends = areResolvable(referencesOf(named.get(name)), named, open, done)
    open.delete(name)
    done.add(name)
    return ends
  })
}

function lower(schema: Schema): Schema {
  if (typeof schema.$ref === 'string') return { $ref: `#/$defs/${nameOf(schema.$ref)}` }
  const out: Schema = copySpelling(schema, {})
  const said: string[] = []
  const each = (value: unknown) => lower(asSchema(value))
  for (const [key, value] of Object.entries(schema)) {
    if (enforced.has(key)) out[key] = value
    else if (key === 'properties') {
      out.properties = Object.fromEntries(
        Object.entries(asSchema(value)).map(([name, property]) => [name, each(property)]),
      )
    } else if ((key === 'anyOf' || key === 'oneOf' || key === 'allOf') && Array.isArray(value)) {
      out[key === 'oneOf' ? 'anyOf' : key] = value.map(each)
    } else if (key === 'items' && isObject(value)) out.items = each(value)
    else if (key === 'minItems' && (value === 0 || value === 1)) out.minItems = value
    else if (!meaningless.has(key)) said.push(`${key}: ${writeMember(schema, key, value)}`)
  }
  if ([out.type].flat().includes('object') || out.properties !== undefined) out.additionalProperties = false
  if (said.length > 0) out.description = [out.description, `(${said.join(', ')})`].filter(Boolean).join(' ')
  return out
}
