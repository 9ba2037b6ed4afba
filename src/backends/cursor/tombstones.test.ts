import { expect, it } from 'vitest'
import { Tombstones } from './tombstones.ts'

const minute = 60_000
const alice = { key: 'alice' }
const bob = { key: 'bob' }

it('answers only its caller, for a limited time', () => {
  const stones = new Tombstones()
  stones.add('a', alice, 'it ended', 0)
  expect(stones.find('a', alice, minute)).toBe('it ended')
  expect(stones.find('a', bob, minute)).toBeUndefined()
  expect(stones.find('b', alice, minute)).toBeUndefined()
  expect(stones.find('a', alice, 16 * minute)).toBeUndefined()
})

it('is limited in age and in number', () => {
  const stones = new Tombstones()
  for (let n = 0; n < 30_000; n++) stones.add(`s${n}`, alice, 'why', n)
  expect(stones.size).toBe(10_000)
  expect(stones.find('s29999', alice, 30_000)).toBe('why')
  stones.add('late', alice, 'why', 60 * minute)
  expect(stones.size).toBe(1)
})
