import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../../../test/fuzz/any-character.ts'
import { fuzz } from '../../../test/fuzz/settings.ts'
import { CustomTextReader } from './custom-text-reader.ts'

function pieces(json: string, sizes: readonly number[]): string[] {
  const cut: string[] = []
  for (let at = 0, turn = 0; at < json.length; turn++) {
    const size = sizes[turn % Math.max(sizes.length, 1)] ?? json.length
    cut.push(json.slice(at, at + size))
    at += size
  }
  return cut
}

const text = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: fc.constantFrom('"', '\\', '\n', 'u', '😀', 'ü', '\u0000', '\u2028', '/', 'n') }),
)
const half = /\p{Surrogate}/u
/** JSON with every non-ASCII character escaped, as some writers do. */
const inAscii = (json: string) =>
  json.replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

describe('CustomTextReader', () => {
  it('gives the same text for any spelling and chunking, and no half of a surrogate pair', () => {
    fc.assert(
      fc.property(
        text,
        fc.constantFrom('{"input":', ' {\n "input" : '),
        fc.constantFrom((json: string) => json, inAscii),
        fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 5 }),
        (value, begin, write, sizes) => {
          const reader = new CustomTextReader()
          const given = pieces(`${begin}${write(JSON.stringify(value))}}`, sizes).map((piece) =>
            reader.push(piece),
          )
          expect(given.join('')).toBe(value)
          if (!half.test(value)) expect(given.some((piece) => half.test(piece))).toBe(false)
        },
      ),
      fuzz,
    )
  })

  it.each(['{"patch":"x"}', '{}', '{"input":7}', '{"input":["x"]}', ` ${' '.repeat(200)}{"input":"x"}`])(
    'says nothing of %s',
    (json) => {
      const reader = new CustomTextReader()
      expect([...json].map((char) => reader.push(char)).join('')).toBe('')
    },
  )
})
