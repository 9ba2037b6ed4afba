// The members of a request. The service reads proto3 JSON: every name may be in camelCase or in snake_case.

import type { Fields } from '../requests/decode.ts'

const snakeNames = new Map<string, string>()

function snakeOf(name: string): string {
  const known = snakeNames.get(name)
  if (known !== undefined) return known
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  snakeNames.set(name, snake)
  return snake
}

/** The member with this camelCase name, in either spelling. Only names of this dialect, never a client's. */
export const member = (fields: Fields, name: string): unknown => {
  const value = fields[name]
  return value === undefined ? fields[snakeOf(name)] : value
}

/** A client's name in camelCase. */
export const camelCase = (name: string): string =>
  name.replace(/(?<=[a-z\d])_([a-z])/g, (_, letter: string) => letter.toUpperCase())
