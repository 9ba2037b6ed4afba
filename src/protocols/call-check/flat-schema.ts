// Parts of a schema with its references and combinations resolved. All lookups are bounded: schemas come from outside.

import { type Fields, isObject } from '../../base/json.ts'
import { resolveReference } from '../../base/json-schema/reference.ts'

const maxAlternatives = 32
const maxHops = 8

/** The schema with its references replaced by their targets. */
export function flatSchema(schema: unknown, root: unknown): Fields {
  let found = isObject(schema) ? schema : {}
  for (let hops = 0; hops < maxHops; hops++) {
    const { $ref, ...own } = found
    const target = resolveReference($ref, root)
    if (!isObject(target)) break
    found = { ...target, ...own }
  }
  return found
}

export function elementSchema(schema: Fields, root: unknown, depth = 0): unknown {
  if (schema.items !== undefined || depth > maxHops)
    return Array.isArray(schema.items) ? undefined : schema.items
  for (const part of listOf(schema.allOf)) {
    const items = elementSchema(flatSchema(part, root), root, depth + 1)
    if (items !== undefined) return items
  }
  return undefined
}

export interface MemberRules {
  /** Names of `properties`. */
  declared: Set<string>
  required: Set<string>
  /** Other members are not allowed. */
  isClosed: boolean
  /** Other members may be meant: they match a pattern. */
  hasPatterns: boolean
}

/** What the schema and all parts that it combines say about the members of an object. */
export function memberRules(schema: Fields, root: unknown): MemberRules {
  const rules: MemberRules = {
    declared: new Set(),
    required: new Set(),
    isClosed: false,
    hasPatterns: false,
  }
  collect(schema, root, rules, 0)
  return rules
}

function collect(schema: Fields, root: unknown, rules: MemberRules, depth: number): void {
  if (depth > maxHops) return
  const { properties, required, additionalProperties, patternProperties } = schema
  if (isObject(properties)) for (const name of Object.keys(properties)) rules.declared.add(name)
  for (const name of listOf(required)) if (typeof name === 'string') rules.required.add(name)
  rules.isClosed ||= additionalProperties === false
  rules.hasPatterns ||= isObject(patternProperties)
  for (const part of listOf(schema.allOf).slice(0, maxAlternatives))
    collect(flatSchema(part, root), root, rules, depth + 1)
}

export const listOf = (list: unknown): unknown[] => (Array.isArray(list) ? list : [])

export const alternativesOf = (schema: Fields) =>
  [...listOf(schema.anyOf), ...listOf(schema.oneOf)].slice(0, maxAlternatives)
