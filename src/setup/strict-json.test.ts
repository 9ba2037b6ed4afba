import fc from 'fast-check'
import { parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { strictJson } from './strict-json.ts'

describe('strictJson', () => {
  it.each([
    ['{\n  // mine\n  "theme": "dark"\n}\n', '{\n  "theme": "dark"\n}\n'],
    ['{\n  "a": [1, 2,], // why\n  "b": "// no, \\" ,}",\n}', '{\n  "a": [1, 2],\n  "b": "// no, \\" ,}"\n}'],
    ['{ /* a */ "a": 1, /* b\n c */ }\r\n', '{  "a": 1\n }\r\n'],
    ['{\r\n  // x\r\n  "a": 1,\r\n}\r\n', '{\r\n  "a": 1\r\n}\r\n'],
    ['\uFEFF{"a":1}', '\uFEFF{"a":1}'],
    ['{"a":', '{"a":'],
    ['', ''],
  ])('%j', (text, strict) => {
    expect(strictJson(text)).toBe(strict)
  })

  it('keeps every value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value, undefined, 2)
          .replace(/\n/g, ' // note, "x"\n')
          .replace(/(?<=[\]}"\d]) \/\/ note, "x"(\n *[\]}])/g, ', /* last */$1')
        const strict = strictJson(text)
        expect(JSON.parse(strict)).toEqual(parse(text, [], { allowTrailingComma: true }))
      }),
    )
  })
})
