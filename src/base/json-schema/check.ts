// The JSON Schema checker: compiled once for a schema, then asked about any number of values. It knows the keywords that tool
// parameters use. A value never fails by an unknown keyword, a reference that leads nowhere or an exhausted budget: a false
// alarm would stop a good call, and the client has a complete validator.

import { type Fields, isObject } from '../json.ts'
import { resolveReference } from './reference.ts'
import { isOfTypes, type JsonType, namedTypes, typeOf } from './types.ts'

interface SchemaProblem {
  /** Member names and array positions, from the outside in. */
  path: readonly (string | number)[]
  /** Without the path: `must be integer, not string`. */
  message: string
}

/** The work that is left for checks that share it. */
interface CheckBudget {
  steps: number
}

export const checkBudget = (): CheckBudget => ({ steps: 200_000 })

const maxDepth = 200
const maxProblems = 20
const maxListed = 30
const maxShown = 200

/** Parts of the schema are compiled when a value first reaches them: a large or recursive schema costs only what is used. */
export class SchemaChecker {
  readonly root: unknown
  readonly #rules = new WeakMap<Fields, Rules>()

  constructor(root: unknown) {
    this.root = root
  }

  /** The problems in the order of the schema's rules, at most 20; empty where the value fits. */
  check(value: unknown): SchemaProblem[] {
    const first = this.#walk(checkBudget(), 1).problemsOf(value, this.root, 0)
    if (first.length === 0) return first
    const all = this.#walk(checkBudget(), maxProblems).problemsOf(value, this.root, 0)
    // The search for all of them takes more steps, and may end before it has found one.
    return all.length > 0 ? all : first
  }

  conforms(value: unknown): boolean {
    return this.conformsTo(this.root, value)
  }

  /** `part` is a part of the schema, or made of its parts: its references lead into the whole. */
  conformsTo(part: unknown, value: unknown, budget = checkBudget()): boolean {
    return this.#walk(budget, 1).problemsOf(value, part, 0).length === 0
  }

  #walk(budget: CheckBudget, most: number): Walk {
    return new Walk((schema) => this.#rulesOf(schema), budget, most)
  }

  #rulesOf(schema: Fields): Rules {
    const known = this.#rules.get(schema)
    if (known !== undefined) return known
    const rules = new Rules(schema, this.root)
    this.#rules.set(schema, rules)
    return rules
  }
}

/** A problem as one line: `tags[1]: must be string, not integer`. */
export function describeProblem({ path, message }: SchemaProblem): string {
  const place = path.reduce<string>(pathTo, '')
  return place === '' ? message : `${place}: ${message}`
}

/** `pathTo('a', 0)` is `a[0]`. */
export function pathTo(path: string, step: string | number): string {
  if (typeof step === 'number') return `${path}[${step}]`
  return path === '' ? step : `${path}.${step}`
}

/** One object of the schema, prepared for checks. */
class Rules {
  readonly types: ReadonlySet<JsonType> | undefined
  readonly isNullable: boolean
  readonly values: readonly unknown[] | undefined
  readonly constant: unknown
  /** All of these must fit: `allOf` and the target of `$ref`. */
  readonly all: readonly unknown[]
  /** Of each list, one must fit. Several matches of `oneOf` pass: an unknown keyword may tell them apart. */
  readonly choices: readonly (readonly unknown[])[]
  readonly firstItems: readonly unknown[]
  readonly otherItems: unknown
  readonly required: readonly string[]
  readonly properties: Fields
  readonly otherProperties: unknown
  /** Steps that `enum` and `required` take. */
  readonly cost: number
  #valuesMessage: string | undefined

  constructor(schema: Fields, root: unknown) {
    const { items, enum: values, required } = schema
    const target = resolveReference(schema.$ref, root)
    this.types = namedTypes(schema)
    this.isNullable = schema.nullable === true
    this.values = Array.isArray(values) ? values : undefined
    this.constant = schema.const
    this.all = target === undefined ? listOf(schema.allOf) : [target, ...listOf(schema.allOf)]
    this.choices = [listOf(schema.anyOf), listOf(schema.oneOf)].filter(({ length }) => length > 0)
    this.firstItems = Array.isArray(schema.prefixItems) ? schema.prefixItems : listOf(items)
    this.otherItems = Array.isArray(items) ? schema.additionalItems : items
    this.required = listOf(required).filter((name) => typeof name === 'string')
    this.properties = isObject(schema.properties) ? schema.properties : {}
    // Patterns from outside are never run: what they might allow is allowed.
    this.otherProperties = isObject(schema.patternProperties) ? undefined : schema.additionalProperties
    this.cost = listOf(values).length + listOf(required).length
  }

  typesMessage(value: unknown): string {
    return `must be ${[...(this.types ?? [])].join(' or ')}, not ${typeOf(value)}`
  }

