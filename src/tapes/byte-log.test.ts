import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ByteLog, longestPiece } from './byte-log.ts'

it('returns the pieces in order, also while more are added', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  const bytes = fc.uint8Array({ minLength: 1, maxLength: longestPiece })
  fc.assert(
    fc.property(fc.array(fc.oneof(text, bytes), { maxLength: 120 }), fc.nat(60), (pieces, early) => {
      const log = new ByteLog()
      const lengths: number[] = []
      const { piece: read } = log.reader()
      const found: Buffer[] = []
      for (const [at, piece] of pieces.entries()) {
        lengths.push(log.add(piece))
        if (at === early) for (const length of lengths) found.push(Buffer.from(read(length)))
      }
      for (const length of lengths.slice(found.length)) found.push(read(length))
      expect(found.map((one) => one.toString('hex'))).toEqual(
        pieces.map((piece) => Buffer.from(piece as string).toString('hex')),
      )
    }),
  )
})

it('returns timed pieces among the others', () => {
  const text = fc.string({ unit: 'grapheme-ascii', maxLength: 200 })
  const timed = fc.record({ time: fc.integer({ min: 0, max: 2 ** 32 - 1 }), text })
  const bytes = fc.uint8Array({ minLength: 1, maxLength: longestPiece })
  fc.assert(
    fc.property(fc.array(fc.oneof(timed, bytes), { maxLength: 120 }), (pieces) => {
      const log = new ByteLog()
      const reader = log.reader()
      for (const piece of pieces)
        if ('time' in piece) log.addTimed(piece.time, piece.text)
        else log.add(piece)
      const found = pieces.map((piece) =>
        'time' in piece ? reader.timed() : new Uint8Array(reader.piece(piece.length)),
      )
      expect(found).toEqual(pieces)
    }),
  )
})
