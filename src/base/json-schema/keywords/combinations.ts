// Schemas made of schemas: references, `allOf`, `anyOf`, `oneOf`, `not`, `if`.

import { isObject } from '../../json.ts'
import { type Compile, listOf, type SchemaParts, undecided } from '../schema-parts.ts'
import { fails, fits, likely, open, opposite, type Verdict } from '../verdict.ts'
import type { Rule, SchemaProblem, Walk } from '../walk.ts'

export const compileReference: Compile = (schema, parts) => {
  if (schema.$ref === undefined) return undecided
  const target = parts.targetOf(schema)
  if (target === undefined) return undecided
  const rule = parts.sharedRuleOf(target)
  return (value, walk) => walk.verdictOf(rule, value)
}

export const compileAll: Compile = ({ allOf }, parts) => {
  const rules = rulesOf(allOf, parts)
  if (rules === undefined) return undecided
  return (value, walk) => {
    let verdict: Verdict = fits
    for (const rule of rules) {
      const one = walk.verdictOf(rule, value)
      if (one > verdict) verdict = one
      if (one === fails && walk.isOver) return fails
    }
    return verdict
  }
}

export const compileAny: Compile = ({ anyOf }, parts) => {
  const rules = rulesOf(anyOf, parts)
  if (rules === undefined) return undecided
  return (value, walk) => {
    let verdict: Verdict = fails
    for (const rule of rules) {
      const one = walk.quietly(rule, value)
      if (one <= likely) return one
      if (one < verdict) verdict = one
    }
    return verdict === fails ? failAll(rules, value, walk) : verdict
  }
}

/**
 * Exactly one must fit. That several do counts only where each of them states more than a type or some properties: many authors
 * mean `anyOf`, and a call that fits two open schemas is a good one.
 */
export const compileOne: Compile = ({ oneOf, discriminator }, parts) => {
  const rules = rulesOf(oneOf, parts)
  if (rules === undefined) return undecided
  const excludes = (at: number) => discriminator === undefined && isExcluding(listOf(oneOf)[at], parts)
  return (value, walk) => {
    const certain: number[] = []
    let possible = 0
    let verdict: Verdict = fails
    for (let at = 0; at < rules.length; at++) {
      const one = walk.quietly(rules[at] as Rule, value)
      if (one < verdict) verdict = one
      if (one === fits) certain.push(at)
      if (one !== fails) possible++
    }
    if (possible === 0) return failAll(rules, value, walk)
    if (possible === 1) return verdict
    if (certain.filter(excludes).length < 2) return open
    return walk.fail('fits several of the alternatives, must fit one', value)
  }
}

export const compileNot: Compile = ({ not }, parts) => {
  const rule = parts.ruleOf(not)
  return (value, walk) => {
    const verdict = opposite(walk.quietly(rule, value))
    return verdict === fails ? walk.fail('must not be what "not" describes', value) : verdict
  }
}

export const compileCondition: Compile = (schema, parts) => {
  if (schema.if === undefined) return undefined
  const condition = parts.ruleOf(schema.if)
  const [positive, negative] = [schema.then, schema.else].map((one) => parts.ruleOf(one ?? true))
  return (value, walk) => {
    const verdict = walk.quietly(condition, value)
    if (verdict === fits) return walk.verdictOf(positive as Rule, value)
    if (verdict === fails) return walk.verdictOf(negative as Rule, value)
    const both = [positive, negative].map((rule) => walk.quietly(rule as Rule, value))
    if (both.every((one) => one === fails)) return walk.verdictOf(positive as Rule, value)
    return both.every((one) => one <= likely) ? likely : open
  }
}

/** Undefined where the list makes no sense, or is too long. */
function rulesOf(list: unknown, parts: SchemaParts): Rule[] | undefined {
  if (!Array.isArray(list) || list.length === 0 || !parts.takes(list.length)) return undefined
  return list.map((one) => parts.ruleOf(one))
}

const maxExplained = 50

/** Of alternatives that all fail, the one whose first problem lies deepest was probably meant. */
function failAll(rules: readonly Rule[], value: unknown, walk: Walk): Verdict {
  if (walk.isQuiet) return fails
  let nearest: readonly SchemaProblem[] = []
  let deepest = -1
  for (const rule of rules.slice(0, maxExplained)) {
    const { problems } = walk.apart(rule, value)
    const [first] = problems
    if (first === undefined || first.path.length <= deepest) continue
    nearest = problems
    deepest = first.path.length
  }
  return walk.failBy(nearest)
}

const excluding = [
  'required',
  'const',
  'enum',
  'not',
  'pattern',
  'minimum',
  'maximum',
  'exclusiveMinimum',
].concat(
  [
    'exclusiveMaximum',
    'multipleOf',
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'uniqueItems',
    'contains',
  ],
  ['minProperties', 'maxProperties', 'propertyNames', 'dependentRequired', 'dependentSchemas', 'if'],
)
const maxHops = 2
const maxParts = 8

/** Whether a schema says enough to tell its values from those of another. */
function isExcluding(schema: unknown, parts: SchemaParts, hops = 0): boolean {
  if (!isObject(schema) || hops > maxHops) return false
  if (schema.additionalProperties === false || excluding.some((name) => schema[name] !== undefined))
    return true
  const inside = [parts.targetOf(schema), ...listOf(schema.allOf).slice(0, maxParts)]
  return inside.some((one) => isExcluding(one, parts, hops + 1))
}
