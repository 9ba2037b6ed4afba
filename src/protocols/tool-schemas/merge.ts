// Schemas that must all fit (`allOf`), and objects of which one must fit, as one schema.

import { type Fields, isObject } from '../../base/json.ts'
import { annotations, isSame, membersOf, textsOf } from './keywords.ts'
import { Unfit } from './unfit.ts'

/**
 * One schema for several that must all fit. exact: throws if it would mean something else. loose: may allow more; of two constraints
 * that cannot be joined, the first stays.
 */
export function mergeAll(parts: readonly Fields[], goal: 'exact' | 'loose'): Fields {
  const merged: Fields = {}
  const conflict = (keyword: string) => {
    if (goal === 'exact') throw new Unfit(`the branches of its allOf differ in ${keyword}`)
  }
  for (const part of parts) {
    const isLater = listKeywords.some((keyword) => merged[keyword] !== undefined)
    for (const [keyword, value] of Object.entries(part)) {
      const known = merged[keyword]
      // The keywords of lists depend on each other.
      if (isLater && listKeywords.includes(keyword) && !isSame(known, value)) conflict(keyword)
      else if (known === undefined) merged[keyword] = value
      else if (keyword === 'properties') merged.properties = joinedProperties(known, value, conflict)
      else if (keyword === 'required') merged.required = [...new Set([...textsOf(known), ...textsOf(value)])]
      else if (!annotations.has(keyword) && !isSame(known, value)) conflict(keyword)
    }
  }
  // Null fits the one part, and maybe not the others.
  if (merged.nullable === true && parts.some((part) => part.nullable !== true && constrains(part)))
    conflict('nullable')
  return closesOthers(parts, merged) ? withOpenKeys(merged, conflict) : merged
}

const constrains = (part: Fields) => Object.keys(part).some((keyword) => !annotations.has(keyword))

const listKeywords = ['items', 'prefixItems', 'additionalItems']

function joinedProperties(one: unknown, other: unknown, conflict: (keyword: string) => void): Fields {
  const joined = new Map(membersOf(one))
  for (const [name, schema] of membersOf(other)) {
    const known = joined.get(name)
    if (known === undefined) joined.set(name, schema)
    else if (!isSame(known, schema)) conflict(name)
  }
  return Object.fromEntries(joined)
}

/** A part that takes no other keys than its own, where the others have more. */
const closesOthers = (parts: readonly Fields[], { properties }: Fields) =>
  parts.some(
    (part) =>
      part.additionalProperties !== undefined &&
      part.additionalProperties !== true &&
      membersOf(properties).some(
        ([name]) => !Object.hasOwn(isObject(part.properties) ? part.properties : {}, name),
      ),
  )

function withOpenKeys(merged: Fields, conflict: (keyword: string) => void): Fields {
  conflict('additionalProperties')
  const { additionalProperties: _, ...open } = merged
  return open
}

const objectKeywords = new Set(['type', 'properties', 'required', 'additionalProperties', ...annotations])

/** True for a schema of objects without anything that a merge would lose. */
export const isPlainObject = (schema: unknown): schema is Fields =>
  isObject(schema) &&
  (schema.type === undefined || schema.type === 'object') &&
  (schema.type === 'object' || schema.properties !== undefined || schema.required !== undefined) &&
  Object.keys(schema).every((keyword) => objectKeywords.has(keyword))

/**
 * One object for a union of objects beside `rest`: with the properties of all, of which those are required that every branch requires.
 * It allows more than the union.
 */
export function mergeUnion(rest: Fields, branches: readonly Fields[]): Fields {
  const properties = new Map<string, Map<string, unknown>>()
  for (const branch of branches)
    for (const [name, schema] of membersOf(branch.properties)) {
      const kinds = properties.get(name) ?? new Map<string, unknown>()
      properties.set(name, kinds.set(JSON.stringify(schema), schema))
    }
  const own = new Map(membersOf(rest.properties))
  for (const [name, kinds] of properties) {
    const schemas = [...kinds.values()]
    if (!own.has(name)) own.set(name, schemas.length === 1 ? schemas[0] : { anyOf: schemas })
  }
  const required = new Set([
    ...textsOf(rest.required),
    ...inEvery(branches.map((one) => textsOf(one.required))),
  ])
  const { required: _, ...others } = rest
  return {
    ...others,
    type: 'object',
    properties: Object.fromEntries(own),
    ...(required.size > 0 ? { required: [...required] } : {}),
    ...otherKeys([rest, ...branches]),
  }
}

function inEvery([first = [], ...others]: readonly (readonly string[])[]): string[] {
  const sets = others.map((names) => new Set(names))
  return first.filter((name) => sets.every((names) => names.has(name)))
}

/** Other keys are excluded if every part excludes them, and welcome if one part says so. */
function otherKeys([rest = {}, ...branches]: readonly Fields[]): Fields {
  const stated = [rest, ...branches].map((part) => part.additionalProperties)
  if (rest.additionalProperties === false) return {}
  const open = stated.find((value) => value !== undefined && value !== false)
  if (open !== undefined) return { additionalProperties: true }
  return branches.length > 0 && branches.every((branch) => branch.additionalProperties === false)
    ? { additionalProperties: false }
    : {}
}
