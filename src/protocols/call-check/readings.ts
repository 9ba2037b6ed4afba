// Other readings of a value that does not fit its schema.

import { type Fields, isObject, parseJson } from '../../base/json.ts'
import { type JsonType, typeOf } from '../../base/json-schema/types.ts'
import { listOf, memberRules } from './flat-schema.ts'
import { nameOfType, readLongNumber, readStructure, readWord } from './text-literals.ts'

export interface Candidate {
  value: unknown
  changes: string[]
  isStructure: boolean
}

const maxEncodings = 3

function became(value: unknown, before: unknown, what: string, changes: string[] = []): Candidate {
  const isStructure = typeof before === 'string' && typeof value === 'object' && value !== null
  return { value, isStructure, changes: [`${nameOfType(typeOf(before))} became ${what}`, ...changes] }
}

export const elementAlone = (value: unknown): Candidate => ({
  ...became([value], value, 'an array of one'),
  isStructure: false,
})

/** A value that a text stands for. */
export function fromText(type: JsonType, text: string): Candidate | undefined {
  const trimmed = text.trim()
  if (type === 'object' || type === 'array') {
    const read = readCertain(innermost(trimmed))
    if (read === undefined || typeOf(read.value) !== type) return undefined
    return became(read.value, text, nameOfType(type), read.changes)
  }
  const inner = innermost(trimmed)
  if (type === 'string')
    return inner === trimmed
      ? undefined
      : { value: inner, isStructure: false, changes: ['quotes around a string were removed'] }
  const value = type === 'integer' || type === 'number' ? readLongNumber(inner) : readWord(inner)
  if (value === undefined || (value === null) !== (type === 'null')) return undefined
  return became(value, text, nameOfType(type))
}

/** Repairs of broken JSON that may be wrong: the text could also mean something else. */
const guesses = new Set([
  'missing commas',
  'missing closing brackets',
  'unescaped quotes in strings',
  'numbers in another notation',
  'bad escapes',
])

function readCertain(text: string): ReturnType<typeof readStructure> {
  const read = readStructure(text)
  return read?.changes.some((change) => guesses.has(change)) ? undefined : read
}

/** Removes up to three layers of JSON string encoding. */
export function innermost(text: string): string {
  let inner = text
  for (let times = 0; times < maxEncodings && inner.startsWith('"'); times++) {
    const decoded = parseJson(inner)
    if (typeof decoded !== 'string') break
    inner = decoded.trim()
  }
  return inner
}

/** The one string of an `enum` or `const` that differs from the text in case or outer blanks only. */
export function knownValue(value: unknown, schema: Fields): Candidate | undefined {
  if (typeof value !== 'string') return undefined
  const values = schema.const === undefined ? listOf(schema.enum) : [schema.const]
  const spelling = plain(value)
  const [only, other] = values.filter((one) => typeof one === 'string' && plain(one) === spelling)
  if (only === undefined || other !== undefined) return undefined
  return { value: only, isStructure: false, changes: [`${shown(value)} became ${shown(String(only))}`] }
}

const plain = (text: string) => text.trim().toLowerCase()

const longestShown = 60
const shown = (text: string) =>
  JSON.stringify(text.length > longestShown ? `${text.slice(0, longestShown)}…` : text)

const wrappers = new Set(['arguments', 'parameters', 'input', 'args', 'params', 'tool_input', 'kwargs'])

/** Arguments inside a member that models use for all of them, if the tool has no such member. */
export function unwrapped(input: Fields, schema: Fields): { name: string; value: Fields } | undefined {
  const [only, ...others] = Object.entries(input)
  if (!only || others.length > 0) return undefined
  const [name, given] = only
  if (!wrappers.has(name) || memberRules(schema, schema).declared.has(name)) return undefined
  const value = typeof given === 'string' ? readCertain(given.trim())?.value : given
  return isObject(value) ? { name, value } : undefined
}

/** Readings of one value share what did not change, so most of it is not looked at. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((each, at) => isSameJson(each, other[at]))
  if (!isObject(one) || !isObject(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameJson(one[name], other[name]))
  )
}
