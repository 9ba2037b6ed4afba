import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inBatches, turns } from '../../test/contract/turns.ts'
import { fuzzShare } from '../../test/fuzz/settings.ts'
import type { TurnEvent } from '../core/events.ts'
import { RelayLines } from './relay-lines.ts'
import { readLine, writeLine } from './relay-messages.ts'

const asIs = (text: string) => text
const maxBytes = 1024 * 1024

function readAll(pieces: readonly Buffer[]): TurnEvent[][] {
  const lines = new RelayLines(maxBytes)
  return pieces
    .flatMap((piece) => lines.push(piece))
    .map((text) => (readLine(text) as { events: TurnEvent[] }).events)
}

describe('lines of a relayed answer', () => {
  it('preserve any turn in any batches, cut at every byte', () => {
    fc.assert(
      fc.property(turns, fc.array(fc.nat(6)), (events, sizes) => {
        const batches = inBatches(events, sizes)
        // Keep-alives stand between them.
        const bytes = Buffer.from(batches.map((batch) => `\n${writeLine({ events: batch }, asIs)}`).join(''))
        const expected = JSON.parse(JSON.stringify(batches))
        expect(readAll([bytes])).toEqual(expected)
        expect(readAll([...bytes].map((byte) => Buffer.from([byte])))).toEqual(expected)
        for (let at = 1; at < bytes.length; at += 7)
          expect(readAll([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(expected)
      }),
      fuzzShare(0.1),
    )
  })

  it('a line that is too long is refused before it is complete', () => {
    const lines = new RelayLines(10)
    expect(lines.push(Buffer.from('0123456789\n'))).toEqual(['0123456789'])
    expect(lines.push(Buffer.from('01234'))).toEqual([])
    expect(() => lines.push(Buffer.from('567890'))).toThrow('too long')
  })

  it('an incomplete line is not returned', () => {
    expect(new RelayLines(100).push(Buffer.from('{"events":['))).toEqual([])
  })

  it.each([
    'nonsense',
    'null',
    '[]',
    '{}',
    '{"events":{}}',
    '{"events":[null]}',
    '{"events":[{"type":"__proto__"}]}',
    '{"events":[{"type":"toString"}]}',
    '{"events":[{"type":"text-delta","delta":1,"block":0}]}',
    '{"events":[{"type":"text-delta","delta":"x"}]}',
    '{"events":[{"type":"turn-start"}]}',
    '{"session":"other"}',
  ])('%s is not understood', (text) => expect(readLine(text)).toBeUndefined())

  it('no input throws', () => {
    fc.assert(fc.property(fc.json(), (text) => void readLine(text)))
    fc.assert(fc.property(fc.string(), (text) => void readLine(text)))
  })
})
