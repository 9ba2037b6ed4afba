import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isPlain, jsonString } from './json-string.ts'

it('writes what JSON.stringify writes', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc
      .array(fc.constantFrom('a', '"', '\\', '\n', '\u001f', ' ', '\ud800', '\udc00', '\u2028', 'é'), {
        maxLength: 6,
      })
      .map((all) => all.join('')),
  )
  fc.assert(
    fc.property(text, (value) => {
      expect(jsonString(value)).toBe(JSON.stringify(value))
      if (isPlain(value)) expect(JSON.stringify(value)).toBe(`"${value}"`)
    }),
    { numRuns: 2_000 },
  )
})

it('takes the long way with long text', () => {
  expect(isPlain('x'.repeat(1_000))).toBe(false)
  expect(jsonString('x'.repeat(1_000))).toBe(`"${'x'.repeat(1_000)}"`)
})
