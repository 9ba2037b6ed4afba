// JSON from outside.

import { jsonExcess } from './json-scan.ts'

export type Fields = Record<string, unknown>

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Values and member names. Parsing more would block the event loop. A text shorter than this cannot hold as many. */
export const mostJsonValues = 200_000

export const hasTooManyValues = (text: string): boolean =>
  text.length > mostJsonValues &&
  jsonExcess(text, { values: mostJsonValues, depth: mostJsonValues }) !== undefined

/** Undefined for invalid JSON, and for too many values. */
export function parseJson(text: string): unknown {
  if (hasTooManyValues(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A value from outside in words. `String` throws for an object with a member named `toString`. */
export const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
