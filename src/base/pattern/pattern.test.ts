import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EcmaPattern, searchPattern } from './pattern.ts'

const finds = (pattern: string, text: string) => searchPattern(pattern)?.(text)

const steps = () => ({ steps: 200_000 })
const ecma = (source: string) => EcmaPattern.read(source, { left: 5_000 }, { left: 20_000 })

describe('searchPattern', () => {
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
    expect(finds(pattern, text)).toBe(expected)
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
    `${'('.repeat(20)}${'){64}'.repeat(20)}`,
  ])('does not support %s', (pattern) => {
    expect(searchPattern(pattern)).toBeUndefined()
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
        expect(finds(source, given)).toBe(new RegExp(source).test(given))
      }),
    )
  })

  it('reads any text without an error', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (source) => void searchPattern(source)?.('some text')),
    )
  })

  it('takes linear time where backtracking takes exponential time', () => {
    expect(finds('(a+)+b', 'a'.repeat(5_000))).toBe(false)
    expect(finds('(?:a|a)*(?:a|a)*c', 'a'.repeat(5_000))).toBe(false)
  })
})

describe('EcmaPattern', () => {
  it.each([
    ['^[a-z][a-z0-9_-]{0,62}$', 'my-name_1', true],
    ['^[a-z][a-z0-9_-]{0,62}$', 'My-name', false],
    ['^\\d{4}-\\d{2}-\\d{2}$', '2026-11-18', true],
    ['^\\d{4}-\\d{2}-\\d{2}$', '2026-11-18\n', false],
    ['^.$', '😀', true],
    ['^..$', '😀', false],
    ['^[😀-😂]$', '😁', true],
    ['^\\ud83d\\ude00$', '😀', true],
    ['^\\u{1F600}$', '😀', true],
    ['^[\\u4e00-\\u9fff]+$', '中文', true],
    ['^[\\x20-\\x7e]*$', 'a b~', true],
    ['^[^\\0-\\x1f]*$', 'a\tb', false],
    ['^\\cI$', '\t', true],
    ['^[\\w.-]+@[\\w-]+\\.\\w+$', 'a.b@c-d.org', true],
    ['^[\\b]$', '\b', true],
    ['a\\Bb', 'ab', true],
    ['.', '\r', false],
    ['^(?<year>\\d+)$', '2026', true],
    ['^\\/', '/x', true],
  ])('%s in %j: %s', (pattern, text, expected) => {
    expect(new RegExp(pattern, 'u').test(text)).toBe(expected)
    expect(ecma(pattern)?.matches(text, steps())).toBe(expected)
  })

  it.each([
    '(?i)a',
    '(?=a)b',
    '(?<!a)b',
    '(a)\\1',
    '(?P<name>a)',
    '[]a]',
    '[^]',
    'a]',
    'a{,3}',
    '{',
    'a{2}{3}',
    '[\\w-z]',
    '[a-\\d]',
    '[z-a]',
    '\\p{L}',
    '\\Aa\\Z',
    '\\u{110000}',
    '\\x4',
    '\\',
    'a{4000}',
    `${'('.repeat(65)}${')'.repeat(65)}`,
    `${'('.repeat(60)}${'){999}'.repeat(60)}`,
    'x'.repeat(2_001),
  ])('does not support %s', (pattern) => {
    expect(ecma(pattern)).toBeUndefined()
  })

  it('matches what JavaScript matches', () => {
    const classes = [
      '[ab]',
      '[^a-c]',
      '[\\w-]',
      '[\\u{1F600}-\\u{1F64F}]',
      '[^\\s\\d]',
      '[\\x61-b.]',
      '[$^|]',
    ]
    const atoms = [
      'a',
      'é',
      '😀',
      '.',
      '\\w',
      '\\S',
      '\\u0061',
      '\\.',
      '(?:a|b|)',
      '(ab)',
      '(?<n>a)',
      ...classes,
    ]
    const edges = ['\\b', '\\B', '^', '$', '|']
    const times = fc.constantFrom('', '', '*', '+', '?', '{1,2}', '{2}', '{0}', '{2,}', '*?', '{1,3}?')
    const piece = fc.oneof(
      { weight: 4, arbitrary: fc.tuple(fc.constantFrom(...atoms), times).map((both) => both.join('')) },
      { weight: 1, arbitrary: fc.constantFrom(...edges) },
    )
    // A name may be used once.
    const isValid = (source: string) => source.split('<n>').length < 3
    const inner = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''))
    const pattern = fc
      .tuple(inner, fc.option(fc.tuple(inner, times)))
      .map(([one, group]) => (group ? `${one}(?:${group[0]})${group[1]}` : one))
      .filter(isValid)
    const letters = fc.constantFrom('a', 'b', 'é', '😀', '\ud83d', ' ', '\n', '\r', '.', '|', '9')
    const text = fc.array(letters, { maxLength: 9 }).map((some) => some.join(''))
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 4 }), (source, texts) => {
        const own = ecma(source)
        const native = new RegExp(source, 'u')
        for (const given of [...texts, ...texts])
          expect([source, given, own?.matches(given, steps())]).toEqual([source, given, native.test(given)])
      }),
    )
  })

  it('decides no odd pattern in another way than JavaScript', () => {
    const source = fc.array(fc.constantFrom(...'ab1-^$.|()[]{}*+?\\dwbxu,0<>:='), { maxLength: 7 })
    const text = fc.array(fc.constantFrom(...'ab1-]{}\\,0x'), { maxLength: 5 })
    fc.assert(
      fc.property(source, text, (pieces, letters) => {
        const pattern = pieces.join('')
        const given = letters.join('')
        const own = ecma(pattern)?.matches(given, steps())
        const native = nativePattern(pattern)
        if (own !== undefined && native !== undefined)
          expect([pattern, given, own]).toEqual([pattern, given, native.test(given)])
      }),
      { numRuns: 2_000 },
    )
  })

  it('counts up to 2,048', () => {
    const pattern = ecma('^.{1,2048}$')
    expect(pattern?.matches('x'.repeat(2_048), steps())).toBe(true)
    expect(pattern?.matches('x'.repeat(2_049), steps())).toBe(false)
  })

  it('says the same without room to remember', () => {
    for (const left of [0, 1, 40, 500]) {
      const pattern = EcmaPattern.read('^(?:ab|a[^c]+)*d$', { left: 100 }, { left })
      expect(pattern?.matches(`${'ab'.repeat(50)}d`, steps())).toBe(true)
      expect(pattern?.matches(`${'ab'.repeat(50)}e`, steps())).toBe(false)
    }
  })

  it('remembers no more than there is room for', () => {
    const room = { left: 1_000 }
    const pattern = EcmaPattern.read('(?:a|b)*(?:a(?:a|b){9})$', { left: 100 }, room)
    let text = ''
    for (let at = 0; at < 20_000; at++) text += (at * 7_919) % 13 < 6 ? 'a' : 'b'
    expect(pattern?.matches(text, { steps: 10_000_000 })).toBeTypeOf('boolean')
    expect(room.left).toBeGreaterThan(-100)
  })

  it('shares places with other patterns', () => {
    const places = { left: 25 }
    expect(EcmaPattern.read('a{9}', places, { left: 0 })).toBeDefined()
    expect(EcmaPattern.read('a{9}', places, { left: 0 })).toBeDefined()
    expect(EcmaPattern.read('a{9}', places, { left: 0 })).toBeUndefined()
  })

  it('takes steps by the length of the text, and stops when none are left', () => {
    const budget = { steps: 100_000 }
    expect(ecma('^(?:(?:a+)+|(?:a|a)*)*c$')?.matches('a'.repeat(50_000), budget)).toBe(false)
    expect(budget.steps).toBeGreaterThan(100_000 - 50_000 - 200)
    expect(ecma('(a|b)*c')?.matches('a'.repeat(50_000), { steps: 20_000 })).toBeUndefined()
  })

  it('looks no further once an anchored pattern cannot match', () => {
    const budget = steps()
    expect(ecma('^[a-z]+$')?.matches(`a1${'a'.repeat(100_000)}`, budget)).toBe(false)
    expect(budget.steps).toBeGreaterThan(199_980)
  })

  it('doubts kinds of characters beyond ASCII only', () => {
    expect(ecma('^\\w+$')?.isDoubtful('Größe')).toBe(true)
    expect(ecma('^\\w+$')?.isDoubtful('size')).toBe(false)
    expect(ecma('^[a-z]+$')?.isDoubtful('Größe')).toBe(false)
    expect(ecma('\\bx')?.isDoubtful('é x')).toBe(true)
  })
})

function nativePattern(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'u')
  } catch {
    return undefined
  }
}
