// Rows of a schema and its values: those that fit, those that do not, and those that cannot be decided.

import { describe, expect, it } from 'vitest'
import { SchemaChecker } from '../check.ts'

export interface Row {
  schema: unknown
  fits?: unknown[]
  fails?: unknown[]
  /** Neither is said: the judgement is not complete. */
  open?: unknown[]
}

/** Larger numbers lose digits when they are parsed. */
export const big = 2 ** 53

export function describeRows(groups: Record<string, Row[]>): void {
  describe.each(Object.entries(groups))('%s', (_, rows) => {
    it.each(rows)('%j', ({ schema, fits = [], fails = [], open = [] }) => {
      const checker = new SchemaChecker(schema)
      const verdictOf = (value: unknown) => {
        const { problems, isComplete } = checker.judge(value)
        return problems.length > 0 ? 'fails' : isComplete ? 'fits' : 'open'
      }
      const expected = [
        ...fits.map((value) => [value, 'fits']),
        ...fails.map((value) => [value, 'fails']),
        ...open.map((value) => [value, 'open']),
      ]
      expect(expected.map(([value]) => [value, verdictOf(value)])).toEqual(expected)
    })
  })
}
