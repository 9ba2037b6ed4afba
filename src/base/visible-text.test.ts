import fc from 'fast-check'
import { expect, it } from 'vitest'
import { asciiControls, visible, visibleLine } from './visible-text.ts'

it.each([
  ['\x1b[31mred\x07', '\\u{1b}[31mred\\u{7}'],
  ['a\u009b2Jb\x7f', 'a\\u{9b}2Jb\\u{7f}'],
  ['abc\u202edef\u2066\u200f\u061c', 'abc\\u{202e}def\\u{2066}\\u{200f}\\u{61c}'],
  ['\ufeffa\u200bb\u2028c\u2029\u00ad', '\\u{feff}a\\u{200b}b\\u{2028}c\\u{2029}\\u{ad}'],
  ['\u{e0041}', '\\u{e0041}'],
  ['a\r\nb\tc', 'a\\u{d}\nb\tc'],
  ['\ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67 \u2764\ufe0f\u200d\ud83d\udd25', undefined],
  ['Grüße, 你好, שלום, مرحبا', undefined],
])('%j for a terminal', (text, shown) => {
  expect(visible(text)).toBe(shown ?? text)
  expect(visibleLine(text)).not.toMatch(/[\n\t]/)
})

it('JSON keeps its meaning and shows every character', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom(
          'a',
          '"',
          '\\',
          '\x1b',
          '\x7f',
          '\u009b',
          '\u202e',
          '\u2028',
          '\ufeff',
          '\u{e0041}',
          '\n',
        ),
      }),
      (text) => {
        const json = asciiControls(JSON.stringify({ [text]: text }, undefined, 2))
        expect(json).toMatch(/^[\n\x20-\x7e]*$/)
        expect(JSON.parse(json)).toEqual({ [text]: text })
      },
    ),
  )
})
