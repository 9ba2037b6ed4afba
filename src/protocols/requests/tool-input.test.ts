import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuzz } from '../../../test/fuzz/settings.ts'
import { ObjectScanner, readToolInput } from './tool-input.ts'

describe('readToolInput', () => {
  it.each([
    ['{"a":1}', ['{"a":1}']],
    [' {"a": 1}\n', [' {"a": 1}\n']],
    ['', ['{}']],
    ['  ', ['{}']],
    ['null', ['{}']],
    ['""', ['{}']],
    ['"{\\"a\\":1}"', ['{"a":1}']],
    ['{}{"a":1}', ['{"a":1}']],
    ['{"a":1}{"a":1}', ['{"a":1}']],
    ['{"a":1} {"b":"}{"}', ['{"a":1}', ' {"b":"}{"}']],
    ['{}{}', ['{}']],
  ])('%j → %j', (text, inputs) => {
    expect(readToolInput(text)).toMatchObject({ ok: true, inputs })
  })

  it.each(['{', '{"a":', '[]', '1', '"x"', '{"a":1}x', '{"a":1}}', '{"a":1}{"b":', 'true', '{a:1}{b:2}'])(
    '%j is malformed',
    (text) => {
      expect(readToolInput(text)).toEqual({ ok: false })
    },
  )

  it('keeps every JSON object byte for byte, and separates concatenated objects', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value))
    fc.assert(
      fc.property(fc.array(object, { minLength: 1, maxLength: 4 }), (objects) => {
        const read = readToolInput(objects.join(''))
        const meant =
          objects.length === 1
            ? objects
            : objects.filter((text, at) => text !== '{}' && text !== objects[at - 1])
        expect(read).toMatchObject({ ok: true, inputs: meant.length > 0 ? meant : ['{}'] })
      }),
      fuzz,
    )
  })
})

describe('ObjectScanner', () => {
  it('gives the same result for any chunking', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), (value, cut) => {
        const text = JSON.stringify({ value })
        const at = cut % text.length
        const scanner = new ObjectScanner()
        scanner.push(text.slice(0, at))
        expect(scanner.complete).toBe(false)
        scanner.push(text.slice(at))
        expect(scanner.complete).toBe(true)
      }),
      fuzz,
    )
  })
})
