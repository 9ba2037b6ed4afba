// The first step at each place of a schema: combinations that the subset does not have become one plain schema. What is inside is
// not yet rewritten.

import { copySpelling } from '../../base/exact-json.ts'
import { type Fields, isObject } from '../../base/json.ts'
import { typeOf } from '../../base/json-schema/types.ts'
import type { Definitions } from './definitions.ts'
import { isFor, isRemark, isSame, without } from './keywords.ts'
import { isPlainObject, mergeAll, mergeUnion } from './merge.ts'
import { withNull } from './nullable.ts'
import type { Subset } from './subset.ts'
import { Unfit } from './unfit.ts'

interface FlattenContext {
  subset: Subset
  definitions: Definitions
  isRoot: boolean
  /** The result allows more than the schema. */
  loosen(): void
  /** Counts one more schema, and throws if there are too many. */
  count(): void
}

const maxNesting = 8
/** Merging many takes long. */
const maxBranches = 200

export function flatten(given: Fields, context: FlattenContext): Fields {
  const { subset } = context
  let schema = subset.allOf === 'merged' ? withoutAllOf(given, context, 0) : given
  const isMerged = context.isRoot && subset.root !== 'any'
  if (subset.oneOf === 'anyOf' || isMerged) schema = withOneUnion(schema, context)
  if (subset.typeLists !== 'nullable') schema = withoutNullable(schema, subset)
  schema = withoutUnionBeside(schema, context)
  return withoutTypeList(withType(schema, context), subset)
}

function withoutAllOf(schema: Fields, context: FlattenContext, depth: number): Fields {
  if (!Array.isArray(schema.allOf)) return schema
  context.count()
  const { goal } = context.subset
  if (depth > maxNesting) throw new Unfit('its allOf is nested too deep')
  if (schema.allOf.length > maxBranches) throw new Unfit('its allOf is too long')
  const rest = without(schema, 'allOf')
  const [only] = schema.allOf
  // A reference in a form that takes remarks beside it.
  if (schema.allOf.length === 1 && isObject(only) && Object.keys(rest).every(isRemark))
    return withoutAllOf(copySpelling(only, { ...only, ...rest }), context, depth + 1)
  const parts = schema.allOf.map((part) => resolved(part, context)).filter(isObject)
  if (goal === 'strict' && parts.length < schema.allOf.length) throw new Unfit('its allOf has no schemas')
  const flat = [rest, ...parts].map((part) => withoutAllOf(part, context, depth + 1))
  if (goal === 'taken') context.loosen()
  return copySpelling(schema, mergeAll(flat, goal === 'strict' ? 'exact' : 'loose'))
}

/** The target of a reference, with what is beside it. Undefined for one that leads nowhere, or back to itself. */
function resolved(schema: unknown, { definitions }: FlattenContext): unknown {
  let found = schema
  for (let step = 0; step < maxNesting; step++) {
    if (!isObject(found) || typeof found.$ref !== 'string') return found
    if (definitions.isLoop(found.$ref)) return undefined
    const target = definitions.target(found.$ref)
    const beside = without(found, '$ref')
    found = isObject(target) ? { ...without(target, '$defs', 'definitions'), ...beside } : undefined
  }
  throw new Unfit('its references are nested too deep')
}

/** `oneOf` as `anyOf`. Whether exactly one branch fits is for the client's schema to say. */
function withOneUnion(schema: Fields, { subset, loosen }: FlattenContext): Fields {
  if (!Array.isArray(schema.oneOf)) return schema
  if (!Array.isArray(schema.anyOf))
    return copySpelling(
      schema,
      Object.fromEntries(
        Object.entries(schema).map(([name, value]) => [name === 'oneOf' ? 'anyOf' : name, value]),
      ),
    )
  if (subset.goal === 'strict') throw new Unfit('it has anyOf and oneOf')
  loosen()
  return without(schema, 'oneOf')
}

/** OpenAPI's `nullable`. */
function withoutNullable(schema: Fields, { goal }: Subset): Fields {
  if (schema.nullable !== true || goal !== 'strict') return schema
  return withNull(without(schema, 'nullable')) as Fields
}

const objectKeywords = ['properties', 'required', 'additionalProperties', 'patternProperties']

function withoutUnionBeside(schema: Fields, context: FlattenContext): Fields {
  const { subset, isRoot, loosen } = context
  const union = Array.isArray(schema.anyOf) ? 'anyOf' : Array.isArray(schema.oneOf) ? 'oneOf' : undefined
  if (union === undefined) return schema
  const rest = without(schema, union)
  const branches = schema[union] as unknown[]
  if (isRoot && subset.root === 'objects') return withObjectBranches(rest, union, branches, context)
  const isBeside = objectKeywords.some((keyword) => schema[keyword] !== undefined)
  if ((isRoot && subset.root === 'object') || (isBeside && !subset.unionBeside)) {
    if (branches.length > maxBranches) throw new Unfit('its union is too long')
    const flat = branches.map((branch) => flatBranch(branch, context))
    const objects = flat.filter(isPlainObject)
    if (subset.goal === 'strict' && objects.length < flat.length)
      throw new Unfit('it has a union of which not every branch is a plain object')
    loosen()
    return copySpelling(schema, mergeUnion(rest, objects))
  }
  return subset.unionBeside ? schema : withTypeInside(schema, rest, union, context)
}

