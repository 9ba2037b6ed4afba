// Sizes of a schema, for the limits of services.

import { type Fields, isObject } from '../../base/json.ts'
import { innerSchemas, membersOf, textsOf } from './keywords.ts'
import type { Subset } from './subset.ts'

type Sizes = NonNullable<Subset['sizes']>

export function isWithin(root: Fields, most: Sizes): boolean {
  const size = { properties: 0, enums: 0, text: 0 }
  const open: { schema: Fields; level: number }[] = [{ schema: root, level: 0 }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { schema, level } = next
    const names = membersOf(schema.properties).map(([name]) => name)
    const values = Array.isArray(schema.enum) ? schema.enum : []
    const inside = level + (schema.properties !== undefined || schema.items !== undefined ? 1 : 0)
    size.properties += names.length
    size.enums += values.length
    size.text += names.join('').length + values.reduce<number>((sum, value) => sum + String(value).length, 0)
    if (inside > most.levels || size.properties > most.properties) return false
    if (size.enums > most.enums || size.text > most.text) return false
    for (const inner of innerSchemas(schema)) open.push({ schema: inner, level: inside })
  }
  return true
}

interface ParameterCount {
  /** Parameters that may be absent, of all objects inside. */
  optional: number
  /** Parameters of more than one type. */
  unions: number
}

/** What Anthropic counts in the strict tools of a request. */
export function countParameters(root: Fields): ParameterCount {
  const count = { optional: 0, unions: 0 }
  const open: Fields[] = [root]
  for (let schema = open.pop(); schema; schema = open.pop()) {
    const required = new Set(textsOf(schema.required))
    for (const [name, property] of membersOf(schema.properties)) {
      if (!required.has(name)) count.optional++
      if (isObject(property) && (Array.isArray(property.anyOf) || Array.isArray(property.type)))
        count.unions++
    }
    open.push(...innerSchemas(schema))
  }
  return count
}
