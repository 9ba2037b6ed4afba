// Keywords that hold no schema: which a subset takes, and what becomes of the others.

import { copySpelling, writeMember } from '../../base/exact-json.ts'
import type { Fields } from '../../base/json.ts'
import type { Subset } from './subset.ts'
import { Unfit } from './unfit.ts'

/** A longer constraint is left out without being told. */
const longestTold = 300

/** kept, or what replaces it; told in the description; or dropped. */
type Treatment = { readonly kept: Fields } | 'told' | 'dropped'

export function treat(schema: Fields, keyword: string, subset: Subset): Treatment {
  const value = schema[keyword]
  if (subset.unfit.has(keyword)) throw new Unfit(`it has ${keyword}`)
  if (subset.dropped.has(keyword)) return 'dropped'
  if (subset.told.has(keyword)) return 'told'
  if (keyword === 'enum') return treatEnum(schema, Array.isArray(value) ? value : [], subset)
  if (keyword === 'const') return treatConst(schema, value, subset)
  if (subset.known && !subset.known.has(keyword)) return 'dropped'
  const isTaken =
    keyword === 'format'
      ? (subset.formats?.has(String(value)) ?? true)
      : keyword === 'pattern'
        ? (subset.takesPattern?.(String(value)) ?? true)
        : !(Number(value) > (subset.most?.get(keyword) ?? Number.POSITIVE_INFINITY))
  return isTaken ? { kept: { [keyword]: value } } : 'told'
}

const isPrimitive = (value: unknown) => typeof value !== 'object' || value === null
const isText = (value: unknown) => typeof value === 'string'

function treatEnum(schema: Fields, values: readonly unknown[], { enums, goal }: Subset): Treatment {
  if (values.length === 0 && goal === 'strict') throw new Unfit('it has an empty enum')
  if (values.length === 0) return 'dropped'
  if (enums === 'any') return { kept: { enum: schema.enum } }
  if (enums === 'primitive') {
    if (values.every(isPrimitive)) return { kept: { enum: schema.enum } }
    throw new Unfit('it has an enum of objects or lists')
  }
  const others = values.filter((value) => value !== null)
  if (!others.every(isText) || others.length === 0) return 'told'
  return { kept: { enum: others, ...(others.length < values.length ? { nullable: true } : {}) } }
}

function treatConst(schema: Fields, value: unknown, { enums }: Subset): Treatment {
  if (enums === 'strings') return isText(value) ? { kept: { enum: [value] } } : 'told'
  if (enums === 'primitive' && !isPrimitive(value)) throw new Unfit('it has a constant object or list')
  return { kept: copySpelling(schema, { const: value }) }
}

/** A constraint in words, for the description; undefined if it is too long for one. */
export function inWords(schema: Fields, keyword: string): string | undefined {
  const words = `${keyword}: ${writeMember(schema, keyword, schema[keyword])}`
  return words.length > longestTold ? undefined : words
}

export function describe(description: unknown, said: readonly string[]): Fields {
  const given = typeof description === 'string' ? description : ''
  const all = said.length === 0 ? given : `${given}${given === '' ? '' : ' '}(${said.join(', ')})`
  return all === '' ? {} : { description: all }
}
