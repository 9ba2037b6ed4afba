import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyCharacter } from '../../test/fuzz/any-character.ts'
import { fuzz } from '../../test/fuzz/settings.ts'
import { flatJson, isPlain, jsonString } from './json-string.ts'

it('writes what JSON.stringify writes', () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 200 }),
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
    fuzz,
  )
})

it('leaves long text to JSON.stringify', () => {
  expect(isPlain('x'.repeat(1_000))).toBe(false)
  expect(jsonString('x'.repeat(1_000))).toBe(`"${'x'.repeat(1_000)}"`)
})

it('writes plain objects as JSON.stringify does', () => {
  const value = fc.oneof(fc.string(), fc.double(), fc.integer(), fc.boolean(), fc.constant(undefined))
  fc.assert(
    fc.property(fc.dictionary(fc.string(), value), (fields) => {
      expect(flatJson(fields)).toBe(JSON.stringify(fields))
    }),
  )
})