  /** Written once: an `enum` may be long. */
  get valuesMessage(): string {
    this.#valuesMessage ??= `must be one of ${shown(this.values ?? [])}`
    return this.#valuesMessage
  }
}

/** One check of one value. */
class Walk {
  readonly #rulesOf: (schema: Fields) => Rules
  readonly #budget: CheckBudget
  readonly #most: number
  readonly #path: (string | number)[] = []
  #problems: SchemaProblem[] = []

  constructor(rulesOf: (schema: Fields) => Rules, budget: CheckBudget, most: number) {
    this.#rulesOf = rulesOf
    this.#budget = budget
    this.#most = most
  }

  problemsOf(value: unknown, schema: unknown, depth: number): SchemaProblem[] {
    const others = this.#problems
    const found: SchemaProblem[] = []
    this.#problems = found
    this.#value(value, schema, depth)
    this.#problems = others
    return found
  }

  get #isFull(): boolean {
    return this.#problems.length >= this.#most
  }

  #report(message: string, ...inside: string[]): void {
    if (!this.#isFull) this.#problems.push({ path: [...this.#path, ...inside], message })
  }

  #value(value: unknown, schema: unknown, depth: number): void {
    if (schema === false) return this.#report('is not allowed')
    if (!isObject(schema) || depth > maxDepth || this.#budget.steps-- <= 0) return
    const rules = this.#rulesOf(schema)
    if (value === null && rules.isNullable) return
    this.#budget.steps -= rules.cost
    if (rules.types !== undefined && !isOfTypes(value, rules.types))
      return this.#report(rules.typesMessage(value))
    if (rules.values !== undefined && !rules.values.some((one) => this.#isEqual(one, value)))
      return this.#report(rules.valuesMessage)
    if (rules.constant !== undefined && !this.#isEqual(rules.constant, value))
      return this.#report(`must be ${shown([rules.constant])}`)
    for (const part of rules.all) if (!this.#isFull) this.#value(value, part, depth + 1)
    for (const schemas of rules.choices) if (!this.#isFull) this.#choice(value, schemas, depth)
    if (this.#isFull) return
    if (Array.isArray(value)) this.#elements(value, rules, depth)
    else if (isObject(value)) this.#members(value, rules, depth)
  }

  /** Of alternatives that all fail, the one whose first problem lies deepest was probably meant. */
  #choice(value: unknown, schemas: readonly unknown[], depth: number): void {
    let nearest: SchemaProblem[] = []
    let deepest = -1
    for (const schema of schemas) {
      const problems = this.problemsOf(value, schema, depth + 1)
      const [first] = problems
      if (first === undefined) return
      if (first.path.length > deepest) {
        nearest = problems
        deepest = first.path.length
      }
    }
    for (const problem of nearest) if (!this.#isFull) this.#problems.push(problem)
  }

  #elements(value: unknown[], { firstItems, otherItems }: Rules, depth: number): void {
    const checked = otherItems === undefined ? Math.min(firstItems.length, value.length) : value.length
    for (let at = 0; at < checked && this.#budget.steps > 0 && !this.#isFull; at++)
      this.#inside(at, value[at], at < firstItems.length ? firstItems[at] : otherItems, depth)
  }

  #members(value: Fields, { required, properties, otherProperties }: Rules, depth: number): void {
    for (const name of required) if (!Object.hasOwn(value, name)) this.#report('is missing', name)
    for (const name in value) {
      if (this.#isFull || this.#budget.steps-- <= 0) return
      const isKnown = Object.hasOwn(properties, name)
      if (!isKnown && otherProperties === false) this.#report('is not a parameter', name)
      else this.#inside(name, value[name], isKnown ? properties[name] : otherProperties, depth)
    }
  }

  #inside(step: string | number, value: unknown, schema: unknown, depth: number): void {
    this.#path.push(step)
    this.#value(value, schema, depth + 1)
    this.#path.pop()
  }

  #isEqual(one: unknown, other: unknown, depth = 0): boolean {
    if (one === other) return true
    if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
    if (Array.isArray(one) !== Array.isArray(other) || depth > maxDepth) return false
    if (this.#budget.steps-- <= 0) return true
    const keys = Object.keys(one)
    return (
      keys.length === Object.keys(other).length &&
      keys.every(
        (key) =>
          Object.hasOwn(other, key) && this.#isEqual((one as Fields)[key], (other as Fields)[key], depth + 1),
      )
    )
  }
}

const listOf = (list: unknown): readonly unknown[] => (Array.isArray(list) ? list : [])

function shown(values: readonly unknown[]): string {
  const all = values
    .slice(0, maxListed)
    .map((value) => JSON.stringify(value))
    .join(', ')
  return all.length > maxShown || values.length > maxListed ? `${all.slice(0, maxShown)} …` : all
}
