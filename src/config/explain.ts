// Explains an invalid configuration: names the key, and the nearest known key.

import type { z } from 'zod'
import { nearest } from '../base/nearest.ts'
import { configJsonSchema } from './schema.ts'

/** One line per problem in a zod issue. */
export function explain(issue: z.core.$ZodIssue, input: unknown): string[] {
  const path = issue.path.map(String).join('.')
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(issue.path, input)
    return issue.keys.map((key) => {
      const close = nearest(key, known)[0] ?? (path === '' ? insideSection(key) : undefined)
      return `${path === '' ? '' : `${path}.`}${key}: unknown key${close ? `; did you mean "${close}"?` : ''}`
    })
  }
  if (issue.code === 'invalid_union') {
    // The branch that matched furthest is the intended one.
    const meant = issue.errors.find((errors) =>
      errors.some((error) => error.path.length > 0 || error.code === 'unrecognized_keys'),
    )
    if (meant)
      return meant.flatMap((error) => explain({ ...error, path: [...issue.path, ...error.path] }, input))
  }
  if (issue.code === 'invalid_key')
    return [`${path}: ${issue.issues.map(({ message }) => message).join('; ')}`]
  return [`${path === '' ? '(top level)' : path}: ${inWords(issue)}`]
}

const kinds = new Map([
  ['record', 'an object'],
  ['object', 'an object'],
  ['array', 'a list'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
])

function inWords(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') {
    const wanted = kinds.get(issue.expected) ?? `a ${issue.expected}`
    return issue.message.endsWith('received undefined') ? `is required (${wanted})` : `must be ${wanted}`
  }
  if (issue.code === 'invalid_value' && issue.message.startsWith('Invalid')) {
    return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map((value) => JSON.stringify(value)).join(', ')}`
  }
  if (issue.code === 'too_small' && issue.message.startsWith('Too small: expected number'))
    return `must be at least ${issue.minimum}`
  if (issue.code === 'too_big' && issue.message.startsWith('Too big: expected number'))
    return `must be at most ${issue.maximum}`
  return issue.message
}

type JsonSchema = { [key: string]: JsonSchema | JsonSchema[] | undefined } & { const?: unknown }

/** The valid keys at `path`: walks the JSON Schema along with the value. */
function knownKeys(path: readonly PropertyKey[], input: unknown): string[] {
  let schema = configJsonSchema() as JsonSchema | undefined
  let value = input
  for (const step of path) {
    const here = branchFor(schema, value)
    value = (value as Record<PropertyKey, unknown> | undefined)?.[step]
    schema = ((here?.properties as JsonSchema | undefined)?.[String(step)] ??
      here?.additionalProperties ??
      here?.items) as JsonSchema | undefined
  }
  return Object.keys((branchFor(schema, value)?.properties as JsonSchema | undefined) ?? {})
}

/** `listen.port` for a `port` at the top level. */
function insideSection(key: string): string | undefined {
  const sections = Object.entries((configJsonSchema() as JsonSchema).properties ?? {})
  const found = sections.find(([, section]) => key in ((section as JsonSchema).properties ?? {}))
  return found && `${found[0]}.${key}`
}

/** The branch of a union that fits the value: the one of the same `kind`, else the first with keys. */
function branchFor(schema: JsonSchema | undefined, value: unknown): JsonSchema | undefined {
  const branches = (schema?.oneOf ?? schema?.anyOf) as JsonSchema[] | undefined
  if (!branches) return schema
  const kind = (value as { kind?: unknown } | undefined)?.kind
  const kindOf = (branch: JsonSchema) =>
    ((branch.properties as JsonSchema | undefined)?.kind as JsonSchema | undefined)?.const
  return (
    branches.find((branch) => kind !== undefined && kindOf(branch) === kind) ??
    branches.find((branch) => branch.properties)
  )
}
