// Objects: their properties, which of them must be there, and whether others may.

import { type Fields, isObject } from '../../base/json.ts'
import { membersOf, textsOf } from './keywords.ts'
import { withNull } from './nullable.ts'
import type { UndoNode } from './undo.ts'
import { Unfit } from './unfit.ts'
import type { Walk, Written } from './walk.ts'

export function writeObject(walk: Walk, schema: Fields, depth: number, isRoot: boolean): Written {
  const { optional, objects } = walk.subset
  const required = new Set(textsOf(schema.required))
  const absent = new Set<string>()
  const members = new Map<string, UndoNode>()
  const properties: [string, unknown][] = []
  const given = membersOf(schema.properties)
  for (const [name, property] of given) {
    // A property that may not be there.
    if (property === false && !required.has(name) && !walk.subset.booleans) {
      if (objects !== 'closed') walk.loosen()
      continue
    }
    const part = walk.place(property, depth + 1)
    if (part.undo) members.set(name, part.undo)
    const isForced = optional === 'null' && !required.has(name)
    properties.push([name, isForced ? forced(walk, name, property, part.schema, absent) : part.schema])
  }
  if (absent.size > 0) walk.mark()
  const fields: Fields = {
    ...(schema.properties !== undefined || objects === 'closed'
      ? { properties: Object.fromEntries(properties) }
      : {}),
    ...requiredKeys(walk, schema, new Set(properties.map(([name]) => name))),
    ...otherKeys(walk, schema, given.length, depth, isRoot),
  }
  const undo = absent.size + members.size === 0 ? undefined : { absent, members }
  return { fields, undo }
}

/** An optional property as a required one that may be null. */
function forced(walk: Walk, name: string, given: unknown, schema: unknown, absent: Set<string>): unknown {
  if (!walk.allowsNull(given)) {
    absent.add(name)
    return withNull(schema)
  }
  // null says something of its own there, and "absent" could no longer be said.
  if (isObject(given) && given.default !== undefined && given.default !== null)
    throw new Unfit(`${name} has a default and may be null`)
  return schema
}

function requiredKeys(walk: Walk, schema: Fields, names: ReadonlySet<string>): Fields {
  const { optional, requiresUndeclared, goal } = walk.subset
  if (optional === 'null' && goal === 'strict') {
    checkDeclared(walk, schema, names)
    return { required: [...names] }
  }
  if (requiresUndeclared || !Array.isArray(schema.required)) return {}
  if (goal === 'strict' && schema.additionalProperties !== undefined && schema.additionalProperties !== false)
    return {}
  const declared = textsOf(schema.required).filter((name) => names.has(name))
  if (declared.length === schema.required.length) return {}
  checkDeclared(walk, schema, names)
  walk.loosen()
  return { required: declared.length === 0 ? undefined : declared }
}

function checkDeclared(walk: Walk, { required }: Fields, names: ReadonlySet<string>): void {
  const lost = textsOf(required).find((name) => !names.has(name))
  if (lost !== undefined && walk.subset.goal === 'strict')
    throw new Unfit(`it requires ${lost}, which is not declared`)
}

function otherKeys(walk: Walk, schema: Fields, count: number, depth: number, isRoot: boolean): Fields {
  const { objects, dropped } = walk.subset
  const given = schema.additionalProperties
  if (objects === 'closed') {
    if (given !== undefined && given !== false) throw new Unfit('it takes keys that are not declared')
    if (given === undefined && count === 0 && !isRoot)
      throw new Unfit('it has an object without declared keys')
    return { additionalProperties: false }
  }
  if (dropped.has('additionalProperties')) return { additionalProperties: undefined }
  const hasPatterns = isObject(schema.patternProperties)
  if (objects === 'opened' && hasPatterns && count > 0 && walk.subset.goal === 'strict')
    throw new Unfit('it has patternProperties beside properties')
  if (given === undefined) {
    const isMap = objects === 'opened' && count === 0 && !isRoot && !hasPatterns && schema.anyOf === undefined
    return isMap ? { additionalProperties: true } : {}
  }
  return isObject(given) ? { additionalProperties: walk.place(given, depth + 1).schema } : {}
}
