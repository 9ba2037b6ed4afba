// The decoder that goes past TextDecoder for ASCII gives what TextDecoder gives, piece by piece.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createUtf8Decoder } from '../../src/base/utf8-decoder.ts'
import { fuzz } from './settings.ts'

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('data: {"a":1}\n\n', '\r', '\u0000', 'é', '€', '🙂', '\ufeff') },
  { weight: 1, arbitrary: fc.constant('') },
)
const wellFormed = piece.map((text) => new TextEncoder().encode(text))
/** Halves of characters, marks without their end, overlong forms, surrogates, what UTF-8 never has. */
const broken = fc
  .constantFrom(
    [0xef],
    [0xef, 0xbb],
    [0xbb, 0xbf],
    [0xbf],
    [0xc3],
    [0xa9],
    [0xe2, 0x82],
    [0xf0, 0x9f],
    [0x99, 0x82],
    [0xc0, 0xaf],
    [0xed, 0xa0, 0x80],
    [0xf5],
    [0xff, 0xfe],
    [0x41, 0xe2],
    [0x80, 0x41],
  )
  .map((bytes) => Uint8Array.from(bytes))
const pieces = fc.array(fc.oneof(wellFormed, broken, fc.uint8Array({ maxLength: 4 })), { maxLength: 12 })

describe('the decoder of streams', () => {
  const expectSame = (given: readonly Uint8Array[]) => {
    const plain = new TextDecoder()
    const decode = createUtf8Decoder()
    for (const bytes of given) expect(decode(bytes)).toBe(plain.decode(bytes, { stream: true }))
    expect(decode()).toBe(plain.decode())
  }

  it('gives for each piece what TextDecoder gives, whatever the bytes and the cuts', () => {
    fc.assert(fc.property(pieces, expectSame), fuzz)
  })

  it('takes Buffers, views into larger memory and plain arrays alike', () => {
    const text = 'ab é c 🙂'
    const memory = new Uint8Array(64)
    const { written } = new TextEncoder().encodeInto(text, memory.subarray(7))
    for (const bytes of [Buffer.from(text), memory.subarray(7, 7 + written)])
      for (let at = 0; at <= bytes.length; at++) expectSame([bytes.subarray(0, at), bytes.subarray(at)])
  })

  it('takes a byte order mark away at the very beginning and nowhere else', () => {
    const mark = Uint8Array.of(0xef, 0xbb, 0xbf)
    const a = Uint8Array.of(0x61)
    expectSame([mark, a, mark])
    expectSame([a, mark])
    expectSame([a, Uint8Array.of(0xef), Uint8Array.of(0xbb, 0xbf)])
    expectSame([new Uint8Array(), mark, mark])
  })
})
