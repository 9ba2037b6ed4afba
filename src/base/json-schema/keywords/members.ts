// `properties`, `patternProperties`, `additionalProperties`: each member of an object by the rules for its name. And `propertyNames`.

import { type Fields, isObject } from '../../json.ts'
import type { EcmaPattern } from '../../pattern/pattern.ts'
import { type Compile, type SchemaParts, undecided } from '../schema-parts.ts'
import { fails, fits, notDecided, open, type Verdict } from '../verdict.ts'
import type { Rule, Walk } from '../walk.ts'

export const compileMembers: Compile = (schema, parts) => {
  const { properties = {}, patternProperties = {}, additionalProperties, unevaluatedProperties } = schema
  if (!isObject(properties) || !isObject(patternProperties)) return undecided
  if (!parts.takes(Object.keys(patternProperties).length)) return undecided
  const isLimited = [additionalProperties, unevaluatedProperties].some((one) => (one ?? true) !== true)
  if (!isLimited && isEmpty(patternProperties) && isEmpty(properties)) return undefined
  const members = new Members(schema, properties, patternProperties, parts)
  return (value, walk) => (isObject(value) ? members.verdict(value, walk) : fits)
}

function isEmpty(object: Fields): boolean {
  for (const _ in object) return false
  return true
}

export const compileNames: Compile = ({ propertyNames }, parts) => {
  const rule = parts.ruleOf(propertyNames)
  return (value, walk) => {
    if (!isObject(value)) return fits
    let verdict: Verdict = fits
    for (const name in value) {
      if (walk.isSpent) return notDecided(verdict)
      const one = walk.quietly(rule, name)
      if (one === fails) walk.fail('has a name that is not allowed', value, name)
      if (one > verdict) verdict = one
      if (one === fails && walk.isOver) return fails
    }
    return verdict
  }
}

class Members {
  readonly #parts: SchemaParts
  readonly #properties: Fields
  /** Of names that were seen. */
  readonly #known = new Map<string, Rule>()
  readonly #patterns: readonly { pattern: EcmaPattern; rule: Rule }[]
  /** Whether there are patterns that cannot be decided. */
  readonly #hasOthers: boolean
  readonly #additional: Rule | 'none' | undefined
  readonly #isOpen: boolean

  constructor(schema: Fields, properties: Fields, patternProperties: Fields, parts: SchemaParts) {
    const { additionalProperties: additional, unevaluatedProperties = true } = schema
    this.#parts = parts
    this.#properties = properties
    const sources = Object.keys(patternProperties)
    this.#patterns = sources.flatMap((source) => {
      const pattern = parts.patternOf(source)
      return pattern ? [{ pattern, rule: parts.ruleOf(patternProperties[source]) }] : []
    })
    this.#hasOthers = this.#patterns.length < sources.length
    if (additional === false) this.#additional = 'none'
    else if (additional !== undefined && additional !== true) this.#additional = parts.ruleOf(additional)
    this.#isOpen = additional === undefined && unevaluatedProperties !== true
  }

  verdict(value: Fields, walk: Walk): Verdict {
    let verdict: Verdict = fits
    for (const name in value) {
      if (--walk.budget.steps < 0) return notDecided(verdict)
      const one = this.#member(name, value[name], walk)
      if (one > verdict) verdict = one
      if (one === fails && walk.isOver) return fails
    }
    return verdict
  }

  #member(name: string, value: unknown, walk: Walk): Verdict {
    const own = this.#ruleOf(name)
    if (this.#patterns.length > 0 || this.#hasOthers) return this.#byPatterns(name, value, own, walk)
    return own ? walk.inside(name, own, value) : this.#other(name, value, walk)
  }

  #ruleOf(name: string): Rule | undefined {
    const known = this.#known.get(name)
    if (known !== undefined || !Object.hasOwn(this.#properties, name)) return known
    const rule = this.#parts.ruleOf(this.#properties[name])
    this.#known.set(name, rule)
    return rule
  }

  #byPatterns(name: string, value: unknown, own: Rule | undefined, walk: Walk): Verdict {
    const rules = own ? [own] : []
    let isCertain = !this.#hasOthers
    for (const { pattern, rule } of this.#patterns) {
      const matches = pattern.matches(name, walk.budget)
      if (matches === undefined || pattern.isDoubtful(name)) isCertain = false
      else if (matches) rules.push(rule)
      if (walk.isSpent) return open
    }
    let verdict: Verdict = isCertain ? fits : open
    if (rules.length === 0 && isCertain) return this.#other(name, value, walk)
    for (const rule of rules) {
      const one = walk.inside(name, rule, value)
      if (one > verdict) verdict = one
      if (one === fails && walk.isOver) return fails
    }
    return verdict
  }

  #other(name: string, value: unknown, walk: Walk): Verdict {
    if (this.#additional === 'none') return walk.fail('is not a parameter', value, name)
    if (this.#additional !== undefined) return walk.inside(name, this.#additional, value)
    return this.#isOpen ? open : fits
  }
}
