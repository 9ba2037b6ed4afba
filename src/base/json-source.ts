// JSON text that keeps its source: a number of twenty digits or a 1.0 would not survive being parsed and written again.

import { writeAll, writeMember } from './exact-json.ts'
import { type Fields, isObject, parseJson } from './json.ts'

/** The source of each member of a JSON object. `text` must be valid JSON; of members with the same name, the last counts. */
export function memberTexts(text: string): Map<string, string> {
  const members = new Map<string, string>()
  let at = skip(text, 0)
  if (text[at] !== '{') return members
  at = skip(text, at + 1)
  while (text[at] === '"') {
    const keyEnd = stringEnd(text, at)
    const key = parseJson(text.slice(at, keyEnd))
    const from = skip(text, skip(text, keyEnd) + 1)
    const to = valueEnd(text, from)
    if (typeof key !== 'string' || to === from) return members
    members.set(key, text.slice(from, to))
    at = skip(text, skip(text, to) + 1)
  }
  return members
}

/** The source of each element of a JSON array. */
export function elementTexts(text: string): string[] {
  const elements: string[] = []
  let at = skip(text, 0)
  if (text[at] !== '[') return elements
  at = skip(text, at + 1)
  while (at < text.length && text[at] !== ']') {
    const to = valueEnd(text, at)
    if (to === at) return elements
    elements.push(text.slice(at, to))
    at = skip(text, to)
    if (text[at] === ',') at = skip(text, at + 1)
  }
  return elements
}

/** The name that a member had before the change. */
export type NameBefore = (holder: Fields, name: string) => string

const sameName: NameBefore = (_holder, name) => name

/** Writes a changed value. Its unchanged parts keep their source: `text` is the JSON text of `before`. */
export function writeJson(
  value: unknown,
  before: unknown,
  text: string | undefined,
  nameBefore: NameBefore = sameName,
): string {
  if (text === undefined) return writeAll(value)
  if (value === before) return text
  if (Array.isArray(value) && Array.isArray(before)) {
    const texts = elementTexts(text)
    const write = (one: unknown, at: number) =>
      isNewNumber(one, before[at], texts[at])
        ? writeMember(value, String(at), one)
        : writeJson(one, before[at], texts[at], nameBefore)
    return `[${value.map(write).join(',')}]`
  }
  if (Array.isArray(value) && value.length === 1 && value[0] === before) return `[${text}]`
  if (!isObject(value) || !isObject(before)) return writeAll(value)
  const texts = memberTexts(text)
  return writeMembers(Object.keys(value), (key) => {
    const name = nameBefore(value, key)
    const one = value[key]
    if (isNewNumber(one, before[name], texts.get(name))) return writeMember(value, key, one)
    return writeJson(one, before[name], texts.get(name), nameBefore)
  })
}

/** It has no source, but may have a kept spelling. */
const isNewNumber = (value: unknown, before: unknown, text: string | undefined) =>
  typeof value === 'number' && (value !== before || text === undefined)

export function writeMembers(keys: readonly string[], write: (key: string) => string): string {
  return `{${keys.map((key) => `${JSON.stringify(key)}:${write(key)}`).join(',')}}`
}

/** Rewrites the strings of a JSON text; everything else keeps its bytes. */
export function respelt(json: string, spell: (text: string) => string): string {
  if (!json.includes('&')) return json
  const parts: string[] = []
  let at = 0
  for (let from = json.indexOf('"'); from >= 0; from = json.indexOf('"', at)) {
    const end = stringEnd(json, from)
    const literal = json.slice(from, end)
    const text = parseJson(literal)
    const spelling = typeof text === 'string' ? spell(text) : text
    parts.push(json.slice(at, from), spelling === text ? literal : JSON.stringify(spelling))
    at = end
  }
  return parts.join('') + json.slice(at)
}

export const sameJson = (a: string, b: string) =>
  a === b || JSON.stringify(parseJson(a)) === JSON.stringify(parseJson(b))

function valueEnd(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; ) {
    const char = text[at] as string
    if (char === '"') at = stringEnd(text, at)
    else {
      if (char === '{' || char === '[') depth++
      else if (char === '}' || char === ']') depth--
      else if (depth === 0 && (char === ',' || isBlank(char))) return at
      if (depth < 0) return at
      at++
    }
    if (depth === 0 && (char === '"' || char === '}' || char === ']')) return at
  }
  return text.length
}

/** The position after the closing quote. */
function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const char = text[at]
    if (char === '\\') at++
    else if (char === '"') return at + 1
  }
  return text.length
}

function skip(text: string, from: number): number {
  let at = from
  while (at < text.length && isBlank(text[at] as string)) at++
  return at
}

const isBlank = (char: string) => char === ' ' || char === '\n' || char === '\t' || char === '\r'
