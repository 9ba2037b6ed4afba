// What every reader must do with every fixture: give the same events however the bytes are cut, and keep the
// invariants of a turn.

import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { TurnEvent } from '../../src/core/events.ts'
import type { TurnReader } from '../../src/protocols/streams/reader.ts'
import { createSseReader } from '../../src/protocols/streams/sse.ts'
import { checkTurn } from '../check-turn.ts'
import { positions } from '../depth.ts'
import type { Fixture } from '../fixtures.ts'

/** All events of a stream that arrives in these chunks. */
export function readChunks(reader: TurnReader, chunks: readonly Uint8Array[]): TurnEvent[] {
  const sse = createSseReader()
  const events = chunks.flatMap((chunk) => reader.push(sse.push(chunk)))
  return [...events, ...reader.push(sse.end()), ...reader.end()]
}

/** Of each long stream, in one night. */
const mostCuts = 1_500

export const bytewise = (bytes: Uint8Array): Uint8Array[] => Array.from(bytes, (byte) => Uint8Array.of(byte))

export function describeReader(options: {
  createReader(wholeArguments: boolean): TurnReader
  fixtures: readonly Fixture[]
}): void {
  describe.each(options.fixtures)('$name: $scenario', ({ bytes }) => {
    describe.each([true, false])('whole arguments %s', (wholeArguments) => {
      const read = (chunks: readonly Uint8Array[]) => readChunks(options.createReader(wholeArguments), chunks)
      const expected = read([bytes()])
      /** The matcher is only for its message: comparing by it takes ten times as long as the reader. */
      const same = (events: readonly TurnEvent[]) => {
        if (!isDeepStrictEqual(events, expected)) expect(events).toEqual(expected)
      }

      it('keeps the invariants of a turn', () => {
        expect(checkTurn(expected)).toEqual([])
      })

      it('gives the same events byte by byte', () => {
        expect(read(bytewise(bytes()))).toEqual(expected)
      })

      it('gives the same events when cut in two at any byte, inside characters too', () => {
        const all = bytes()
        for (const at of positions(all.length, 20, mostCuts))
          same(read([all.subarray(0, at), all.subarray(at)]))
      })

      it.each(['\r\n', '\r'])('gives the same events with line ends %j', (newline) => {
        expect(read(bytewise(bytes(newline)))).toEqual(expected)
        expect(read([bytes(newline)])).toEqual(expected)
      })

      it('gives the same events after a byte order mark', () => {
        expect(read([Uint8Array.of(0xef, 0xbb, 0xbf), bytes()])).toEqual(expected)
      })

      it('ends in an error, or as it did, when the stream stops at any byte', () => {
        const all = bytes()
        for (const at of positions(all.length, 20, mostCuts)) {
          const events = read([all.subarray(0, at)])
          const broken = checkTurn(events)
          if (broken.length > 0) expect(broken).toEqual([])
          const last = events.at(-1)
          if (last?.type === 'turn-end')
            expect(expected.at(-1)).toMatchObject({ type: 'turn-end', reason: last.reason })
        }
      })
    })
  })
}
