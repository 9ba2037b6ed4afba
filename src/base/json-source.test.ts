import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyCharacter } from '../../test/fuzz/any-character.ts'
import { fuzz, fuzzShare } from '../../test/fuzz/settings.ts'
import { elementTexts, memberTexts, writeJson } from './json-source.ts'

it('gives the source of every member', () => {
  const text =
    ' { "a" : 12345678901234567890 , "b":1.0,"c":"x\\u0041, }", "d" : { "e" : [ 1, "]" ] } , "f":[],"g":true}\n'
  expect([...memberTexts(text)]).toEqual([
    ['a', '12345678901234567890'],
    ['b', '1.0'],
    ['c', '"x\\u0041, }"'],
    ['d', '{ "e" : [ 1, "]" ] }'],
    ['f', '[]'],
    ['g', 'true'],
  ])
})

it('decodes names, and takes the last of two members with the same name', () => {
  expect([...memberTexts('{"a":1,"\\u0061":2,"__proto__":3}')]).toEqual([
    ['a', '2'],
    ['__proto__', '3'],
  ])
})

it.each(['{}', ' { } ', '[1,2]', '"a"', '12', ''])('%j has no members', (text) => {
  expect(memberTexts(text).size).toBe(0)
})

it('gives a source that parses to the member, for any object', () => {
  const object = fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue({ maxDepth: 3 }))
  fc.assert(
    fc.property(object, fc.constantFrom(0, 1, 2), (given, space) => {
      const text = JSON.stringify(given, null, space)
      const value = JSON.parse(text) as Record<string, unknown>
      const texts = memberTexts(text)
      expect([...texts.keys()]).toEqual(Object.keys(value))
      for (const [name, one] of texts) {
        expect(JSON.parse(one)).toEqual(value[name])
        expect(one).toBe(one.trim())
      }
    }),
    fuzz,
  )
})

it('keeps the source of unchanged parts', () => {
  const text = '{"a": 1.0, "b": [10000000000000000001, {"c": 1e2}], "__proto__": 2.50}'
  const before = JSON.parse(text)
  expect(writeJson(before, before, text)).toBe(text)
  const after = { ...before, b: [before.b[0], { c: 'x' }] }
  expect(writeJson(after, before, text)).toBe(
    '{"a":1.0,"b":[10000000000000000001,{"c":"x"}],"__proto__":2.50}',
  )
  expect(writeJson({ ...before, b: [1] }, before, text)).toContain('"b":[1]')
  expect(writeJson({ a: 1 }, before, undefined)).toBe('{"a":1}')
})

it('gives the source of every element', () => {
  expect(elementTexts(' [ 1.0 ,"a,]", {"b": [1]},[] ] ')).toEqual(['1.0', '"a,]"', '{"b": [1]}', '[]'])
  expect(elementTexts('[]')).toEqual([])
  expect(elementTexts('{}')).toEqual([])
})

it('writes any value as what it is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (value, before) => {
      const text = JSON.stringify(before)
      expect(JSON.parse(writeJson(value, JSON.parse(text), text))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
    fuzzShare(0.5),
  )
})
