import { expect, it } from 'vitest'
import { Tombstones } from './tombstones.ts'

const minute = 60_000
const alice = { key: 'alice' }
const bob = { key: 'bob' }

it('answers only its owner, for a while', () => {
  let now = 0
  const stones = new Tombstones(() => now)
  stones.add('a', alice, 'it ended')
  now = minute
  expect(stones.find('a', alice)).toBe('it ended')
  expect(stones.find('a', bob)).toBeUndefined()
  expect(stones.find('b', alice)).toBeUndefined()
  now = 16 * minute
  expect(stones.find('a', alice)).toBeUndefined()
})

it('is bounded in time and in number', () => {
  let now = 0
  const stones = new Tombstones(() => now)
  for (; now < 30_000; now++) stones.add(`s${now}`, alice, 'why')
  expect(stones.size).toBe(10_000)
  expect(stones.find('s29999', alice)).toBe('why')
  now = 60 * minute
  stones.add('late', alice, 'why')
  expect(stones.size).toBe(1)
})
