import { expect, it } from 'vitest'
import { readComparison } from './comparison.ts'

it.each([
  ['>10', [false, false, true]],
  ['>= 10', [false, true, true]],
  ['<10', [true, false, false]],
  ['<=10', [true, true, false]],
] as const)('%s', (text, held) => {
  const comparison = readComparison(text)
  expect([9, 10, 11].map((value) => comparison?.holds(value))).toEqual(held)
  expect(comparison?.limit).toBe(10)
})

it.each(['', '10', '> ', '=10', '>1e5', '>-1', '>10k', ' >10', '>>10', `>${'9'.repeat(13)}`])(
  '%j is none',
  (text) => {
    expect(readComparison(text)).toBeUndefined()
  },
)
