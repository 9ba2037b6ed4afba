import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuzz } from '../../test/fuzz/settings.ts'
import { elementsOf, membersOf, memberText } from './json-text.ts'

const runs = fuzz

const written = (value: unknown, indent: number | string) => JSON.stringify(value, undefined, indent)
const indents = fc.constantFrom('', ' ', '\t', 4)

describe('the values in a JSON text', () => {
  it('members are those of JSON.parse, in order', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), indents, (object, indent) => {
        const text = `\n ${written(object, indent)} `
        const found = membersOf(text).map(({ name, valueStart, end }) => [name, text.slice(valueStart, end)])
        const values = found.map(([name, value]) => [name, JSON.parse(String(value))])
        expect(values).toEqual(Object.entries(JSON.parse(text)))
      }),
      runs,
    )
  })

  it('elements are those of JSON.parse, in order', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), indents, (array, indent) => {
        const text = ` ${written(array, indent)}\n`
        expect(elementsOf(text).map((element) => JSON.parse(element))).toEqual(JSON.parse(text))
      }),
      runs,
    )
  })

  it('keeps their spelling', () => {
    const text = '{ "\\u0061" : 1.0 , "b\\\\" :[1e400,{"c":"]}\\""}],"d":-0}'
    expect(memberText(text, 'a')).toBe('1.0')
    expect(memberText(text, 'b\\')).toBe('[1e400,{"c":"]}\\""}]')
    expect(memberText(text, 'd')).toBe('-0')
    expect(memberText(text, 'e')).toBeUndefined()
    expect(elementsOf('[1.0,"a,b\\\\",12345678901234567890]')).toEqual([
      '1.0',
      '"a,b\\\\"',
      '12345678901234567890',
    ])
  })

  it('the last of two members with one name counts', () => {
    expect(memberText('{"a":1,"a":2}', 'a')).toBe('2')
  })
})
