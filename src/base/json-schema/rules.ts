// A schema, prepared for checks. Each part is prepared when a value first reaches it: a large or recursive schema costs only what is
// used. What one schema may cost in all is limited; a part beyond that is not checked.

import { type Fields, isObject } from '../json.ts'
import { EcmaPattern } from '../pattern/pattern.ts'
import { compileArraySize, compileContains, compileElements, compileUnique } from './keywords/arrays.ts'
import * as combinations from './keywords/combinations.ts'
import { compileMembers, compileNames } from './keywords/members.ts'
import { compileNumber } from './keywords/numbers.ts'
import { compileDependencies, compileObjectSize, compileRequired } from './keywords/objects.ts'
import { compileLength, compilePattern } from './keywords/strings.ts'
import { compileConst, compileEnum, compileType } from './keywords/values.ts'
import { type Compile, type SchemaParts, undecided } from './schema-parts.ts'
import { SchemaReferences } from './schema-references.ts'
import { fails, fits, likely, open, type Verdict } from './verdict.ts'
import type { Check, Rule, Walk } from './walk.ts'

/** In the order in which problems are told. */
const groups: readonly (readonly [keywords: string, compile: Compile])[] = [
  ['type', compileType],
  ['enum', compileEnum],
  ['const', compileConst],
  ['$ref $dynamicRef $recursiveRef', combinations.compileReference],
  ['allOf', combinations.compileAll],
  ['anyOf', combinations.compileAny],
  ['oneOf', combinations.compileOne],
  ['not', combinations.compileNot],
  ['if', combinations.compileCondition],
  ['minimum maximum exclusiveMinimum exclusiveMaximum multipleOf', compileNumber],
  ['minLength maxLength', compileLength],
  ['pattern', compilePattern],
  ['minItems maxItems', compileArraySize],
  ['uniqueItems', compileUnique],
  ['prefixItems items unevaluatedItems', compileElements],
  ['contains', compileContains],
  ['required', compileRequired],
  ['dependentRequired dependentSchemas dependencies', compileDependencies],
  ['minProperties maxProperties', compileObjectSize],
  ['propertyNames', compileNames],
  ['properties patternProperties additionalProperties unevaluatedProperties', compileMembers],
]

/** Of the first groups: where one fails, the others have nothing to add. */
const gates = 3

/** These say nothing of a value, or only together with others. */
const annotations =
  'title description default examples example deprecated readOnly writeOnly nullable discriminator then else additionalItems ' +
  'minContains maxContains $comment $schema $id $anchor $defs definitions'

const bits = new Map<string, number>([
  ...annotations.split(' ').map((name): [string, number] => [name, 0]),
  ...groups.flatMap(([keywords], at) => keywords.split(' ').map((name): [string, number] => [name, 1 << at])),
])

/** What all of one schema may take, in entries of a list. Beside it: a part of the schema, a pattern, a place of its automaton. */
const mostRoom = 100_000
const partSize = 8
const patternSize = 100
const placeSize = 5
/** What automatons may remember. */
const patternMemory = 20_000

export class Rules implements Rule {
  readonly #schema: Fields
  readonly #parts: SchemaParts
  #checks: readonly Check[] | undefined
  #gates = 0
  readonly #isNullable: boolean
  /** An unknown keyword may say more. */
  #least: Verdict = fits

  constructor(schema: Fields, parts: SchemaParts) {
    this.#schema = schema
    this.#parts = parts
    this.#isNullable = schema.nullable === true
  }

  get isTrivial(): boolean {
    this.#checks ??= this.#compile()
    return this.#checks.length === 0
  }

  verdict(value: unknown, walk: Walk): Verdict {
    if (value === null && this.#isNullable) return likely
    this.#checks ??= this.#compile()
    const checks = this.#checks
    let verdict = this.#least
    for (let at = 0; at < checks.length; at++) {
      const one = (checks[at] as Check)(value, walk)
      if (one > verdict) verdict = one
      if (one === fails && (at < this.#gates || walk.isOver)) return fails
    }
    return verdict
  }

  #compile(): readonly Check[] {
    const schema = this.#schema
    if (!this.#parts.takes(partSize)) return [undecided]
    let found = 0
    let count = 0
    for (const name in schema) {
      const bit = bits.get(name)
      if (bit === undefined) this.#least = likely
      else found |= bit
      count++
    }
    if (!this.#parts.takes(count)) return [undecided]
    const checks: Check[] = []
    for (let at = 0; found >= 1 << at; at++) {
      const check = found & (1 << at) ? groups[at]?.[1](schema, this.#parts) : undefined
      if (check === undefined) continue
      checks.push(check)
      if (at < gates) this.#gates++
    }
    return checks
  }
}

const anything: Rule = { verdict: () => fits }
const nothing: Rule = { verdict: (value, walk) => walk.fail('is not allowed', value) }
/** Neither a boolean nor an object is a schema. */
const noSchema: Rule = { verdict: () => open }

export class SchemaRules implements SchemaParts {
  readonly #references: SchemaReferences
  readonly #shared = new WeakMap<Fields, Rules>()
  readonly #patterns = new Map<string, EcmaPattern>()
  readonly #memory = { left: patternMemory }
  #left = mostRoom

  constructor(root: unknown) {
    this.#references = new SchemaReferences(root, (amount) => this.takes(amount))
  }

  ruleOf(schema: unknown): Rule {
    if (isObject(schema)) return new Rules(schema, this)
    return schema === true ? anything : schema === false ? nothing : noSchema
  }

  sharedRuleOf(schema: unknown): Rule {
    if (!isObject(schema)) return this.ruleOf(schema)
    const known = this.#shared.get(schema)
    if (known !== undefined) return known
    const rules = new Rules(schema, this)
    this.#shared.set(schema, rules)
    return rules
  }

  targetOf(schema: Fields): unknown {
    return this.#references.targetOf(schema)
  }

  patternOf(source: string): EcmaPattern | undefined {
    const known = this.#patterns.get(source)
    if (known !== undefined) return known
    if (!this.takes(patternSize)) return undefined
    const places = { left: this.#left / placeSize }
    const pattern = EcmaPattern.read(source, places, this.#memory)
    this.#left = places.left * placeSize
    if (pattern) this.#patterns.set(source, pattern)
    return pattern
  }

  readonly takes = (amount: number): boolean => {
    if (amount > this.#left) return false
    this.#left -= amount
    return true
  }
}
