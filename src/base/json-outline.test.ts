import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuzz } from '../../test/fuzz/settings.ts'
import { hasOddNumber } from './exact-json.ts'
import { outlineOf } from './json-outline.ts'
import { JsonScan } from './json-scan.ts'
import { membersOf } from './json-text.ts'

/** The deepest level that a scan of the bytes does not refuse. */
function depthOf(text: string): number {
  let depth = 0
  while (new JsonScan({ values: 1e9, depth }).push(Buffer.from(text)) === 'depth') depth++
  return depth
}

const spaced = ' {\n "a" : [1, {"b\\"":-0.0}] ,"c":"}\\\\",\t"d": 12345678901234567890 , "a":null}\n'

describe('the outline of a JSON text', () => {
  it.each([
    spaced,
    '{}',
    '[{"a":1}]',
    '[[[]]]',
    '3',
    '"a"',
    '{"a":1.0}',
    '{"a":[1.50]}',
    '{"a":{"b":[true,1e5]}}',
  ])('is what the single passes find in %s', (text) => {
    const { depth, members, hasOddNumber: hasOdd } = outlineOf(text)
    expect(depth).toBe(depthOf(text))
    expect(hasOdd).toBe(hasOddNumber(text, 1))
    expect(members).toEqual(text.trim().startsWith('{') ? membersOf(text) : [])
  })

  it('is the same for any value, with and without blanks', () => {
    const objects = fc.dictionary(fc.string(), fc.jsonValue())
    fc.assert(
      fc.property(objects, fc.constantFrom(0, 1), (value, blanks) => {
        const text = JSON.stringify(value, undefined, blanks)
        const { depth, members, hasOddNumber: hasOdd } = outlineOf(text)
        expect(members).toEqual(membersOf(text))
        expect(depth).toBe(depthOf(text))
        expect(hasOdd).toBe(hasOddNumber(text, 1))
      }),
      fuzz,
    )
  })
})
