import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../../test/fuzz/any-character.ts'
import { fuzz } from '../../test/fuzz/settings.ts'
import { StrictUtf8 } from './strict-utf8.ts'

const fatal = new TextDecoder('utf-8', { fatal: true })

function outcome(decode: () => string): string | undefined {
  try {
    return decode()
  } catch {
    return undefined
  }
}

function inPieces(bytes: Uint8Array, places: readonly number[]): string {
  const cuts = [0, ...places.map((at) => at % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  const decoder = new StrictUtf8()
  for (const [index, end] of cuts.slice(1).entries()) decoder.push(bytes.subarray(cuts[index], end))
  return decoder.end()
}

/** Almost valid UTF-8. */
const spoiled = fc
  .tuple(fc.string({ unit: anyCharacter }), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 2 }))
  .map(([text, changes]) => {
    const bytes = Buffer.from(text)
    for (const [at, byte] of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte
    return bytes
  })

describe('StrictUtf8', () => {
  it('equals a fatal TextDecoder, wherever the bytes are cut', () => {
    fc.assert(
      fc.property(fc.oneof(spoiled, fc.uint8Array()), fc.array(fc.nat()), (bytes, places) => {
        expect(outcome(() => inPieces(bytes, places))).toBe(outcome(() => fatal.decode(bytes)))
      }),
      fuzz,
    )
  })

  it('drops a byte order mark only at the beginning', () => {
    const bytes = Buffer.from('\ufeffa\ufeffb')
    for (let cut = 0; cut <= bytes.length; cut++) expect(inPieces(bytes, [cut])).toBe('a\ufeffb')
  })
})
