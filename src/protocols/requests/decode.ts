// Checks for untrusted request bodies. Each throws an `invalid-request` error that names the field, so the user can find it. Values
// are never copied: unknown fields stay in place.

import { isObject } from '../../base/json.ts'
import { GatewayError } from '../../core/errors.ts'

export type Fields = Readonly<Record<string, unknown>>

/** Error messages repeat what the client sent, which may be long. */
const longestProblem = 1_000

export function invalid(path: string, problem: string, detail?: string): GatewayError {
  return new GatewayError('invalid-request', `${path}: ${problem.slice(0, longestProblem)}`, {
    param: path,
    ...(detail ? { detail } : {}),
  })
}

/** For a valid request that this gateway does not support. */
export const unsupported = (path: string, problem: string): GatewayError =>
  new GatewayError('unsupported', `${path}: ${problem.slice(0, longestProblem)}`, { param: path })

const kindOf = (value: unknown) =>
  value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`

export function object(value: unknown, path: string): Fields {
  if (isObject(value)) return value
  throw invalid(
    path,
    value === undefined ? 'is required (an object)' : `must be an object, not ${kindOf(value)}`,
  )
}

export function array(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw invalid(
    path,
    value === undefined ? 'is required (an array)' : `must be an array, not ${kindOf(value)}`,
  )
}

export function string(value: unknown, path: string): string {
  if (typeof value === 'string') return value
  throw invalid(
    path,
    value === undefined ? 'is required (a string)' : `must be a string, not ${kindOf(value)}`,
  )
}

/** Null means absent: it does in every client that was examined. */
export function optional<T>(
  value: unknown,
  path: string,
  read: (value: unknown, path: string) => T,
): T | undefined {
  return value === undefined || value === null ? undefined : read(value, path)
}

export function number(value: unknown, path: string): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw invalid(path, `must be a number, not ${kindOf(value)}`)
}

export function positiveInteger(value: unknown, path: string): number {
  if (Number.isInteger(value) && (value as number) > 0) return value as number
  throw invalid(path, 'must be a whole number above 0')
}

export function wholeNumber(value: unknown, path: string): number {
  if (Number.isInteger(value) && (value as number) >= 0) return value as number
  throw invalid(path, 'must be a whole number of 0 or more')
}

export function boolean(value: unknown, path: string): boolean {
  if (typeof value === 'boolean') return value
  throw invalid(path, `must be true or false, not ${kindOf(value)}`)
}

export function oneOf<T extends string>(values: readonly T[]): (value: unknown, path: string) => T {
  return (value, path) => {
    const found = values.find((candidate) => candidate === value)
    if (found !== undefined) return found
    throw invalid(path, `must be one of ${values.join(', ')}`)
  }
}

export function between(low: number, high: number): (value: unknown, path: string) => number {
  return (value, path) => {
    const found = number(value, path)
    if (found < low || found > high) throw invalid(path, `must be between ${low} and ${high}`)
    return found
  }
}

const longestModel = 512

/** The model as the client names it. */
export function modelName(value: unknown, path: string): string {
  const model = string(value, path)
  if (model === '') throw invalid(path, 'must not be empty')
  if (model.length > longestModel) throw invalid(path, `must not be longer than ${longestModel} characters`)
  return model
}

/** Omits undefined fields, as exactOptionalPropertyTypes requires. */
export function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const out: ReturnType<typeof defined<T>> = {}
  for (const name in fields) if (fields[name] !== undefined) out[name] = fields[name] as never
  return out
}
