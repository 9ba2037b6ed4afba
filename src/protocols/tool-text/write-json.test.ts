import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fuzzShare } from '../../../test/fuzz/settings.ts'
import { elementTexts } from './top-level-text.ts'
import { writeJson } from './write-json.ts'

it('what was not changed keeps its text', () => {
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

it('the elements of an array', () => {
  expect(elementTexts(' [ 1.0 ,"a,]", {"b": [1]},[] ] ')).toEqual(['1.0', '"a,]"', '{"b": [1]}', '[]'])
  expect(elementTexts('[]')).toEqual([])
  expect(elementTexts('{}')).toEqual([])
})

it('any value is written as what it is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (value, before) => {
      const text = JSON.stringify(before)
      expect(JSON.parse(writeJson(value, JSON.parse(text), text))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
    fuzzShare(0.5),
  )
})
