// Secrets that are recognised by the name before them.

import { hasDigit, isOf, keyChar, runEnd, skipSpace, tokenChar } from './chars.ts'
import { isPlaceholder } from './names.ts'
import type { Span } from './spans.ts'

const shortestQuoted = 8
const shortestBare = 16
const shortestParameter = 12
const mostSpace = 20

interface Value {
  from: number
  quote: string
}

/** The value after a name and `": "`, `=`, `: '` … */
function valueAfter(text: string, end: number): Value | undefined {
  let at = end
  if (text[at] === '"' || text[at] === "'") at++
  at = skipSpace(text, at, mostSpace)
  if (text[at] !== ':' && text[at] !== '=') return undefined
  at = skipSpace(text, at + 1, mostSpace)
  const quote = text[at] === '"' || text[at] === "'" ? (text[at] as string) : ''
  return { from: at + quote.length, quote }
}

const scheme = /(?:bearer|basic|token)\s{1,100}/iy

/** `"api_key": "…"`, `PASSWORD='…'`, `Authorization: Bearer …`. A bare value must be longer: in program text it may be a name. */
export function readNamed(text: string, _start: number, end: number): Span | undefined {
  const value = valueAfter(text, end)
  if (value === undefined) return undefined
  scheme.lastIndex = value.from
  const from = value.from + (scheme.exec(text)?.[0].length ?? 0)
  const to = value.quote === '' ? bareEnd(text, from) : quotedEnd(text, from)
  const shortest = value.quote === '' ? shortestBare : shortestQuoted
  return to - from >= shortest && hasDigit(text, from, to) && !isPlaceholder(text.slice(from, to))
    ? { start: from, end: to }
    : undefined
}

/** For a value that is known by itself. */
export const isSecretValue = (value: string) =>
  value.length >= shortestQuoted && hasDigit(value, 0, value.length) && !isPlaceholder(value)

function quotedEnd(text: string, from: number): number {
  let at = from
  while (at < text.length && !/["'\\\s]/.test(text[at] as string)) at++
  return at
}

/** A function call or an index is not a value. */
function bareEnd(text: string, from: number): number {
  const to = runEnd(tokenChar, text, from)
  if (text[to] === '(' || text[to] === '[') return from
  return text[to] === '=' ? to + (text[to + 1] === '=' ? 2 : 1) : to
}

const pair = /[\w.!#$&*+^`|~-]{1,100}=/y

/** `Cookie: name=value; …`, to the end of the line or of the literal. */
export function readCookies(text: string, _start: number, end: number): Span | number | undefined {
  const value = text[end] === '=' ? undefined : valueAfter(text, end)
  if (value === undefined) return undefined
  pair.lastIndex = value.from
  const first = pair.exec(text)
  if (first === null) return undefined
  let to = value.from
  while (to < text.length && text.charCodeAt(to) >= 0x20 && text[to] !== '"' && text[to] !== '\\') to++
  const values = text.slice(value.from, to)
  return /=[^;\s]{8}/.test(values) && hasDigit(values, 0, values.length) ? { start: value.from, end: to } : to
}

/** `?key=…&token=…`; the word ends with the equals sign. */
export function readParameter(text: string, start: number, end: number): Span | undefined {
  let first = start
  while (first > 0 && start - first < 40 && isOf(keyChar, text, first - 1)) first--
  if (text[first - 1] !== '?' && text[first - 1] !== '&') return undefined
  const to = runEnd(tokenChar, text, end)
  return to - end >= shortestParameter && hasDigit(text, end, to) ? { start: end, end: to } : undefined
}