function flatBranch(branch: unknown, context: FlattenContext): unknown {
  const found = resolved(branch, context)
  return isObject(found) && context.subset.allOf === 'merged' ? withoutAllOf(found, context, 0) : found
}

/** xAI: the root may be a union, of objects. */
function withObjectBranches(
  rest: Fields,
  union: string,
  branches: readonly unknown[],
  context: FlattenContext,
): Fields {
  const isObjects = (branch: unknown) => {
    const found = resolved(branch, context)
    return (
      isObject(found) &&
      (found.type === 'object' || (found.type === undefined && !('enum' in found || 'const' in found)))
    )
  }
  const kept = branches.filter(isObjects)
  if (kept.length < branches.length) context.loosen()
  const typed = kept.map((branch) =>
    isObject(branch) && branch.type === undefined && branch.$ref === undefined
      ? { type: 'object', ...branch }
      : branch,
  )
  return kept.length === 0 ? { ...rest, type: 'object' } : { ...rest, [union]: typed }
}

/** `type` beside a union goes into its branches. */
function withTypeInside(
  schema: Fields,
  rest: Fields,
  union: string,
  { subset, loosen }: FlattenContext,
): Fields {
  const others = Object.keys(rest).filter((keyword) => !isRemark(keyword) && !keyword.includes('def'))
  if (others.length === 0) return schema
  const isStrict = subset.goal === 'strict'
  if (isStrict && others.some((keyword) => keyword !== 'type'))
    throw new Unfit(`it has ${others[0]} beside a union`)
  const { type } = rest
  if (type === undefined) return schema
  const branches = (schema[union] as unknown[]).map((branch) => {
    if (!isObject(branch) || branch.$ref !== undefined || isSame(branch.type, type)) return branch
    if (branch.type === undefined) return { type, ...branch }
    if (isStrict) throw new Unfit('its union has types that exclude each other')
    loosen()
    return branch
  })
  if (isStrict && branches.some((branch) => isObject(branch) && branch.$ref !== undefined))
    throw new Unfit('it has a type beside references')
  return copySpelling(schema, { ...without(rest, 'type'), [union]: branches })
}

/** A list of types as a union of single ones, each with the keywords that concern it. */
function withoutTypeList(schema: Fields, { typeLists }: Subset): Fields {
  const { type } = schema
  if (typeLists === 'kept' || !Array.isArray(type)) return schema
  const values = Array.isArray(schema.enum) ? schema.enum : undefined
  const isUsed = (one: unknown) => values?.some((value) => isOf(one, value)) ?? true
  const hasNull = type.includes('null')
  const types = type.filter((one) => one !== 'null' && isUsed(one))
  const nullable = hasNull && typeLists === 'nullable' ? { nullable: true } : {}
  if (types.length <= 1 && (typeLists === 'nullable' || !hasNull))
    return copySpelling(schema, { ...schema, type: types[0] ?? 'null', ...nullable })
  if (types.length <= 1 || Array.isArray(schema.anyOf)) return schema
  const outside = Object.keys(schema).filter((keyword) => isRemark(keyword) || keyword.includes('def'))
  const branches = [...types, ...(hasNull && typeLists === 'union' ? ['null'] : [])].map((one) =>
    ofType(without(schema, ...outside), one),
  )
  return copySpelling(schema, {
    ...Object.fromEntries(outside.map((keyword) => [keyword, schema[keyword]])),
    anyOf: branches,
    ...nullable,
  })
}

function ofType(schema: Fields, type: unknown): Fields {
  const kept = Object.entries(schema).filter(([keyword]) => isFor(type, keyword))
  const branch: Fields = copySpelling(schema, { ...Object.fromEntries(kept), type })
  if (!Array.isArray(schema.enum) || schema.nullable === true) return branch
  const values = schema.enum.filter((value) => isOf(type, value))
  // No value at all is the author's mistake, and stays as it is.
  return values.length === 0 ? branch : { ...branch, enum: values }
}

const isOf = (type: unknown, value: unknown) => {
  const own = typeOf(value)
  return own === type || (own === 'integer' && type === 'number')
}

/** A schema that does not state its type, though it can mean one only. */
function withType(schema: Fields, { subset, isRoot }: FlattenContext): Fields {
  if (subset.typed && typeof schema.type === 'string') return ofType(schema, schema.type)
  if (schema.type !== undefined || schema.anyOf !== undefined || schema.oneOf !== undefined) return schema
  if (isRoot || isObject(schema.properties)) return { type: 'object', ...schema }
  if (schema.items !== undefined || schema.prefixItems !== undefined) return { type: 'array', ...schema }
  if (!subset.typed) return schema
  const values = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : []
  const types = [...new Set(values.map(typeOf))]
  if (types.length === 0) return schema
  return { type: types.length === 1 ? types[0] : types, ...schema }
}
