import { expect, it } from 'vitest'
import { matchesGlob } from './glob-pattern.ts'

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
    ['node_modules/x/y', 'node_modules/**', true],
    ['(a)+.ts', '(a)+.ts', true],
    ['a*b', 'a\\*b', true],
    ['axb', 'a\\*b', false],
    ['😀.ts', '?.ts', true],
  ]
  for (const [path, pattern, expected] of cases)
    expect([path, pattern, matchesGlob(path, pattern)]).toEqual([path, pattern, expected])
})

it('patterns that make others try for ever are answered', () => {
  expect(matchesGlob('a'.repeat(4000), `${'*a'.repeat(200)}b`)).toBe(false)
  expect(matchesGlob('a/'.repeat(1000), `${'**/'.repeat(200)}b`)).toBe(false)
  expect(matchesGlob('a', '{a,b}'.repeat(40))).toBe(false)
})
