// Every schema inside a schema, with its path.

import { isRecord, type Json } from '../../shape.ts'

export type SchemaPath = readonly string[]

const MAPS = ['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas']
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
const SINGLE = [
  'items',
  'additionalProperties',
  'additionalItems',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
]

/** Booleans and other things in the place of a schema are visited, too. */
export function* schemasIn(schema: unknown, path: SchemaPath = []): Generator<[unknown, SchemaPath]> {
  yield [schema, path]
  if (!isRecord(schema)) return
  for (const keyword of MAPS)
    for (const [name, inner] of Object.entries(isRecord(schema[keyword]) ? schema[keyword] : {}))
      yield* schemasIn(inner, [...path, keyword, name])
  for (const keyword of LISTS)
    for (const [at, inner] of (Array.isArray(schema[keyword]) ? schema[keyword] : []).entries())
      yield* schemasIn(inner, [...path, keyword, String(at)])
  for (const keyword of SINGLE) {
    const inner = schema[keyword]
    if (Array.isArray(inner))
      for (const [at, one] of inner.entries()) yield* schemasIn(one, [...path, keyword, String(at)])
    else if (inner !== undefined) yield* schemasIn(inner, [...path, keyword])
  }
}

/** The first text that `check` gives for a schema inside. */
export function firstProblem(
  schema: unknown,
  check: (inner: Json, path: SchemaPath) => string | undefined,
): string | undefined {
  for (const [inner, path] of schemasIn(schema)) {
    const problem = isRecord(inner) ? check(inner, path) : undefined
    if (problem !== undefined) return problem
  }
  return undefined
}

export function targetOf(reference: unknown, root: unknown): unknown {
  if (reference === '#') return root
  return String(reference)
    .slice(2)
    .split('/')
    .reduce<unknown>((at, step) => (isRecord(at) && Object.hasOwn(at, step) ? at[step] : undefined), root)
}

/** A reference that is reached from itself. */
export function hasRecursion(root: unknown): boolean {
  const ends = new Set<unknown>()
  const runs = (schema: unknown, open: ReadonlySet<unknown>): boolean => {
    for (const [inner, path] of schemasIn(schema)) {
      if (!isRecord(inner) || inner.$ref === undefined || path[0] === '$defs' || path[0] === 'definitions')
        continue
      const target = targetOf(inner.$ref, root)
      if (open.has(target)) return true
      if (ends.has(target)) continue
      if (runs(target, new Set([...open, target]))) return true
      ends.add(target)
    }
    return false
  }
  return runs(root, new Set([root]))
}
