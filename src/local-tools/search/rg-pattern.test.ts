// Patterns for ripgrep, as models write them.

import { describe, expect, it } from 'vitest'
import { compilePattern } from './rg-pattern.ts'

function matches(pattern: string, text: string, options = {}): boolean {
  const compiled = compilePattern(pattern, { caseInsensitive: false, multiline: false, ...options })
  const isAscii = /^[\0-\x7f]*$/.test(text)
  const unicode = compiled.unicode.test(text)
  if (isAscii) expect(compiled.ascii.test(text)).toBe(unicode)
  return unicode
}

describe('matches as in ripgrep', () => {
  it.each<[string, string[], string[]]>([
    ['foo', ['a foo b'], ['fo', 'FOO']],
    ['(?i)foo', ['FOO'], []],
    ['(?i)(?s)fo.', ['FOX'], []],
    ['(?-i)foo', ['foo'], ['FOO']],
    ['\\Afoo\\z', ['foo'], ['a foo', 'foo b']],
    ['^foo$', ['foo'], ['foo ']],
    ['[[:alpha:]]+\\d', ['ab1'], ['1', '\u00e91']],
    ['^[[:^digit:]]$', ['a'], ['1']],
    ['[[:alnum:]_-]{3}', ['a-_'], ['a b']],
    ['(?P<a>x)(?P=a)', ['xx'], ['x']],
    ['\\bfoo\\b', ['a foo.', 'foo'], ['foo\u00e9', 'food']],
    ['^\\w+$', ['caf\u00e9_1'], ['a b']],
    ['^\\d$', ['1', '\u0663'], ['a']],
    ['\\<foo\\>', ['a foo b'], ['afoo']],
    ['a\\sb', ['a b', 'a\u00a0b', 'a\tb'], ['ab']],
    ['\\x41\\x{42}\\u0043\\u{44}\\U00000045', ['ABCDE'], ['abcde']],
    ['\\pL\\p{Lu}\\p{Greek}', ['aB\u03b1'], ['1B\u03b1']],
    ['\\p{^L}', ['1'], ['a']],
    ['[^\\w\\s]', ['!'], ['a', ' ']],
    ['[]a]', [']', 'a'], ['b']],
    ['[^]a]', ['b'], [']', 'a']],
    ['[a-c-]', ['b', '-'], ['d']],
    ['[\\w-]', ['-', 'a'], ['+']],
    ['[a[bc]]', ['c'], ['d', '[']],
    ['[[({]', ['[', '(', '{'], ['a']],
    ['[&|]', ['&', '|'], ['a']],
    ['[.*+?^$]', ['^', '$', '.'], ['a']],
    ['interface \\w+ {', ['interface A {'], ['interface A']],
    ['a{2}b{,2}c{1,}', ['aac', 'aabbcc'], ['abc']],
    ['{}', ['{}'], ['}']],
    ['a/b', ['a/b'], []],
    ['\\"a\\-b\\@\\#\\/\\_\\\'', ['"a-b@#/_\''], []],
    ['foo\\|bar', ['foo|bar'], ['foo', 'bar']],
    ['a.b', ['a\u2028b', 'a\u{1F600}b', 'a\rb'], []],
    ['foo(?!bar)', ['foox'], ['foobar']],
    ['(?<=a)b', ['ab'], ['b']],
    ['(a)\\1', ['aa'], ['a']],
    ['', ['', 'x'], []],
    ['\\(\\)\\[\\]\\{\\}', ['()[]{}'], []],
    ['\u00e9+', ['\u00e9\u00e9'], ['e']],
  ])('%s', (pattern, yes, no) => {
    for (const text of yes) expect([text, matches(pattern, text)]).toEqual([text, true])
    for (const text of no) expect([text, matches(pattern, text)]).toEqual([text, false])
  })

  it('across lines if requested', () => {
    const multiline = { multiline: true }
    expect(matches('a\\nb', 'a\nb', multiline)).toBe(true)
    expect(matches('a.b', 'a\nb', multiline)).toBe(true)
    expect(matches('^b$', 'a\nb\nc', multiline)).toBe(true)
    expect(matches('^a$', 'a\r\nb', multiline)).toBe(true)
    expect(matches('\\Ab', 'a\nb', multiline)).toBe(false)
    expect(matches('a\\z', 'a\nb', multiline)).toBe(false)
  })

  it('ignoring case', () => {
    expect(matches('\u00c9t\u00e9', '\u00e9T\u00c9', { caseInsensitive: true })).toBe(true)
    expect(matches('(?-i)a', 'A', { caseInsensitive: true })).toBe(false)
  })
})

it.each([
  ['(', 'Unterminated group'],
  ['a)', 'Unmatched'],
  ['[a', 'no ] behind it'],
  ['*a', 'Nothing to repeat'],
  ['a**', 'Nothing to repeat'],
  ['[z-a]', 'out of order'],
  ['\\', 'lone backslash'],
  ['\\q', 'escape \\q'],
  ['\\p{Nonsense}', 'property'],
  ['[[:nonsense:]]', 'class'],
  ['a(?i)b', 'flags stand at the front'],
  ['(?x) a', '(?x)'],
  ['[a-z&&[^b]]', '"&&"'],
  ['a'.repeat(6000), 'longer than'],
])('explains the problem of %.20s', (pattern, problem) => {
  const compile = () => compilePattern(pattern, { caseInsensitive: false, multiline: false })
  expect(compile).toThrow('The pattern is not valid')
  expect(compile).toThrow(problem)
})
