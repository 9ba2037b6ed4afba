// Arguments that do not fit their tool's schema, put right where that needs no guess: 5 for "5", a list of one for its element, no
// member for a null that is not allowed. A value that fits is never touched, and no member is dropped except such a null. Where
// two readings fit, or none does, the value stays: the client reports it to the model.

import { keepSpelling } from '../../base/exact-json.ts'
import { type Fields, isObject } from '../../base/json.ts'
import { checkBudget, pathTo, type SchemaChecker } from '../../base/json-schema/check.ts'
import { memberSchema } from '../../base/json-schema/reference.ts'
import { allowedTypes, isOfTypes, type JsonType } from '../../base/json-schema/types.ts'
import { type NameBefore, writeJson } from '../../base/json-source.ts'
import { fitMembers } from './fit-members.ts'
import { alternativesOf, elementSchema, flatSchema, listOf } from './flat-schema.ts'
import { keepDigits } from './keep-digits.ts'
import { type Candidate, elementAlone, fromText, isSameJson, knownValue, unwrapped } from './readings.ts'
import { readWord } from './text-literals.ts'

interface FittedArguments {
  input: Fields
  /** One line for each changed value, with its path; at most 20. */
  changes: string[]
  /** The JSON text of `input`. */
  text: string
}

/**
 * `text`: the JSON text of `input`, if it is known; what is not changed keeps its bytes. A number or a boolean where a string is required
 * stays as it is: its intended spelling is unknown.
 */
export function fitArguments(input: Fields, checker: SchemaChecker, text?: string): FittedArguments {
  if (text !== undefined) keepSpelling(text, input)
  const fit = new Fit(checker)
  const fitted = fit.root(input)
  if (!isObject(fitted)) return { input, changes: [], text: writeJson(input, input, text) }
  const source = fit.isUnwrapped ? undefined : text
  return {
    input: fitted,
    changes: someOf(fit.changes),
    text: writeJson(fitted, input, source, fit.nameBefore),
  }
}

function someOf(changes: string[]): string[] {
  const more = changes.length - maxChanges
  return more > 0 ? [...changes.slice(0, maxChanges), `and ${more} more like these`] : changes
}

const maxChanges = 20
const maxDepth = 64

