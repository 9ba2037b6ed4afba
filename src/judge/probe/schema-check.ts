// The probe's own schema check. It is independent of the gateway's checker (base/json-schema) on purpose: the gateway repairs
// calls by that one, and a judge must not share its mistakes. It knows the keywords that the tasks' tools use, ranges and
// patterns included, and reports the first problem.

import { isObject } from '../../base/json.ts'

type Schema = Record<string, unknown>

export function schemaProblem(value: unknown, schema: Schema, path = 'arguments'): string | undefined {
  const wrongType = typeProblem(value, schema.type, path)
  if (wrongType !== undefined) return wrongType
  if (Array.isArray(schema.enum) && !schema.enum.includes(value))
    return `${path} must be one of ${schema.enum.map((entry) => JSON.stringify(entry)).join(', ')}, not ${short(value)}`
  if (
    typeof value === 'string' &&
    typeof schema.pattern === 'string' &&
    !new RegExp(schema.pattern, 'u').test(value)
  )
    return `${path} must match ${schema.pattern}, not be ${short(value)}`
  if (typeof value === 'number') return rangeProblem(value, schema, path)
  if (Array.isArray(value)) return itemsProblem(value, schema, path)
  return isObject(value) ? membersProblem(value, schema, path) : undefined
}

const tests: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  array: (value) => Array.isArray(value),
  object: (value) => isObject(value),
}

function typeProblem(value: unknown, type: unknown, path: string): string | undefined {
  if (typeof type !== 'string' || tests[type]?.(value) !== false) return undefined
  return `${path} must be of type ${type}, not ${short(value)}`
}

function rangeProblem(value: number, { minimum, maximum }: Schema, path: string): string | undefined {
  if (typeof minimum === 'number' && value < minimum)
    return `${path} must be at least ${minimum}, not ${value}`
  if (typeof maximum === 'number' && value > maximum)
    return `${path} must be at most ${maximum}, not ${value}`
  return undefined
}

function itemsProblem(
  values: readonly unknown[],
  { items, minItems }: Schema,
  path: string,
): string | undefined {
  if (typeof minItems === 'number' && values.length < minItems)
    return `${path} needs at least ${minItems} items`
  if (!isObject(items)) return undefined
  for (const [at, value] of values.entries()) {
    const problem = schemaProblem(value, items, `${path}[${at}]`)
    if (problem !== undefined) return problem
  }
  return undefined
}

function membersProblem(value: Schema, schema: Schema, path: string): string | undefined {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required.map(String) : []
  const missing = required.find((name) => !Object.hasOwn(value, name))
  if (missing !== undefined) return `${path}.${missing} is missing`
  for (const [name, member] of Object.entries(value)) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (known === undefined && schema.additionalProperties === false)
      return `${path}.${name} is not in the schema`
    const problem = isObject(known) ? schemaProblem(member, known, `${path}.${name}`) : undefined
    if (problem !== undefined) return problem
  }
  return undefined
}

const short = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
