import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scaled } from '../../test/depth.ts'
import { hunksOf, linesOf, merge, showDiff } from './line-diff.ts'

const text = fc
  .array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'd\r\n', 'end'), { maxLength: 12 })
  .map((l) => l.join(''))

function patch(before: string, after: string): string {
  const lines = linesOf(before)
  for (const { from, to, lines: inserted } of hunksOf(lines, linesOf(after)).reverse())
    lines.splice(from, to - from, ...inserted)
  return lines.join('')
}

describe('hunksOf', () => {
  it('turn one text into the other', () => {
    fc.assert(fc.property(text, text, (before, after) => void expect(patch(before, after)).toBe(after)))
  })
})

describe('showDiff', () => {
  it('shows the changes with a little context', () => {
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at}\n`)
    const after = [...lines.slice(0, 9), 'new\n', ...lines.slice(10)]
    expect(showDiff(lines.join(''), after.join(''))).toBe(
      [
        '  line 6',
        '  line 7',
        '  line 8',
        '- line 9',
        '+ new',
        '  line 10',
        '  line 11',
        '  line 12',
        '  …',
        '',
      ].join('\n'),
    )
    expect(showDiff('', 'a\nb')).toBe('+ a\n+ b\n')
    expect(showDiff('a\n', 'a\n')).toBe('')
  })
})

describe('merge', () => {
  it('combines changes to different lines', () => {
    expect(merge('a\nb\nc\nd\n', 'a\nB\nc\nd\n', 'a\nb\nc\nD\ne\n')).toBe('a\nB\nc\nD\ne\n')
  })

  it('removes an addition between old lines and later ones', () => {
    expect(merge('a\nours\n', 'a\n', 'a\nours\ntheirs\n')).toBe('a\ntheirs\n')
    expect(merge('ours\n', '', 'ours\ntheirs\n')).toBe('theirs\n')
  })

  it('gives up if both changed the same lines', () => {
    expect(merge('a\nours\n', 'a\n', 'a\nOURS\n')).toBeUndefined()
    expect(merge('a\nours\nmore\n', 'a\n', 'a\nours\nbetween\nmore\n')).toBeUndefined()
  })

  it('restores the old text if there was no other change', () => {
    fc.assert(
      fc.property(text, text, (before, after) => void expect(merge(after, before, after)).toBe(before)),
    )
  })
})

it('files of many lines are shown and merged', () => {
  const many = 'x\n'.repeat(scaled(300_000, 60_000))
  expect(showDiff(many, `${many}y\n`)).toBe('  x\n  x\n  x\n+ y\n')
  expect(merge(`${many}y\n`, many, `z\n${many}y\n`)).toBe(`z\n${many}`)
})
