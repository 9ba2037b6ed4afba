// JSON that comes from outside.

import { jsonExcess } from './json-scan.ts'

export type Fields = Record<string, unknown>

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Values and member names; to parse more of them would hold up everything else. Shorter texts cannot hold so many. */
export const mostJsonValues = 200_000

export const hasTooManyValues = (text: string): boolean =>
  text.length > mostJsonValues &&
  jsonExcess(text, { values: mostJsonValues, depth: mostJsonValues }) !== undefined

/** Undefined for what is not JSON, or holds too much. */
export function parseJson(text: string): unknown {
  if (hasTooManyValues(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