/** Not "null", which may mean that there is no list. */
const isWord = (text: string) => /^[^\s,;|[\]{}()"'`]+$/.test(text) && readWord(text) !== null

/** Steps that it takes to merge an alternative with its schema. */
const alternativeCost = 10

export class Fit {
  changes: string[] = []
  /** The arguments stood one level deeper. */
  isUnwrapped = false
  readonly schema: unknown
  readonly #checker: SchemaChecker
  readonly #budget = checkBudget()
  readonly #renamed = new WeakMap<Fields, ReadonlyMap<string, string>>()

  constructor(checker: SchemaChecker) {
    this.schema = checker.root
    this.#checker = checker
  }

  readonly nameBefore: NameBefore = (holder, name) => this.#renamed.get(holder)?.get(name) ?? name

  /** All arguments: they may also stand inside a member that the tool does not have. */
  root(input: Fields): unknown {
    const fitted = this.value(input, this.schema, '', 0)
    if (this.#isOver || this.conforms(fitted, this.schema)) return fitted
    const inner = unwrapped(input, flatSchema(this.schema, this.schema))
    if (inner === undefined) return fitted
    const earlier = this.changes
    this.changes = [`the arguments were inside "${inner.name}"`]
    const unfolded = this.value(inner.value, this.schema, '', 0)
    this.isUnwrapped = this.#fits(unfolded, this.schema)
    if (this.isUnwrapped) return unfolded
    this.changes = earlier
    return fitted
  }

  value(value: unknown, schema: unknown, path: string, depth: number): unknown {
    if (depth > maxDepth || this.conforms(value, schema)) return value
    const types = allowedTypes(schema, this.schema)
    const isStructure = isObject(value) || Array.isArray(value)
    if (isStructure && (types === undefined || isOfTypes(value, types)))
      return this.#structure(value, flatSchema(schema, this.schema), path, depth)
    return types === undefined ? value : this.#converted(value, schema, types, path, depth)
  }

  conforms(value: unknown, schema: unknown): boolean {
    return this.#checker.conformsTo(schema, value, this.#budget)
  }

  /** Work beside the checks. When it is used up, values stay as they are. */
  spend(steps: number): void {
    this.#budget.steps -= steps
  }

  get #isOver(): boolean {
    return this.#budget.steps <= 0
  }

  /** False if that could not be found out: a reading is taken only if it fits. */
  #fits(value: unknown, schema: unknown): boolean {
    return this.conforms(value, schema) && !this.#isOver
  }

  onRenamed(holder: Fields, names: ReadonlyMap<string, string>): void {
    this.#renamed.set(holder, names)
  }

  /** The only reading that fits. If none does: an object or array is better than its text, even with a problem left in it. */
  #converted(
    value: unknown,
    schema: unknown,
    types: ReadonlySet<JsonType>,
    path: string,
    depth: number,
  ): unknown {
    const earlier = this.changes
    const readings: { value: unknown; changes: string[]; fits: boolean }[] = []
    for (const candidate of this.#candidates(value, schema, types)) {
      this.changes = candidate.changes.map((change) => `${path}: ${change}`)
      const fitted = this.value(candidate.value, schema, path, depth + 1)
      const fits = this.#fits(fitted, schema)
      const isBetter = candidate.isStructure && !isOfTypes(value, types)
      if (fits || isBetter) readings.push({ value: fitted, changes: this.changes, fits })
    }
    this.changes = earlier
    const fitting = readings.filter(({ fits }) => fits)
    const [chosen, other] = fitting.length > 0 ? fitting : readings
    if (!chosen || (other && !isSameJson(chosen.value, other.value))) return value
    for (const change of chosen.changes) this.changes.push(change)
    return chosen.value
  }

  *#candidates(value: unknown, schema: unknown, types: ReadonlySet<JsonType>): Generator<Candidate> {
    const known = knownValue(value, flatSchema(schema, this.schema))
    if (known) yield known
    for (const type of types) {
      const decoded = typeof value === 'string' ? fromText(type, value) : undefined
      if (decoded) yield decoded
      else if (type === 'array' && this.#isElement(value, flatSchema(schema, this.schema)))
        yield elementAlone(value)
    }
  }

  /** A single element without its array. A string that may be a list in another notation, or a command line, does not count. */
  #isElement(value: unknown, schema: Fields): boolean {
    if (value === null || (typeof value === 'string' && !isWord(value))) return false
    const items = [schema, ...alternativesOf(schema)]
      .map((one) => flatSchema(one, this.schema).items)
      .find((one) => one !== undefined)
    const types = allowedTypes(items, this.schema)
    // What is wrong inside an object is put right later, or it does not become an element.
    return types !== undefined && isOfTypes(value, types) && (isObject(value) || this.conforms(value, items))
  }

  #structure(value: Fields | unknown[], schema: Fields, path: string, depth: number): unknown {
    const { anyOf: _, oneOf: __, ...common } = schema
    const earlier = this.changes
    let chosen: { value: unknown; changes: string[] } | undefined
    for (const alternative of alternativesOf(schema)) {
      this.changes = []
      this.spend(alternativeCost)
      const merged = flatSchema({ ...common, allOf: [...listOf(common.allOf), alternative] }, this.schema)
      const fitted = this.#inside(value, merged, path, depth)
      if (!this.#fits(fitted, schema)) continue
      const isOther = chosen !== undefined && !isSameJson(chosen.value, fitted)
      if (isOther) {
        this.changes = earlier
        return value
      }
      chosen ??= { value: fitted, changes: this.changes }
    }
    this.changes = earlier
    if (!chosen) return this.#inside(value, common, path, depth)
    this.changes.push(...chosen.changes)
    return chosen.value
  }

  #inside(value: Fields | unknown[], schema: Fields, path: string, depth: number): unknown {
    if (!Array.isArray(value)) return fitMembers(this, value, schema, path, depth)
    const first = listOf(schema.prefixItems)
    const items = elementSchema(schema, this.schema)
    const fitted = value.map((one, at) => this.value(one, first[at] ?? items, pathTo(path, at), depth + 1))
    return fitted.some((one, at) => one !== value[at]) ? keepDigits(fitted, value) : value
  }

  /** The value of a member, fitted to the member's schema. */
  member(name: string, value: unknown, schema: Fields, path: string, depth: number): unknown {
    return this.value(value, memberSchema(schema, name, this.schema), pathTo(path, name), depth + 1)
  }
}
