import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fuzz } from '../../../test/fuzz/settings.ts'
import { compileGlob, compileGlobs, GlobError } from './glob-pattern.ts'

const matchesGlob = (path: string, pattern: string) => compileGlob(pattern)(path)

it('matches as ripgrep does', () => {
  const cases: [string, string, boolean][] = [
    ['a.ts', '*.ts', true],
    ['x/y/a.ts', '*.ts', true],
    ['x/a.tsx', '*.{ts,tsx}', true],
    ['x/a.js', '*.{ts,tsx}', false],
    ['src/a.ts', 'src/*.ts', true],
    ['src/x/a.ts', 'src/*.ts', false],
    ['src/x/y/a.ts', 'src/**/*.ts', true],
    ['src/a.ts', 'src/**/*.ts', true],
    ['a.ts', '**/*.ts', true],
    ['a/b', '**', true],
    ['./a.ts', './*.ts', true],
    ['a1.ts', 'a[0-9].ts', true],
    ['ax.ts', 'a[!0-9].ts', true],
    ['ax.ts', 'a?.ts', true],
    ['a.b', 'a.[', false],
    ['a.[', 'a.[', true],
    ['a]', 'a[]]', true],
    ['ab', 'a[]', false],
    ['node_modules/x/y', 'node_modules/**', true],
    ['(a)+.ts', '(a)+.ts', true],
    ['a*b', 'a\\*b', true],
    ['axb', 'a\\*b', false],
    ['😀.ts', '?.ts', true],
    ['😀.ts', '[😀-😂].ts', true],
    ['src/a/x.ts', 'src/{a,{b,c}}/*.{ts,js}', true],
    ['src/c/x.js', 'src/{a,{b,c}}/*.{ts,js}', true],
    ['{a,b', '{a,b', true],
    ['{x,b', '{x,{a,b}', true],
  ]
  for (const [path, pattern, expected] of cases)
    expect([path, pattern, matchesGlob(path, pattern)]).toEqual([path, pattern, expected])
})

it('matches any of several patterns', () => {
  const isIgnored = compileGlobs(['*.log', 'dist/**'])
  expect(['a.log', 'dist/a', 'src/a'].map(isIgnored)).toEqual([true, true, false])
  expect(compileGlobs([])('a')).toBe(false)
})

it('patterns that would make a backtracking matcher hang end quickly', () => {
  expect(matchesGlob('a'.repeat(4000), `${'*a'.repeat(200)}b`)).toBe(false)
  expect(matchesGlob('a/'.repeat(1000), `${'**/'.repeat(200)}b`)).toBe(false)
  expect(matchesGlob('a'.repeat(200_000), `${'*a'.repeat(500)}b`)).toBe(false)
  expect(matchesGlob('[', '['.repeat(2_000))).toBe(false)
})

it('refuses a pattern beyond the bounds with advice', () => {
  const beyond = [
    '['.repeat(1_000_000),
    '{a,b}'.repeat(40),
    '{'.repeat(1_000_000),
    `{${'a,'.repeat(2_000)}}${'b'.repeat(100)}`,
    `${'{'.repeat(900)}a,b${'}'.repeat(900)}${'{a,b}'.repeat(9)}`,
  ]
  for (const pattern of beyond) {
    expect(() => compileGlob(pattern)).toThrow(GlobError)
    expect(() => compileGlob(pattern)).toThrow('Search with a simpler one, such as "**/*.ts".')
  }
  expect(() => compileGlobs(Array.from({ length: 5_000 }, (_, index) => `${index}`))).toThrow(GlobError)
})

/** A plain reference implementation, without regard to speed. */
const means = (path: string, pattern: string): boolean => {
  const braces = /\{([^{}]*)\}/.exec(pattern)
  if (braces)
    return (braces[1] as string).split(',').some((one) =>
      means(
        path,
        pattern.replace(braces[0], () => one),
      ),
    )
  const split = (text: string) => text.split('/').filter((part) => part !== '' && part !== '.')
  const [parts, globs] = [split(path), split(pattern)]
  if (globs.length === 1 && !pattern.includes('/') && globs[0] !== '**')
    return meansPart(parts.at(-1) ?? '', globs[0] as string)
  const from = (part: number, glob: number): boolean => {
    if (glob === globs.length) return part === parts.length
    if (globs[glob] === '**') return from(part, glob + 1) || (part < parts.length && from(part + 1, glob))
    return (
      part < parts.length &&
      meansPart(parts[part] as string, globs[glob] as string) &&
      from(part + 1, glob + 1)
    )
  }
  return from(0, 0)
}

const meansPart = (text: string, glob: string): boolean => {
  const source = glob.replace(/\*+|\?|\[(!|\^)?(\]?[^\]]*)\]|\\?(.)/gsu, (whole, negated, set, literal) => {
    if (whole.startsWith('*')) return '[\\s\\S]*'
    if (whole === '?') return '[\\s\\S]'
    if (set === undefined) return literal.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    const ranges = [...set.matchAll(/(.)-(.)|(.)/gsu)].flatMap(([, a, b, c]: (string | undefined)[]) =>
      c === undefined
        ? (a as string) <= (b as string)
          ? [`\\u{${hex(a)}}-\\u{${hex(b)}}`]
          : []
        : [`\\u{${hex(c)}}`],
    )
    return `[${negated ? '^' : ''}${ranges.join('')}]`
  })
  return new RegExp(`^${source}$`, 'u').test(text)
}
const hex = (char: string | undefined) => ((char as string).codePointAt(0) as number).toString(16)

it('agrees with the reference implementation', () => {
  const paths = fc.string({
    unit: fc.constantFrom('a', 'b', '/', '.', ']', '-', '{', ',', '*', '😀'),
    maxLength: 10,
  })
  const patterns = fc.string({
    unit: fc.constantFrom('a', 'b', '/', '.', '*', '**', '**/', '?', '[', ']', '!', '-', '{', '}', ',', '😀'),
    maxLength: 12,
  })
  fc.assert(
    fc.property(paths, patterns, (path, pattern) => {
      expect(matchesGlob(path, pattern)).toBe(means(path, pattern))
    }),
    fuzz,
  )
})
