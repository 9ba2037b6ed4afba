// Lists of schemas of which one must fit, or all.

import { isObject } from '../../base/json.ts'
import { Unfit } from './unfit.ts'
import type { Walk, Written } from './walk.ts'

export function writeUnion(walk: Walk, keyword: string, given: readonly unknown[], depth: number): Written {
  if (given.length === 0 && walk.subset.goal === 'strict') throw new Unfit('it has an empty union')
  if (given.length === 0) return { fields: { [keyword]: undefined } }
  if (walk.subset.typeLists === 'nullable') return nullableUnion(walk, keyword, given, depth)
  const parts = given.map((branch) => walk.place(branch, depth + 1))
  const undo = parts.some((part) => part.undo) ? { branches: parts } : undefined
  return { fields: { [keyword]: parts.map(({ schema }) => schema) }, undo }
}

/** Null is no type there. */
function nullableUnion(walk: Walk, keyword: string, given: readonly unknown[], depth: number): Written {
  const others = given.filter(
    (branch) => !(isObject(branch) && (branch.type === 'null' || branch.const === null)),
  )
  const schemas = others.map((branch) => walk.place(branch, depth + 1).schema)
  const nullable = others.length < given.length ? { nullable: true } : {}
  const [only] = schemas
  if (schemas.length === 0) walk.loosen()
  if (schemas.length === 1 && isObject(only))
    return { fields: { [keyword]: undefined, ...only, ...nullable } }
  return { fields: { [keyword]: schemas.length === 0 ? undefined : schemas, ...nullable } }
}
