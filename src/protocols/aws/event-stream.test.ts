import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeFrame } from '../../../sim/clouds/event-stream.ts'
import { EventStreamError, EventStreamReader } from './event-stream.ts'

const read = (...pieces: Buffer[]) => {
  const reader = new EventStreamReader()
  const messages = pieces.flatMap((piece) => reader.push(piece))
  reader.end()
  return messages.map(({ headers, payload }) => [Object.fromEntries(headers), payload.toString('utf8')])
}

const frames = Buffer.concat([
  encodeFrame({ ':message-type': 'event', ':event-type': 'chunk' }, '{"bytes":"Grüße"}'),
  encodeFrame({}, ''),
  encodeFrame({ ':message-type': 'exception' }, 'x'),
])
const whole = [
  [{ ':message-type': 'event', ':event-type': 'chunk' }, '{"bytes":"Grüße"}'],
  [{}, ''],
  [{ ':message-type': 'exception' }, 'x'],
]

describe('frames', () => {
  it('are read, cut at every byte, and byte by byte', () => {
    for (let at = 0; at <= frames.length; at++)
      expect(read(frames.subarray(0, at), frames.subarray(at))).toEqual(whole)
    expect(read(...[...frames].map((byte) => Buffer.from([byte])))).toEqual(whole)
  })

  it('are kept as copies: a single byte would hold the network read that it came in', () => {
    const reader = new EventStreamReader()
    const messages = [...frames].flatMap((byte) => {
      const piece = Buffer.from([byte])
      const read = reader.push(piece)
      piece.fill(0)
      return read.map(({ headers, payload }) => [Object.fromEntries(headers), payload.toString('utf8')])
    })
    expect(messages).toEqual(whole)
  })

  // The example of the format's specification: an empty message.
  it('are those of the specification', () => {
    const empty = Buffer.from('000000100000000005c248eb7d98c8ff', 'hex')
    expect(encodeFrame({}, '')).toEqual(empty)
    expect(read(empty)).toEqual([[{}, '']])
  })

  it('end only where a frame ends', () => {
    const complete = Array.from({ length: frames.length + 1 }, (_, at) => {
      try {
        return read(frames.subarray(0, at)).length
      } catch (error) {
        expect(error).toBeInstanceOf(EventStreamError)
        return undefined
      }
    })
    expect(complete.filter((count) => count !== undefined)).toEqual([0, 1, 2, 3])
  })

  it('of any content survive', () => {
    const text = fc.string({ maxLength: 40 })
    const frame = fc.record({
      headers: fc.dictionary(fc.string({ minLength: 1, maxLength: 20 }), text, { maxKeys: 3 }),
      text,
    })
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 4 }), fc.nat(), (list, cut) => {
        const bytes = Buffer.concat(list.map(({ headers, text: payload }) => encodeFrame(headers, payload)))
        const at = bytes.length === 0 ? 0 : cut % bytes.length
        const expected = list.map(({ headers, text: payload }) => [{ ...headers }, payload])
        expect(read(bytes.subarray(0, at), bytes.subarray(at))).toEqual(expected)
      }),
    )
  })
})

describe('refused', () => {
  it('any single byte that has changed', () => {
    for (let at = 0; at < frames.length; at++) {
      const changed = Buffer.from(frames)
      changed[at] = (changed[at] ?? 0) ^ 0x41
      expect(() => read(changed), String(at)).toThrow(EventStreamError)
    }
  })

  it('any bytes, with this error alone', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          read(Buffer.from(bytes))
        } catch (error) {
          expect(error).toBeInstanceOf(EventStreamError)
        }
      }),
    )
  })

  /** A frame with these bytes as its headers, under lengths that may be wrong. */
  function framed(headers: number[], total = headers.length + 16, headersLength = headers.length): Buffer {
    const frame = Buffer.concat([Buffer.alloc(12), Buffer.from(headers), Buffer.alloc(4)])
    frame.writeUInt32BE(total, 0)
    frame.writeUInt32BE(headersLength, 4)
    frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8)
    frame.writeUInt32BE(crc32(frame.subarray(0, -4)), frame.length - 4)
    return frame
  }

  it.each([
    ['too long a frame', 16 * 1024 * 1024 + 1, 0, 'more than the format allows'],
    ['headers that are longer than the frame', 20, 100, 'too short'],
    ['a frame that is shorter than an empty one', 12, 0, 'too short'],
  ])('%s, before it is waited for', (_, total, headers, words) => {
    expect(() => new EventStreamReader().push(framed([], total, headers))).toThrow(words)
  })

  it('a header of an unknown type, and one that is cut', () => {
    expect(() => read(framed([1, 97, 99]))).toThrow('unknown type 99')
    expect(() => read(framed([1, 97, 7, 0, 9, 98]))).toThrow('is cut')
    expect(read(framed([1, 97, 0, 1, 98, 4, 0, 0, 0, 1]))).toEqual([[{}, '']])
  })
})
