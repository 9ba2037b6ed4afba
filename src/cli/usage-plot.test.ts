import { describe, expect, it } from 'vitest'
import { painted } from '../base/painted.ts'
import { bars, drawsBlocks, shortNumber } from './usage-plot.ts'

const lines = (values: [string, number][], hasBlocks: boolean) =>
  bars(values, { columns: 30, hasBlocks }).map((line) => painted(line, false))

describe('bars', () => {
  it('are as long as their values, and never hide one', () => {
    const values: [string, number][] = [
      ['mon', 1_600],
      ['tue', 0],
      ['wed', 1],
      ['thu', 800],
    ]
    expect(lines(values, false)).toEqual([
      `mon  ${'#'.repeat(18)} 1.6k`,
      'tue',
      'wed  # 1',
      `thu  ${'#'.repeat(9)} 800`,
    ])
    expect(lines(values, true)[2]).toBe('wed  ▏ 1')
    expect(lines(values, true)[0]).toBe(`mon  ${'█'.repeat(18)} 1.6k`)
  })

  it('are the latest ones, and none of nothing', () => {
    const many = Array.from({ length: 99 }, (_, at): [string, number] => [String(at), at])
    expect(lines(many, true)).toHaveLength(62)
    expect(lines([['mon', 0]], true)).toEqual(['mon'])
  })

  it.each([
    [{ LANG: 'de_DE.UTF-8' }, true],
    [{ LANG: 'de_DE.UTF-8', LC_ALL: 'C' }, false],
    [{ LANG: 'C.utf8', TERM: 'dumb' }, false],
    [{}, false],
  ])('have blocks with %j: %s', (variables: Record<string, string>, expected) => {
    expect(drawsBlocks((name) => variables[name])).toBe(expected)
  })
})

it.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1.0k'],
  [123_456, '123k'],
  [999_600, '1.0M'],
  [4_100_000_000, '4.1G'],
])('%d is %s', (value, words) => {
  expect(shortNumber(value)).toBe(words)
})
