// Repairs arguments that do not fit the tool's schema, where the same value written in another way does: 5 for "5". Values
// that fit are never touched. Values that cannot be made to fit stay: the client reports them to the model.

import { type Fields, isObject, parseJson } from '../../base/json.ts'
import { checkBudget, pathTo, type SchemaChecker } from '../../base/json-schema/check.ts'
import { memberSchema, resolveReference } from '../../base/json-schema/reference.ts'
import { allowedTypes, isOfTypes, type JsonType, typeOf } from '../../base/json-schema/types.ts'
import { nameOfType, readNumber, readStructure, readWord } from './text-literals.ts'

interface FittedInput {
  input: Fields
  /** One line for each changed value, with its path; at most 20. */
  changes: string[]
}

/** A number or a boolean where a string is required stays as it is: its intended spelling is unknown. */
export function fitToSchema(input: Fields, checker: SchemaChecker): FittedInput {
  const fit = new Fit(checker)
  const fitted = fit.value(input, checker.root, '', 0)
  return isObject(fitted) ? { input: fitted, changes: someOf(fit.changes) } : { input, changes: [] }
}

function someOf(changes: string[]): string[] {
  const more = changes.length - maxChanges
  return more > 0 ? [...changes.slice(0, maxChanges), `and ${more} more like these`] : changes
}

const maxChanges = 20
const maxDepth = 64
const maxAlternatives = 32
const maxEncodings = 3

class Fit {
  readonly changes: string[] = []
  readonly #root: unknown
  readonly #checker: SchemaChecker
  readonly #budget = checkBudget()

  constructor(checker: SchemaChecker) {
    this.#root = checker.root
    this.#checker = checker
  }

  value(value: unknown, schema: unknown, path: string, depth: number): unknown {
    if (depth > maxDepth || this.#conforms(value, schema)) return value
    const types = allowedTypes(schema, this.#root)
    const isStructure = isObject(value) || Array.isArray(value)
    if (isStructure && (types === undefined || isOfTypes(value, types)))
      return this.#structure(value, flat(schema, this.#root), path, depth)
    return types === undefined ? value : this.#converted(value, schema, types, path, depth)
  }

  #conforms(value: unknown, schema: unknown): boolean {
    return this.#checker.conformsTo(schema, value, this.#budget)
  }

  /** Tries the allowed types in turn. */
  #converted(
    value: unknown,
    schema: unknown,
    types: ReadonlySet<JsonType>,
    path: string,
    depth: number,
  ): unknown {
    for (const type of types) {
      const candidate = this.#as(type, value, schema)
      if (candidate === undefined) continue
      const earlier = this.changes.length
      this.changes.push(...candidate.changes.map((change) => `${path}: ${change}`))
      const fitted = this.value(candidate.value, schema, path, depth + 1)
      // An object or array is better than its text, even with a problem left in it.
      const isBetter = candidate.isStructure && !isOfTypes(value, types)
      if (isBetter || this.#conforms(fitted, schema)) return fitted
      this.changes.length = earlier
    }
    return value
  }

  #as(type: JsonType, value: unknown, schema: unknown): Candidate | undefined {
    const decoded = typeof value === 'string' ? fromText(type, value) : undefined
    if (decoded !== undefined) return decoded
    if (type !== 'array' || !this.#isElement(value, flat(schema, this.#root))) return undefined
    return became([value], value, 'an array of one')
  }

  /** A single element without its array. A string does not count: it may be a list in another notation, or a list's name. */
  #isElement(value: unknown, schema: Fields): boolean {
    if (typeof value === 'string' || value === null) return false
    const items = [schema, ...alternativesOf(schema)]
      .map((one) => flat(one, this.#root).items)
      .find((one) => one !== undefined)
    const types = allowedTypes(items, this.#root)
    return types !== undefined && isOfTypes(value, types) && this.#conforms(value, items)
  }

  #structure(value: Fields | unknown[], schema: Fields, path: string, depth: number): unknown {
    const { anyOf: _, oneOf: __, ...common } = schema
    for (const alternative of alternativesOf(schema)) {
      const earlier = this.changes.length
      const merged = flat({ ...common, allOf: [...listOf(common.allOf), alternative] }, this.#root)
      const fitted = this.#inside(value, merged, path, depth)
      if (this.#conforms(fitted, schema)) return fitted
      this.changes.length = earlier
    }
    return this.#inside(value, common, path, depth)
  }

  #inside(value: Fields | unknown[], schema: Fields, path: string, depth: number): unknown {
    if (Array.isArray(value)) {
      const first = listOf(schema.prefixItems)
      const items = elementSchema(schema, this.#root)
      const fitted = value.map((one, at) => this.value(one, first[at] ?? items, pathTo(path, at), depth + 1))
      return fitted.some((one, at) => one !== value[at]) ? fitted : value
    }
    const fitted = Object.entries(value).map(([name, one]): [string, unknown] => [
      name,
      this.value(one, memberSchema(schema, name, this.#root), pathTo(path, name), depth + 1),
    ])
    return fitted.some(([name, one]) => one !== value[name]) ? Object.fromEntries(fitted) : value
  }
}

interface Candidate {
  value: unknown
  changes: string[]
  isStructure: boolean
}

function became(value: unknown, before: unknown, what: string, changes: string[] = []): Candidate {
  const isStructure = typeof before === 'string' && typeof value === 'object' && value !== null
  return { value, isStructure, changes: [`${nameOfType(typeOf(before))} became ${what}`, ...changes] }
}

function fromText(type: JsonType, text: string): Candidate | undefined {
  const trimmed = text.trim()
  if (type === 'object' || type === 'array') {
    const read = readStructure(innermost(trimmed))
    if (read === undefined || typeOf(read.value) !== type) return undefined
    return became(read.value, text, nameOfType(type), read.changes)
  }
  const inner = innermost(trimmed)
  if (type === 'string')
    return inner === trimmed
      ? undefined
      : { value: inner, isStructure: false, changes: ['quotes around a string were removed'] }
  const value = type === 'integer' || type === 'number' ? readNumber(inner) : readWord(inner)
  if (value === undefined || (value === null) !== (type === 'null')) return undefined
  return became(value, text, nameOfType(type))
}

/** Removes up to three layers of JSON string encoding. */
function innermost(text: string): string {
  let inner = text
  for (let times = 0; times < maxEncodings && inner.startsWith('"'); times++) {
    const decoded = parseJson(inner)
    if (typeof decoded !== 'string') break
    inner = decoded.trim()
  }
  return inner
}

/** The schema with its references replaced by their targets. */
function flat(schema: unknown, root: unknown): Fields {
  let found = isObject(schema) ? schema : {}
  for (let hops = 0; hops < 8; hops++) {
    const { $ref, ...own } = found
    const target = resolveReference($ref, root)
    if (!isObject(target)) break
    found = { ...target, ...own }
  }
  return found
}

function elementSchema(schema: Fields, root: unknown, depth = 0): unknown {
  if (schema.items !== undefined || depth > 8) return Array.isArray(schema.items) ? undefined : schema.items
  for (const part of listOf(schema.allOf)) {
    const items = elementSchema(flat(part, root), root, depth + 1)
    if (items !== undefined) return items
  }
  return undefined
}

const listOf = (list: unknown): unknown[] => (Array.isArray(list) ? list : [])
const alternativesOf = (schema: Fields) =>
  [...listOf(schema.anyOf), ...listOf(schema.oneOf)].slice(0, maxAlternatives)
