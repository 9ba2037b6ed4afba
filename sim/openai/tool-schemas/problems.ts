// What single services refuse in the schemas of tools, in their own words.

import { isRecord, type Json } from '../../shape.ts'
import { firstProblem, hasRecursion, schemasIn, targetOf } from './visit.ts'

/** The text of the refusal; undefined for a schema that is taken. */
export type SchemaProblem = (schema: unknown, tool: string) => string | undefined

const isObjects = (schema: unknown, root: unknown): boolean => {
  const found = isRecord(schema) && schema.$ref !== undefined ? targetOf(schema.$ref, root) : schema
  return isRecord(found) && found.type === 'object'
}

export const xaiProblem: SchemaProblem = (root, tool) => {
  if (!isRecord(root)) return `${tool}: tool parameter root must be an object type`
  const union = [root.anyOf, root.oneOf].find(Array.isArray)
  if (union && !union.every((branch) => isObjects(branch, root)))
    return `${tool}: tool parameter root must be an object type (root schema is an anyOf/oneOf union with a non-object branch)`
  if (!union && !isObjects(root, root)) return `${tool}: tool parameter root must be an object type`
  for (const [inner, path] of schemasIn(root)) {
    const properties = isRecord(inner) && isRecord(inner.properties) ? inner.properties : {}
    const name = Object.keys(properties).find((key) => typeof properties[key] === 'boolean')
    if (name !== undefined)
      return `${tool}: boolean schemas are not supported (${[...path, 'properties', name].join('.')})`
  }
  if (hasRecursion(root)) return `${tool}: Recursive JSON schemas are not currently supported`
  return firstProblem(root, (schema, path) => {
    const where = `${tool}: ${path.join('.')}`
    if (Array.isArray(schema.items)) return `${where}: items must be a schema; use prefixItems`
    for (const list of ['enum', 'anyOf', 'oneOf'])
      if (Array.isArray(schema[list]) && schema[list].length === 0)
        return `${where}: ${list} must not be empty`
    const refused = ['minContains', 'maxContains'].find((name) => name in schema)
    if (refused !== undefined) return `${where}: ${refused} is not supported`
    const isLong = Number(schema.maxLength) > 2_048 || Number(schema.maxItems) > 256
    return isLong ? `${where}: the limit is too large` : undefined
  })
}

/** Moonshot's own flavour of JSON Schema. */
export const moonshotProblem: SchemaProblem = (root, tool) => {
  const refuse = (text: string) =>
    `Invalid request: tools.function.parameters is not a valid moonshot flavored json schema, details: <${tool}: ${text}>`
  if (!isRecord(root) || root.type !== 'object') return refuse("At path '': type must be object")
  return firstProblem(root, (schema, path) => {
    const where = `At path '${path.join('.')}'`
    const names = Object.keys(schema)
    if (schema.$ref !== undefined && names.length > 1)
      return refuse(`${where}: when using $ref, other keywords are not allowed`)
    if (Array.isArray(schema.items)) return refuse(`${where}: items must be an object`)
    if (schema.anyOf !== undefined && schema.type !== undefined)
      return refuse(
        `${where}: when using anyOf, type should be defined in anyOf items instead of the parent schema`,
      )
    const types = [schema.type].flat().filter((type) => type !== 'null')
    return types.length > 1 ? refuse(`${where}: type must be a single type`) : undefined
  })
}

const GOOGLE_KNOWS = [
  'type', 'properties', 'required', 'items', 'anyOf', 'enum', 'description', 'format', 'nullable', 'minimum', 'maximum', 'minLength',
  'maxLength', 'minItems', 'maxItems', 'pattern', 'title',
] // biome-ignore format: a list to be read as one

/** Gemini's OpenAI-compatible API: the keyword that it does not know, or the text of another problem. */
export const geminiProblem: SchemaProblem = (root) =>
  firstProblem(root, (schema, path) => {
    const at = `'tools[0].function_declarations[0].parameters${path.map((step) => `.${step}`).join('')}'`
    const unknown = Object.keys(schema).find((name) => !GOOGLE_KNOWS.includes(name))
    if (unknown !== undefined)
      return `Invalid JSON payload received. Unknown name "${unknown}" at ${at}: Cannot find field.`
    return googleValue(schema, at)
  })

function googleValue(schema: Json, at: string): string | undefined {
  if (Array.isArray(schema.type))
    return `Invalid value at ${at} (type): Proto field is not repeating, cannot start list.`
  if (Array.isArray(schema.enum) && !schema.enum.every((value) => typeof value === 'string'))
    return `Invalid value at ${at} (enum): only allowed for STRING type`
  if (schema.type === 'array' && !isRecord(schema.items)) return `${at}.items: missing field.`
  if (isRecord(schema.properties) && schema.type !== 'object')
    return `${at}.properties: only allowed for OBJECT type`
  const names = Object.keys(isRecord(schema.properties) ? schema.properties : {})
  const lost = (Array.isArray(schema.required) ? schema.required : []).find(
    (name) => !names.includes(String(name)),
  )
  return lost === undefined ? undefined : `${at}.required[0]: property is not defined`
}

/** llama.cpp's grammar, as its builds of 2026 have it. */
export const gbnfProblem: SchemaProblem = (root) =>
  firstProblem(root, (schema) => {
    const { pattern } = schema
    if (typeof pattern === 'string' && !/^\^.*\$$/s.test(pattern))
      return "Unable to generate parser for this template. Automatic parser generation failed: JSON schema conversion failed:\nPattern must start with '^' and end with '$'"
    const isOdd =
      typeof pattern === 'string' && (/\\[dwsDWSpb]|\(\?/.test(pattern) || pattern.split('(').length > 2)
    const isLong = Number(schema.maxLength) >= 2_000 || Number(schema.minLength) > 2_000
    return isOdd || isLong || Array.isArray(schema.items)
      ? 'Failed to initialize samplers: failed to parse grammar'
      : undefined
  })

export const mistralProblem: SchemaProblem = (root, tool) =>
  firstProblem(root, (schema) => {
    const found = ['$id', '$schema'].find((name) => name in schema)
    return found && `Invalid grammar: unsupported keyword ${found} in the schema of ${tool}`
  })

const XGRAMMAR_REFUSES = [
  'multipleOf',
  'uniqueItems',
  'contains',
  'minContains',
  'maxContains',
  'patternProperties',
  'propertyNames',
]

/** What xgrammar cannot say at all, where a choice is forced. */
export const forcedProblem: SchemaProblem = (root) =>
  firstProblem(root, (schema) =>
    XGRAMMAR_REFUSES.some((name) => name in schema)
      ? 'The provided JSON schema contains features not supported by xgrammar.'
      : undefined,
  )

/** What xgrammar would constrain wrongly without a word: a schema that must not be asked to be strict. */
export const xgrammarProblem: SchemaProblem = (root) =>
  firstProblem(root, (schema, path) => {
    if (Array.isArray(schema.allOf) && schema.allOf.length > 1)
      return 'several branches of allOf allow any JSON'
    if (isRecord(schema.patternProperties) && isRecord(schema.properties))
      return 'patternProperties beside properties are skipped'
    if (schema.anyOf !== undefined && isRecord(schema.properties))
      return 'the union hides the properties beside it'
    const isBare =
      schema.type === 'object' && schema.properties === undefined && schema.patternProperties === undefined
    return isBare &&
      path.length > 0 &&
      schema.additionalProperties === undefined &&
      schema.anyOf === undefined
      ? 'the object can only be {}'
      : undefined
  })
