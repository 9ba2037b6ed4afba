import { describe, expect, it } from 'vitest'
import { aligned, painted, wantsColours } from './painted.ts'

describe('a painted line', () => {
  it('has the colours of its spans, or none', () => {
    const spans = [['green', 'ok'], '  plain ', ['dim', '']] as const
    expect(painted(spans, true)).toBe('\x1b[32mok\x1b[39m  plain ')
    expect(painted(spans, false)).toBe('ok  plain ')
  })

  it('takes no escape sequence and no line end from its text', () => {
    expect(painted([['red', 'a\x1b[2J\nb'], '\x07'], true)).toBe('\x1b[31ma\\u{1b}[2J\\u{a}b\x1b[39m\\u{7}')
  })
})

describe('colours', () => {
  it.each<[string, boolean, Record<string, string>, boolean]>([
    ['on a terminal', true, {}, true],
    ['not in a pipe', false, {}, false],
    ['not with NO_COLOR', true, { NO_COLOR: '1' }, false],
    ['with an empty NO_COLOR', true, { NO_COLOR: '' }, true],
    ['in a pipe with FORCE_COLOR', false, { FORCE_COLOR: '1' }, true],
    ['with FORCE_COLOR beside NO_COLOR', false, { FORCE_COLOR: '3', NO_COLOR: '1' }, true],
    ['not with FORCE_COLOR=0', true, { FORCE_COLOR: '0' }, false],
    ['not on a dumb terminal', true, { TERM: 'dumb' }, false],
  ])('%s', (_case, isTTY, variables, expected) => {
    expect(wantsColours({ isTTY }, (name) => variables[name])).toBe(expected)
  })
})

describe('aligned rows', () => {
  it('have columns of one width, and no blanks at their end', () => {
    const rows = [
      ['NAME', 'TOKENS', 'NOTE'],
      [['cyan', 'a/long-name'], '7', ''],
      ['b', '1,234', 'x'],
    ] as const
    expect(aligned(rows, [1]).map((row) => painted(row, false))).toEqual([
      'NAME         TOKENS  NOTE',
      'a/long-name       7',
      'b             1,234  x',
    ])
  })
})
