import { describe, expect, it } from 'vitest'
import { isDeeper } from './depth.ts'

const nested = (levels: number, wrap: (inner: unknown) => unknown) => {
  let value: unknown = 1
  for (let n = 0; n < levels; n++) value = wrap(value)
  return value
}

describe('isDeeper', () => {
  it.each([
    ['objects', (inner: unknown) => ({ a: 1, b: inner })],
    ['lists', (inner: unknown) => [1, inner]],
    ['both', (inner: unknown) => ({ a: [null, inner] })],
    ['odd names', (inner: unknown) => JSON.parse(`{"__proto__":${JSON.stringify(inner)}}`)],
  ])('counts levels of %s', (kind, wrap) => {
    const levels = kind === 'both' ? 2 : 1
    expect(isDeeper(nested(5, wrap), 5 * levels)).toBe(false)
    expect(isDeeper(nested(5, wrap), 5 * levels - 1)).toBe(true)
  })

  it.each([1, 'a', null, undefined, true])('%j is not deep', (value) => {
    expect(isDeeper(value, 0)).toBe(false)
  })

  it('an empty object is a level', () => {
    expect([isDeeper({}, 0), isDeeper([], 0), isDeeper({}, 1), isDeeper([[]], 1)]).toEqual([
      true,
      true,
      false,
      true,
    ])
  })
})
