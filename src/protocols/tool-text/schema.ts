// Whether a tool's arguments fit its parameters, as far as that can be said without a whole JSON Schema validator: the
// client has one. Keywords that are not known here never fail, and neither does what would take too long to check.

import { type Fields, isObject } from '../../base/json.ts'
import { isOfTypes, namedTypes, referredSchema, typeOf } from './schema-types.ts'

const maxDepth = 200
const maxSteps = 200_000
const maxShown = 200

/** `root` is where a local `$ref` is looked up: the tool's parameters, where `schema` is only a part of them. */
export function conforms(value: unknown, schema: unknown, root: unknown = schema): boolean {
  return new SchemaCheck(root).conforms(value, schema)
}

/** The first problem in words, with the path to it; undefined where there is none. */
export function violation(value: unknown, schema: unknown, root: unknown = schema): string | undefined {
  const problem = new SchemaCheck(root).problem(value, schema)
  if (problem === undefined) return undefined
  const path = problem.path.reduceRight<string>(pathTo, '')
  return path === '' ? problem.what : `${path}: ${problem.what}`
}

/** `pathTo('a', 0)` is `a[0]`. */
export function pathTo(path: string, step: string | number): string {
  if (typeof step === 'number') return `${path}[${step}]`
  return path === '' ? step : `${path}.${step}`
}

/** The schema of one parameter, wherever the tool's parameters say it; undefined where they do not. */
export function parameterSchema(schema: unknown, name: string, root: unknown = schema, depth = 0): unknown {
  if (!isObject(schema) || depth > 8) return undefined
  const { properties, additionalProperties } = schema
  if (isObject(properties) && Object.hasOwn(properties, name)) return properties[name]
  const parts = [referredSchema(schema.$ref, root), ...lists(schema)]
  for (const part of parts) {
    const found = parameterSchema(part, name, root, depth + 1)
    if (found !== undefined) return found
  }
  return isObject(additionalProperties) ? additionalProperties : undefined
}

const lists = (schema: Fields) =>
  [schema.allOf, schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list.slice(0, 16) : []))

interface Problem {
  /** From the inside out. */
  path: (string | number)[]
  what: string
}

/** Checks of one tool's arguments, which have one measure of work for all of them. */
export class SchemaCheck {
  readonly #root: unknown
  #steps = maxSteps

  constructor(root: unknown) {
    this.#root = root
  }

  conforms(value: unknown, schema: unknown): boolean {
    return this.problem(value, schema) === undefined
  }

  problem(value: unknown, schema: unknown, depth = 0): Problem | undefined {
    if (schema === false) return { path: [], what: 'is not allowed' }
    if (!isObject(schema) || depth > maxDepth || this.#steps-- <= 0) return undefined
    if (value === null && schema.nullable === true) return undefined
    for (const list of [schema.enum, schema.required]) if (Array.isArray(list)) this.#steps -= list.length
    return (
      ofType(value, schema) ??
      ofValues(value, schema) ??
      this.#combined(value, schema, depth) ??
      (Array.isArray(value) ? this.#elements(value, schema, depth) : undefined) ??
      (isObject(value) ? this.#members(value, schema, depth) : undefined)
    )
  }

  #combined(value: unknown, schema: Fields, depth: number): Problem | undefined {
    const target = referredSchema(schema.$ref, this.#root)
    const all = Array.isArray(schema.allOf) ? schema.allOf : []
    for (const part of target === undefined ? all : [target, ...all]) {
      const problem = this.problem(value, part, depth + 1)
      if (problem !== undefined) return problem
    }
    // Several matches of `oneOf` are none of our business: what tells them apart may be a keyword that is not known here.
    return this.#any(value, schema.anyOf, depth) ?? this.#any(value, schema.oneOf, depth)
  }

  #any(value: unknown, schemas: unknown, depth: number): Problem | undefined {
    if (!Array.isArray(schemas) || schemas.length === 0) return undefined
    let deepest: Problem | undefined
    for (const schema of schemas) {
      const problem = this.problem(value, schema, depth + 1)
      if (problem === undefined) return undefined
      if (deepest === undefined || problem.path.length > deepest.path.length) deepest = problem
    }
    return deepest
  }

  #elements(value: unknown[], schema: Fields, depth: number): Problem | undefined {
    const { items } = schema
    const first = Array.isArray(schema.prefixItems) ? schema.prefixItems : Array.isArray(items) ? items : []
    const others = Array.isArray(items) ? schema.additionalItems : items
    const checked = others === undefined ? Math.min(first.length, value.length) : value.length
    for (let at = 0; at < checked && this.#steps > 0; at++) {
      const problem = this.problem(value[at], at < first.length ? first[at] : others, depth + 1)
      if (problem !== undefined) return inside(at, problem)
    }
    return undefined
  }

  #members(value: Fields, schema: Fields, depth: number): Problem | undefined {
    const required = Array.isArray(schema.required) ? schema.required : []
    const missing = required.find((name) => typeof name === 'string' && !Object.hasOwn(value, name))
    if (missing !== undefined) return { path: [missing], what: 'is missing' }
    const properties = isObject(schema.properties) ? schema.properties : {}
    // A pattern from outside is never run: what it might allow is allowed.
    const others = isObject(schema.patternProperties) ? undefined : schema.additionalProperties
    for (const name in value) {
      if (this.#steps-- <= 0) return undefined
      const known = Object.hasOwn(properties, name)
      if (!known && others === false) return { path: [name], what: 'is not a parameter' }
      const problem = this.problem(value[name], known ? properties[name] : others, depth + 1)
      if (problem !== undefined) return inside(name, problem)
    }
    return undefined
  }
}

function inside(step: string | number, problem: Problem): Problem {
  problem.path.push(step)
  return problem
}

function ofType(value: unknown, schema: Fields): Problem | undefined {
  const types = namedTypes(schema)
  if (types === undefined || isOfTypes(value, types)) return undefined
  return { path: [], what: `must be ${[...types].join(' or ')}, not ${typeOf(value)}` }
}

function ofValues(value: unknown, schema: Fields): Problem | undefined {
  if (Array.isArray(schema.enum) && !schema.enum.some((one) => equal(one, value)))
    return { path: [], what: `must be one of ${shown(schema.enum)}` }
  if (schema.const === undefined || equal(schema.const, value)) return undefined
  return { path: [], what: `must be ${shown([schema.const])}` }
}

function equal(one: unknown, other: unknown, depth = 0): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other) || depth > maxDepth) return false
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every(
      (key) => Object.hasOwn(other, key) && equal((one as Fields)[key], (other as Fields)[key], depth + 1),
    )
  )
}

function shown(values: unknown[]): string {
  const all = values
    .slice(0, 30)
    .map((value) => JSON.stringify(value))
    .join(', ')
  return all.length > maxShown || values.length > 30 ? `${all.slice(0, maxShown)} …` : all
}
