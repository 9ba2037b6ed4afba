// Which members an object must have: `required`, the dependent ones, and how many.

import { type Fields, isObject } from '../../json.ts'
import { type Compile, type SchemaParts, undecided } from '../schema-parts.ts'
import { fails, fits, notDecided, open, type Verdict } from '../verdict.ts'
import type { Rule, Walk } from '../walk.ts'
import { limitsOf } from './limits.ts'

const isNames = (list: unknown): list is string[] =>
  Array.isArray(list) && list.every((name) => typeof name === 'string')

export const compileRequired: Compile = ({ required }, parts) => {
  if (!isNames(required) || !parts.takes(required.length)) return undecided
  if (required.length === 0) return undefined
  return (value, walk) => {
    if (!isObject(value)) return fits
    let verdict: Verdict = fits
    if (!walk.spend(required.length)) return open
    for (const name of required) {
      if (Object.hasOwn(value, name)) continue
      verdict = walk.fail('is missing', value, name)
      if (walk.isOver) return fails
    }
    return verdict
  }
}

export const compileObjectSize: Compile = (schema) => {
  const limits = limitsOf(schema, 'minProperties', 'maxProperties', 'members')
  if (limits === undefined) return undecided
  return (value, walk) => {
    if (!isObject(value)) return fits
    let count = 0
    // Up to the first that is too many.
    for (const _ in value) if (++count > limits.most) break
    if (!walk.spend(count >> 2)) return open
    return count < limits.least || count > limits.most ? walk.fail(limits.message, value) : fits
  }
}

interface Dependency {
  name: string
  names: readonly string[]
  rule: Rule | undefined
}

/** `dependencies` is both of the others, until draft 7. */
export const compileDependencies: Compile = (schema, parts) => {
  const { dependentRequired = {}, dependentSchemas = {}, dependencies = {} } = schema
  const maps = [dependentRequired, dependentSchemas, dependencies]
  if (!maps.every(isObject)) return undecided
  const all = maps
    .flatMap((map) => Object.entries(map as Fields))
    .map(([name, one]) => read(name, one, parts))
  if (!all.every((one) => parts.takes(1 + one.names.length))) return undecided
  return (value, walk) => {
    if (!isObject(value)) return fits
    let verdict: Verdict = fits
    for (const { name, names, rule } of all) {
      if (!walk.spend(1 + names.length)) return notDecided(verdict)
      if (!Object.hasOwn(value, name)) continue
      const one = rule === undefined ? missing(name, names, value, walk) : walk.verdictOf(rule, value)
      if (one > verdict) verdict = one
      if (one === fails && walk.isOver) return fails
    }
    return verdict
  }
}

function missing(name: string, names: readonly string[], value: Fields, walk: Walk): Verdict {
  const absent = names.filter((needed) => !Object.hasOwn(value, needed))
  for (const needed of absent) walk.fail(() => `is missing, which "${name}" needs`, value, needed)
  return absent.length > 0 ? fails : fits
}

function read(name: string, needed: unknown, parts: SchemaParts): Dependency {
  if (isNames(needed)) return { name, names: needed, rule: undefined }
  return { name, names: [], rule: parts.ruleOf(needed) }
}
