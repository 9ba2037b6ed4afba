// Numbers, words, objects and arrays that were written as text.

import { isDeeper } from '../../base/depth.ts'
import { keepSpelling } from '../../base/exact-json.ts'
import { isObject, parseJson } from '../../base/json.ts'
import type { JsonType } from '../../base/json-schema/types.ts'
import { readLenientJson } from '../../base/lenient-json/lenient-json.ts'

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const words = new Map<string, boolean | null>([
  ['true', true],
  ['True', true],
  ['TRUE', true],
  ['false', false],
  ['False', false],
  ['FALSE', false],
  ['null', null],
  ['None', null],
])

const maxDepth = 128

/** JSON that can be written again, with the spelling of its numbers; undefined for anything else. */
export function readJson(text: string): unknown {
  const value = parseJson(text)
  if (isDeeper(value, maxDepth) || value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
    return undefined
  keepSpelling(text, value)
  return value
}

/** Undefined if the number would lose digits; `JSON.parse` would round it. */
export function readNumber(text: string): number | undefined {
  const value = readLongNumber(text)
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : value
}

/** The nearest double: the text must be kept with it. */
export function readLongNumber(text: string): number | undefined {
  const value = number.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(value) ? value : undefined
}

/** Literals of JSON and Python. */
export const readWord = (text: string) => words.get(text)

interface StructureText {
  value: unknown
  /** The repairs, in words. */
  changes: string[]
}

/** An object or array; undefined if it is cut. */
export function readStructure(text: string): StructureText | undefined {
  const strict = readJson(text)
  if (strict !== undefined) return isStructure(strict) ? { value: strict, changes: [] } : undefined
  const escaped = readEscaped(text)
  if (escaped !== undefined) return { value: escaped, changes: ['escaped JSON text'] }
  const lenient = readLenientJson(text)
  if (lenient === undefined || lenient.complete === 'cut' || text.slice(lenient.end).trim() !== '')
    return undefined
  return { value: lenient.value, changes: lenient.changes }
}

/** `{\"a\": 1}`: the content of a JSON string without its quotes. */
function readEscaped(text: string): unknown {
  if (!/^\s*[{[]/.test(text) || !text.includes('\\"')) return undefined
  const inner = parseJson(`"${text.trim()}"`)
  const value = typeof inner === 'string' ? readJson(inner) : undefined
  return isStructure(value) ? value : undefined
}

const isStructure = (value: unknown) => isObject(value) || Array.isArray(value)

const names: Record<JsonType, string> = {
  string: 'a string',
  number: 'a number',
  integer: 'a number',
  boolean: 'a boolean',
  null: 'null',
  object: 'an object',
  array: 'an array',
}

export const nameOfType = (type: JsonType) => names[type]
