// Scanners that are written by hand, and the patterns with what is around them: texts that once took seconds or for ever are
// read at once. All readers with all fragments are in long-fragments.ts.

import { expect, it } from 'vitest'
import { scaled } from '../depth.ts'
import { attacks } from './attacks.ts'
import { hangs } from './hang.ts'
import { readers, type TextReader } from './scanners.ts'

const size = scaled(400_000, 100_000)

it.each(attacks)('%s does not hang', (name, text) => {
  expect(hangs(() => (readers[name] as TextReader)(text(size)), 15_000)).toBe(false)
})

it('a hang is seen', () => {
  expect(hangs(() => /(a+)+b/.test('a'.repeat(60)), 50)).toBe(true)
})
