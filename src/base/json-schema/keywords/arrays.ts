// The keywords of arrays.

import { isExact, isStructure, valueText } from '../equal-values.ts'
import { type Compile, listOf, undecided } from '../schema-parts.ts'
import { fails, fits, likely, notDecided, open, type Verdict } from '../verdict.ts'
import type { Rule, Walk } from '../walk.ts'
import { limitsOf } from './limits.ts'

export const compileArraySize: Compile = (schema) => {
  const limits = limitsOf(schema, 'minItems', 'maxItems', 'elements')
  if (limits === undefined) return undecided
  return (value, walk) =>
    Array.isArray(value) && (value.length < limits.least || value.length > limits.most)
      ? walk.fail(limits.message, value)
      : fits
}

export const compileUnique: Compile = ({ uniqueItems }) => {
  if (uniqueItems === false) return undefined
  return uniqueItems === true
    ? (value, walk) => (Array.isArray(value) ? allDiffer(value, walk) : fits)
    : undecided
}

/** Equal numbers that have lost digits may have differed. */
function allDiffer(value: readonly unknown[], walk: Walk): Verdict {
  const seen = new Set<unknown>()
  const texts = new Set<unknown>()
  let verdict: Verdict = fits
  for (const one of value) {
    if (--walk.budget.steps < 0) return open
    const own = isStructure(one) ? valueText(one, walk.budget) : { text: one, isExact: isExact(one) }
    if (own === undefined) return open
    const others = isStructure(one) ? texts : seen
    if (others.has(own.text)) {
      if (own.isExact) return walk.fail('must have no equal elements', value)
      verdict = open
    }
    others.add(own.text)
  }
  return verdict
}

/** The first elements have rules of their own: `prefixItems`, or `items` as a list until draft 2019-09. */
export const compileElements: Compile = (schema, parts) => {
  const { prefixItems, items, additionalItems, unevaluatedItems = true } = schema
  const isList = Array.isArray(items)
  if (prefixItems !== undefined && (!Array.isArray(prefixItems) || isList)) return undecided
  const listed = listOf(prefixItems ?? items)
  const others = isList ? additionalItems : items
  if (!parts.takes(listed.length)) return undecided
  const first = listed.map((one) => parts.ruleOf(one))
  const rest = others === undefined ? undefined : parts.ruleOf(others)
  const isOpen = rest === undefined && unevaluatedItems !== true
  if (first.length === 0 && rest === undefined && !isOpen) return undefined
  return (value, walk) => {
    if (!Array.isArray(value)) return fits
    const verdict = eachElement(value, first, rest, walk)
    return isOpen && value.length > first.length ? notDecided(verdict) : verdict
  }
}

function eachElement(
  value: readonly unknown[],
  first: readonly Rule[],
  rest: Rule | undefined,
  walk: Walk,
): Verdict {
  const checked = rest === undefined ? Math.min(first.length, value.length) : value.length
  let verdict: Verdict = fits
  for (let at = 0; at < checked; at++) {
    if (walk.isSpent) return notDecided(verdict)
    const one = walk.inside(at, (at < first.length ? first[at] : rest) as Rule, value[at])
    if (one > verdict) verdict = one
    if (one === fails && walk.isOver) return fails
  }
  return verdict
}

export const compileContains: Compile = (schema, parts) => {
  if (schema.contains === undefined) return undefined
  const { minContains = 1, maxContains } = schema
  const limits = limitsOf({ minContains, maxContains }, 'minContains', 'maxContains', 'elements')
  if (limits === undefined) return undecided
  const { least, most } = limits
  const message = `${limits.message} as "contains" describes`
  const rule = parts.ruleOf(schema.contains)
  return (value, walk) => {
    if (!Array.isArray(value)) return fits
    const { certain, possible, unknown } = countFitting(value, rule, walk)
    if (certain > most || possible + unknown < least) return walk.fail(message, value)
    if (possible > most || (unknown > 0 && (possible < least || possible + unknown > most))) return open
    return certain >= least ? fits : likely
  }
}

/** `possible` includes `certain`. */
function countFitting(value: readonly unknown[], rule: Rule, walk: Walk) {
  const count = { certain: 0, possible: 0, unknown: 0 }
  for (let at = 0; at < value.length; at++) {
    const verdict = walk.quietly(rule, value[at])
    if (verdict === fits) count.certain++
    if (verdict <= likely) count.possible++
    if (verdict === open) count.unknown++
    if (!walk.isSpent) continue
    count.unknown += value.length - at - 1
    break
  }
  return count
}
