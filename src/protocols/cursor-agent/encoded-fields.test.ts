import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fuzz } from '../../../test/fuzz/settings.ts'
import { encodedField, joinFields } from './encoded-fields.ts'

const number = fc.integer({ min: 1, max: 536_870_911 })
const bytes = fc.uint8Array({ maxLength: 300 })

it('writes what a writer of whole messages writes', () => {
  fc.assert(
    fc.property(number, number, fc.array(bytes, { maxLength: 5 }), bytes, (outer, inner, all, more) => {
      const within = new BinaryWriter().raw(more)
      for (const one of all) within.tag(inner, WireType.LengthDelimited).bytes(one)
      const expected = new BinaryWriter().tag(outer, WireType.LengthDelimited).bytes(within.finish())
      const fields = all.map((one) => encodedField(inner, one))
      expect([...joinFields([encodedField(outer, more, ...fields)])]).toEqual([...expected.finish()])
    }),
    fuzz,
  )
})

it.each([0, 1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152])('writes a length of %i bytes', (length) => {
  const content = new Uint8Array(length).fill(7)
  const expected = new BinaryWriter().tag(3, WireType.LengthDelimited).bytes(content).finish()
  expect(Buffer.compare(joinFields([encodedField(3, content)]), expected)).toBe(0)
})
