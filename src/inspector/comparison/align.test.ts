import fc from 'fast-check'
import { expect, it } from 'vitest'
import { align } from './align.ts'

it('pairs equal elements, each once', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(6)), fc.array(fc.nat(6)), (one, other) => {
      const pairs = align(one, other)
      for (const [left, right] of pairs) expect(one[left]).toBe(other[right])
      expect(new Set(pairs.map(([left]) => left)).size).toBe(pairs.length)
      expect(new Set(pairs.map(([, right]) => right)).size).toBe(pairs.length)
      const count = (list: readonly number[], value: number) => list.filter((each) => each === value).length
      const values = [...new Set(one)]
      const most = values.reduce((sum, value) => sum + Math.min(count(one, value), count(other, value)), 0)
      expect(pairs).toHaveLength(most)
    }),
  )
})

it('keeps the order around what was put in or left out', () => {
  expect(align([1, 2, 3, 4], [1, 9, 2, 4])).toEqual([[0, 0], [1, 2], [3, 3]]) // biome-ignore format: one line
})

it('takes a hundred thousand repeated elements', () => {
  const many = Array.from({ length: 100_000 }, (_, at) => at % 7)
  expect(align(many, [8, ...many, 9])).toHaveLength(100_000)
})
