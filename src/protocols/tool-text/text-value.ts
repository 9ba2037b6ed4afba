// One argument that came as raw text between tags. Only its schema can say what it is: strings stay as they are, to the
// last space, and everything else is JSON, or nearly.

import { checkBudget, SchemaChecker } from '../../base/json-schema/check.ts'
import { allowedTypes, isOfTypes, type JsonType, typeOf } from '../../base/json-schema/types.ts'
import { readJson, readNumber, readStructure, readWord } from './text-literals.ts'

export interface TextValue {
  value: unknown
  /** The value as JSON, where the text was JSON: large numbers and 1.0 stay what they were. */
  json?: string
  /** What was put right, in words. */
  change?: string
}

/** `checker`: of all the tool's parameters, where the schema is a part of them. */
export function readTextValue(raw: string, schema: unknown, checker = new SchemaChecker(schema)): TextValue {
  const types = allowedTypes(schema, checker.root)
  if (types === undefined) return readUntyped(raw)
  const budget = checkBudget()
  const fits = (value: unknown) => checker.conformsTo(schema, value, budget)
  if (!types.has('string')) return readTyped(raw, types, fits)
  if (types.size === 1) return fits(raw) ? { value: raw } : (undressed(raw, fits) ?? { value: raw })
  // Text that is another of the types as it stands is meant as that: null is not the word.
  const strict = strictly(raw)
  const isOther = strict !== undefined && typeof strict.value !== 'string' && fits(strict.value)
  return isOther && isExact(raw, strict.value) ? strict : { value: raw }
}

/**
 * Nothing is known: objects and arrays are hardly ever meant as text, but numbers and words are, as often as not, and a
 * string is what loses nothing.
 */
function readUntyped(raw: string): TextValue {
  const strict = /^\s*[{[]/.test(raw) ? strictly(raw) : undefined
  return strict ?? { value: raw }
}

function readTyped(raw: string, types: ReadonlySet<JsonType>, fits: (value: unknown) => boolean): TextValue {
  const strict = strictly(raw)
  if (strict !== undefined && typeof strict.value !== 'string')
    return isAsked(strict.value, types) ? strict : { value: raw }
  // A JSON string where none is asked for: what counts is in it.
  const text = typeof strict?.value === 'string' ? strict.value.trim() : raw.trim()
  const quoted = strict === undefined ? [] : ['quotes around a value']
  const word = readWord(text)
  if (word !== undefined && types.has(typeOf(word))) {
    const spelled = text === String(word) ? [] : [`${text} for ${word}`]
    return put(word, [...quoted, ...spelled])
  }
  const number = types.has('number') || types.has('integer') ? readNumber(text) : undefined
  if (number !== undefined && fits(number)) return put(number, quoted)
  const structure = types.has('object') || types.has('array') ? readStructure(text) : undefined
  if (structure === undefined || !isAsked(structure.value, types)) return { value: raw }
  return put(structure.value, [...quoted, ...structure.changes])
}

const put = (value: unknown, changes: string[]): TextValue =>
  changes.length === 0 ? { value } : { value, change: changes.join(', ') }

/** 3.7 where an integer is asked for is still better a number than a string: the client will say what is wrong. */
function isAsked(value: unknown, types: ReadonlySet<JsonType>): boolean {
  return isOfTypes(value, types) || (typeof value === 'number' && types.has('integer'))
}

/** An enum's value with quotes or white space around it. */
function undressed(raw: string, fits: (value: unknown) => boolean): TextValue | undefined {
  const trimmed = raw.trim()
  if (fits(trimmed)) return { value: trimmed, change: 'white space around a value' }
  const inner = readJson(trimmed)
  if (typeof inner !== 'string' || !fits(inner)) return undefined
  return { value: inner, change: 'quotes around a value' }
}

function strictly(raw: string): TextValue | undefined {
  const value = readJson(raw)
  return value === undefined ? undefined : { value, json: raw.trim() }
}

/** Where it could be a string as well, digits must not get lost. */
const isExact = (raw: string, value: unknown) =>
  typeof value !== 'number' || readNumber(raw.trim()) !== undefined
