// The parts of the list that need no browser: the address, the rows in view, the difference of two texts.

import { describe, expect, it } from 'vitest'
import type { TurnSummary } from '../api.ts'
import { readAddress, writeAddress } from './address.ts'
import type { Conversation } from './conversations.ts'
import { diffLines, isSame } from './line-diff.ts'
import { between, heights, layOut } from './list-window.ts'

describe('the address', () => {
  it.each([
    ['', { filter: '', rest: [] }],
    ['#turn_a', { turn: 'turn_a', filter: '', rest: [] }],
    [
      '#turn_a&versus=turn_b&filter=tool%3A%22a%20%26%20b%22',
      { turn: 'turn_a', versus: 'turn_b', filter: 'tool:"a & b"', rest: [] },
    ],
    ['#figures', { filter: '', rest: ['figures'] }],
  ])('%s', (hash, address) => {
    expect(readAddress(hash)).toEqual(address)
    expect(writeAddress(readAddress(hash))).toBe(hash)
  })

  it('survives what is no address', () => {
    expect(readAddress('#filter=%E0%A4%A&versus=<x>&turn_<')).toEqual({
      filter: '',
      rest: ['versus=<x>', 'turn_<'],
    })
    expect(readAddress(`#filter=${'x'.repeat(5_000)}`).filter).toHaveLength(500)
  })
})

describe('the rows in view', () => {
  const conversation = (id: string, number: number): Conversation => ({
    ...{ id, title: id, client: undefined, lastAt: 0, lastTurn: undefined },
    turns: Array.from({ length: number }, (_, at) => ({ id: `${id}${at}` }) as TurnSummary),
  })
  const layout = layOut(
    [conversation('a', 1), conversation('b', 3), conversation('c', 2_000)],
    ({ id }) => (id === 'b1' ? 2 : 0),
    ({ turns }) => turns.length < 2,
  )

  it('have the heights of the style sheet', () => {
    expect(layout.items.slice(0, 6).map(({ key, top, height }) => [key, top, height])).toEqual([
      ['a0', 0, 64],
      ['head b', 64, 28],
      ['b0', 92, 64],
      ['b1', 156, 104],
      ['b2', 260, 64],
      ['head c', 324, 28],
    ])
    expect(layout.height).toBe(352 + 2_000 * heights.row)
  })

  it('are few', () => {
    expect(between(layout, 0, 100)).toEqual([0, 3])
    expect(between(layout, 64, 65)).toEqual([1, 2])
    const [from, to] = between(layout, 60_000, 61_000)
    expect([from > 900, to - from < 20]).toEqual([true, true])
    expect(between(layout, layout.height, layout.height + 100)).toEqual([2006, 2006])
  })
})

describe('the difference of two texts', () => {
  const lines = (text: string) => (text === '' ? [] : text.split(''))
  const diff = (left: string, right: string) =>
    diffLines(lines(left), lines(right)).map((row) =>
      isSame(row) ? row.left : `${row.left ?? ''}>${row.right ?? ''}`,
    )

  it.each([
    ['', '', []],
    ['abc', 'abc', ['a', 'b', 'c']],
    ['', 'ab', ['>a', '>b']],
    ['ab', '', ['a>', 'b>']],
    ['abc', 'axc', ['a', 'b>x', 'c']],
    ['abcde', 'acde', ['a', 'b>', 'c', 'd', 'e']],
    ['acde', 'abcde', ['a', '>b', 'c', 'd', 'e']],
    ['xabcy', 'zabcw', ['x>z', 'a', 'b', 'c', 'y>w']],
  ])('%j and %j', (left, right, rows) => {
    expect(diff(left, right)).toEqual(rows)
  })

  it('keeps all lines of both sides, in order', () => {
    let seed = 7
    const random = (most: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed % most
    }
    for (let nth = 0; nth < 200; nth++) {
      const [left, right] = [0, 1].map(() => Array.from({ length: random(12) }, () => 'abc'[random(3)] ?? ''))
      const rows = diffLines(left as string[], right as string[])
      expect(rows.flatMap((row) => row.left ?? [])).toEqual(left)
      expect(rows.flatMap((row) => row.right ?? [])).toEqual(right)
    }
  })

  it('gives up aligning very different texts', () => {
    const many = (prefix: string) => Array.from({ length: 3_000 }, (_, at) => `${prefix}${at}`)
    expect(diffLines(many('a'), many('b'))).toHaveLength(3_000)
  })
})
