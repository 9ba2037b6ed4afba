// The limits of a number of things: characters, elements, members.

import type { Fields } from '../../json.ts'

export interface Limits {
  least: number
  most: number
  message: string
}

/** Undefined where a limit makes no sense. */
export function limitsOf(schema: Fields, least: string, most: string, what: string): Limits | undefined {
  const from = schema[least] ?? 0
  const to = schema[most] ?? Number.POSITIVE_INFINITY
  if (!isCount(from) || (to !== Number.POSITIVE_INFINITY && !isCount(to))) return undefined
  const words = [from > 0 ? `at least ${from}` : '', to < Number.POSITIVE_INFINITY ? `at most ${to}` : '']
  return {
    least: from,
    most: to as number,
    message: `must have ${words.filter(Boolean).join(' and ')} ${what}`,
  }
}

const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0
