import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fuzz } from '../../../test/fuzz/settings.ts'
import { topLevelText } from './top-level-text.ts'

it('the texts of all members, as they stand', () => {
  const text =
    ' { "a" : 12345678901234567890 , "b":1.0,"c":"x\\u0041, }", "d" : { "e" : [ 1, "]" ] } , "f":[],"g":true}\n'
  expect([...topLevelText(text)]).toEqual([
    ['a', '12345678901234567890'],
    ['b', '1.0'],
    ['c', '"x\\u0041, }"'],
    ['d', '{ "e" : [ 1, "]" ] }'],
    ['f', '[]'],
    ['g', 'true'],
  ])
})

it('of two members with the same name, the last counts; names are decoded', () => {
  expect([...topLevelText('{"a":1,"\\u0061":2,"__proto__":3}')]).toEqual([
    ['a', '2'],
    ['__proto__', '3'],
  ])
})

it.each(['{}', ' { } ', '[1,2]', '"a"', '12', ''])('%j has none', (text) => {
  expect(topLevelText(text).size).toBe(0)
})

it('each text is its value, in any object', () => {
  const object = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 3 }))
  fc.assert(
    fc.property(object, fc.constantFrom(0, 1, 2), (given, space) => {
      const text = JSON.stringify(given, null, space)
      const value = JSON.parse(text) as Record<string, unknown>
      const texts = topLevelText(text)
      expect([...texts.keys()]).toEqual(Object.keys(value))
      for (const [name, one] of texts) {
        expect(JSON.parse(one)).toEqual(value[name])
        expect(one).toBe(one.trim())
      }
    }),
    fuzz,
  )
})
