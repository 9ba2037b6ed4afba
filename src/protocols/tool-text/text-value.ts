// One argument that was raw text between tags. Its schema decides what it is: a string keeps every character, anything else is
// read as JSON, leniently.

import { checkBudget, SchemaChecker } from '../../base/json-schema/check.ts'
import { allowedTypes, isOfTypes, type JsonType, typeOf } from '../../base/json-schema/types.ts'
import { readJson, readNumber, readStructure, readWord } from '../call-check/text-literals.ts'

export interface TextValue {
  value: unknown
  /** The source, if the text was JSON: keeps large numbers and 1.0. */
  json?: string
  /** The repair, in words. */
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
  // Text that is exactly a value of another allowed type means that value: null is not the word.
  const strict = strictly(raw)
  const isOther = strict !== undefined && typeof strict.value !== 'string' && fits(strict.value)
  return isOther && isExact(raw, strict.value) ? strict : { value: raw }
}

/**
 * Without a type, objects and arrays are read as JSON: they are hardly ever meant as text. Numbers and words often are, and a
 * string loses nothing.
 */
function readUntyped(raw: string): TextValue {
  const strict = /^\s*[{[]/.test(raw) ? strictly(raw) : undefined
  return strict ?? { value: raw }
}

function readTyped(raw: string, types: ReadonlySet<JsonType>, fits: (value: unknown) => boolean): TextValue {
  const strict = strictly(raw)
  if (strict !== undefined && typeof strict.value !== 'string')
    return isAsked(strict.value, types) ? strict : { value: raw }
  // A JSON string where none is allowed: its content counts.
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

/** 3.7 in place of an integer is better a number than a string: the client reports the problem. */
function isAsked(value: unknown, types: ReadonlySet<JsonType>): boolean {
  return isOfTypes(value, types) || (typeof value === 'number' && types.has('integer'))
}

/** Removes white space or quotes around an enum's value. */
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

/** A number must not lose digits where the text could also be a string. */
const isExact = (raw: string, value: unknown) =>
  typeof value !== 'number' || readNumber(raw.trim()) !== undefined
