// The keywords of numbers.

import type { Fields } from '../../json.ts'
import { isExact } from '../equal-values.ts'
import { type Compile, undecided } from '../schema-parts.ts'
import { fails, fits, open, type Verdict } from '../verdict.ts'

interface NumberRule {
  verdictOf(value: number): Verdict
  message: string
}

export const compileNumber: Compile = (schema) => {
  const rules = [...bounds(schema, 'minimum', 1), ...bounds(schema, 'maximum', -1), ...multiple(schema)]
  if (rules.includes(undefined)) return undecided
  const all = rules as NumberRule[]
  if (all.length === 0) return undefined
  return (value, walk) => {
    if (typeof value !== 'number') return fits
    if (!Number.isFinite(value)) return open
    let verdict: Verdict = fits
    for (const rule of all) {
      const one = rule.verdictOf(value)
      if (one === fails) walk.fail(rule.message, value)
      if (one > verdict) verdict = one
    }
    return verdict
  }
}

const names = {
  minimum: { exclusive: 'exclusiveMinimum', within: 'at least', beyond: 'more than' },
  maximum: { exclusive: 'exclusiveMaximum', within: 'at most', beyond: 'less than' },
} as const

/** `side` is 1 where the value must be above. Undefined is a bound that makes no sense. */
function bounds(schema: Fields, name: 'minimum' | 'maximum', side: 1 | -1): (NumberRule | undefined)[] {
  const { exclusive, within, beyond } = names[name]
  const inclusive = schema[name]
  const other = schema[exclusive]
  // In draft 4 it is a boolean.
  const isExclusive = other === true
  const rules: (NumberRule | undefined)[] = []
  if (inclusive !== undefined) rules.push(bound(inclusive, side, isExclusive, isExclusive ? beyond : within))
  if (other !== undefined && typeof other !== 'boolean') rules.push(bound(other, side, true, beyond))
  return rules
}

function bound(limit: unknown, side: 1 | -1, isExclusive: boolean, words: string): NumberRule | undefined {
  if (typeof limit !== 'number' || !Number.isFinite(limit)) return undefined
  const verdictOf = (value: number) => {
    const distance = (value - limit) * side
    if (distance !== 0 || !isExclusive) return distance < 0 ? fails : fits
    return isExact(value) ? fails : open
  }
  return { verdictOf, message: `must be ${words} ${limit}` }
}

function multiple({ multipleOf }: Fields): (NumberRule | undefined)[] {
  if (multipleOf === undefined) return []
  if (typeof multipleOf !== 'number' || !(multipleOf > 0) || !Number.isFinite(multipleOf)) return [undefined]
  return [
    { verdictOf: (value) => isMultiple(value, multipleOf), message: `must be a multiple of ${multipleOf}` },
  ]
}

/** Exact for decimals, too: 0.3 is a multiple of 0.1, though not by division of floating point numbers. */
function isMultiple(value: number, of: number): Verdict {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(of)) return value % of === 0 ? fits : fails
  const one = decimalOf(value)
  const other = decimalOf(of)
  if (one === undefined || other === undefined) return open
  const scale = Math.min(one.exponent, other.exponent)
  return scaled(one, scale) % scaled(other, scale) === 0n ? fits : fails
}

interface Decimal {
  digits: bigint
  exponent: number
}

const scaled = ({ digits, exponent }: Decimal, scale: number) => digits * 10n ** BigInt(exponent - scale)

/** More digits are not certain to be those that were written. */
const mostDigits = 15

function decimalOf(value: number): Decimal | undefined {
  const [, digits = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? []
  const all = `${digits}${fraction}`
  if (!isExact(value) || (all.replace(/^0+/, '').length > mostDigits && !Number.isSafeInteger(value)))
    return undefined
  return all === '' ? undefined : { digits: BigInt(all), exponent: Number(exponent) - fraction.length }
}
