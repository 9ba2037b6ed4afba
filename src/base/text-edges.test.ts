import fc from 'fast-check'
import { expect, it } from 'vitest'
import { beginsWith, endsWith } from './text-edges.ts'

it('says the same as the methods of strings', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '😀', '\ud83d') })
  fc.assert(
    fc.property(letters, letters, fc.nat(8), (text, other, cut) => {
      for (const part of [other, text.slice(0, cut), text.slice(cut), text]) {
        expect(beginsWith(text, part)).toBe(text.startsWith(part))
        expect(endsWith(text, part)).toBe(text.endsWith(part))
      }
    }),
  )
})
