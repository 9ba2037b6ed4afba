import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toolPattern } from './tool-pattern.ts'

const matches = (pattern: string, text: string) => toolPattern(pattern)?.(text)

describe('toolPattern', () => {
  it.each([
    ['weather', 'get_weather', true],
    ['get_.*_data', 'get_user_data', true],
    ['^get_', 'forget_it', false],
    ['database.*query|query.*database', 'Runs a query in a database', true],
    ['(?i)slack', 'Slack: send', true],
    ['slack', 'Slack: send', false],
    ['(?:create|update)_(issue|ticket)s?$', 'update_tickets', true],
    ['[A-Z]{2,3}-\\d+', 'see ABC-12', true],
    ['[A-Z]{2,3}-\\d+', 'see A-12', false],
    ['\\bpull\\b', 'pull_request', false],
    ['\\bpull\\b', 'a pull request', true],
    ['[^a-z]', 'abc', false],
    ['a{2,}', 'baab', true],
    ['', 'anything', true],
  ])('%s in %s: %s', (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected)
  })

  it.each([
    '(?=a)b',
    '(a)\\1',
    '(?<name>a)',
    'a**',
    '(',
    'a)',
    '[a',
    '*a',
    'a{3,2}',
    'a{99}',
    '\\p{L}',
    'x'.repeat(201),
  ])('does not support %s', (pattern) => {
    expect(toolPattern(pattern)).toBeUndefined()
  })

  it('matches what JavaScript matches', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '(?:a|b)', '(ab)', '\\b', '^', '$')
    const piece = fc
      .tuple(atom, fc.constantFrom('', '*', '+', '?', '{1,2}', '*?'))
      .map(([one, times]) => (['\\b', '^', '$'].includes(one) ? one : one + times))
    const pattern = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''))
    const text = fc
      .array(fc.constantFrom('a', 'b', ' ', '\n'), { maxLength: 8 })
      .map((letters) => letters.join(''))
    fc.assert(
      fc.property(pattern, text, (source, given) => {
        expect(matches(source, given)).toBe(new RegExp(source).test(given))
      }),
    )
  })

  it('reads any text without an error', () => {
    fc.assert(fc.property(fc.string({ maxLength: 60 }), (source) => void toolPattern(source)?.('some text')))
  })

  it('takes linear time where backtracking takes exponential time', () => {
    expect(matches('(a+)+b', 'a'.repeat(5_000))).toBe(false)
    expect(matches('(?:a|a)*(?:a|a)*c', 'a'.repeat(5_000))).toBe(false)
  })
})
