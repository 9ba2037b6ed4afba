// `type`, `enum` and `const`.

import { isExact, isStructure, valueText } from '../equal-values.ts'
import { type Compile, shown, undecided } from '../schema-parts.ts'
import { type JsonType, namedTypes, typeOf } from '../types.ts'
import { fits, likely, open, type Verdict } from '../verdict.ts'
import type { Message, Walk } from '../walk.ts'

const typeBits: Readonly<Record<JsonType, number>> = {
  null: 1,
  boolean: 2,
  integer: 4,
  // An integer is also a number.
  number: 4 + 8,
  string: 16,
  array: 32,
  object: 64,
}

export const compileType: Compile = (schema) => {
  const types = namedTypes(schema)
  if (types === undefined || types.size === 0) return undecided
  let allowed = 0
  for (const type of types) allowed |= typeBits[type]
  const message = (value: unknown) =>
    `must be ${[...(namedTypes(schema) ?? [])].join(' or ')}, not ${typeOf(value)}`
  return (value, walk) => {
    if (allowed & bitOf(value)) return fits
    // A number that is too large for JavaScript.
    if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) return open
    return walk.fail(message, value)
  }
}

function bitOf(value: unknown): number {
  if (typeof value === 'string') return typeBits.string
  // A fraction is no integer.
  if (typeof value === 'number') return Number.isInteger(value) ? typeBits.integer : 8
  return typeBits[typeOf(value)]
}

/** Short lists are searched. */
const longList = 16

export const compileEnum: Compile = ({ enum: values }, parts) => {
  if (!Array.isArray(values) || values.length === 0 || !parts.takes(values.length)) return undecided
  let message: string | undefined
  return equalsOne(values, parts.takes, () => {
    message ??= `must be one of ${shown(values)}`
    return message
  })
}

export const compileConst: Compile = ({ const: constant }, parts) =>
  equalsOne([constant], parts.takes, () => `must be ${shown([constant])}`)

function equalsOne(values: readonly unknown[], takes: (amount: number) => boolean, message: Message) {
  const known = values.length > longList ? new Set(values) : undefined
  const structures = values.filter(isStructure)
  let texts: ReadonlySet<string> | null | undefined
  return (value: unknown, walk: Walk): Verdict => {
    if (!isStructure(value)) {
      const isKnown = known ? known.has(value) : values.includes(value)
      if (isKnown) return isExact(value) ? fits : likely
      return walk.fail(message, value)
    }
    if (structures.length === 0) return walk.fail(message, value)
    if (texts === undefined) texts = textsOf(structures, takes)
    const own = texts && valueText(value, walk.budget)
    if (!texts || !own) return open
    if (!texts.has(own.text)) return walk.fail(message, value)
    return own.isExact ? fits : likely
  }
}

/** Null where that is too much. */
function textsOf(
  structures: readonly object[],
  takes: (amount: number) => boolean,
): ReadonlySet<string> | null {
  const texts = new Set<string>()
  for (const one of structures) {
    const budget = { steps: mostSteps }
    const found = valueText(one, budget)
    if (!found || !takes(textSize * (mostSteps - budget.steps))) return null
    texts.add(found.text)
  }
  return texts
}

const mostSteps = 10_000
/** To write a value takes more than to look at it. */
const textSize = 2
