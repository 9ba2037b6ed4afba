import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuzz } from '../../../test/fuzz/settings.ts'
import { clientFrame } from '../../../test/open-responses/socket-client.ts'
import { acceptKey, closeFrame, FrameError, FrameReader, textFrame } from './frames.ts'

function read(bytes: Buffer, cuts: readonly number[] = []) {
  const heard: string[] = []
  let text = Buffer.alloc(0)
  const reader = new FrameReader({
    onPiece: (piece) => {
      text = Buffer.concat([text, piece])
    },
    onMessage: () => {
      heard.push(`text ${text.toString()}`)
      text = Buffer.alloc(0)
    },
    onPing: (payload) => heard.push(`ping ${payload.toString()}`),
    onPong: () => heard.push('pong'),
    onClose: () => heard.push('close'),
  })
  let at = 0
  for (const cut of [...cuts.map((one) => one % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    reader.push(bytes.subarray(at, cut))
    at = cut
  }
  return heard
}

const [continuation, text, binary, close, ping, pong] = [0, 1, 2, 8, 9, 10]
const of = (opcode: number, payload: string, options = {}) =>
  clientFrame(opcode, Buffer.from(payload), options)

describe('FrameReader', () => {
  it('answers the key of the RFC', () => {
    expect(acceptKey('dGhlIHNhbXBsZSBub25jZQ==')).toBe('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=')
  })

  it('reads messages in parts, with control frames between them, cut anywhere', () => {
    const part = fc.record({
      texts: fc.array(fc.string({ maxLength: 300 }), { minLength: 1, maxLength: 4 }),
      pings: fc.boolean(),
    })
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 5 }),
        fc.array(fc.nat(), { maxLength: 8 }),
        (messages, cuts) => {
          const frames: Buffer[] = []
          const expected: string[] = []
          for (const { texts, pings } of messages) {
            for (const [at, one] of texts.entries()) {
              frames.push(of(at === 0 ? text : continuation, one, { fin: at === texts.length - 1 }))
              if (pings && at < texts.length - 1) {
                frames.push(of(ping, 'p'), of(pong, ''))
                expected.push('ping p', 'pong')
              }
            }
            expected.push(`text ${Buffer.from(texts.join('')).toString()}`)
          }
          expect(read(Buffer.concat(frames), cuts)).toEqual(expected)
        },
      ),
      fuzz,
    )
  })

  it('any bytes are read, or refused with a code', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.array(fc.nat(), { maxLength: 4 }), (bytes, cuts) => {
        try {
          read(Buffer.from(bytes), cuts)
        } catch (error) {
          expect(error).toBeInstanceOf(FrameError)
        }
      }),
      fuzz,
    )
  })

  it.each([
    ['a frame without a mask', clientFrame(text, Buffer.from('x'), { masked: false }), 1002],
    ['a binary frame', of(binary, 'x'), 1003],
    ['a continuation of nothing', of(continuation, 'x'), 1002],
    ['a message inside another', Buffer.concat([of(text, 'x', { fin: false }), of(text, 'y')]), 1002],
    ['a ping in parts', of(ping, 'x', { fin: false }), 1002],
    ['a long ping', of(ping, 'x'.repeat(126)), 1002],
    ['an unknown kind', of(3, 'x'), 1002],
    ['a compressed frame', Buffer.from([0xc1, 0x80, 0, 0, 0, 0]), 1002],
    ['a length beyond numbers', Buffer.concat([Buffer.from([0x81, 0xff]), Buffer.alloc(12, 255)]), 1009],
  ])('%s is refused', (_name, bytes, code) => {
    expect(() => read(bytes)).toThrow(expect.objectContaining({ code }))
  })

  it('nothing after a close is read', () => {
    expect(read(Buffer.concat([of(close, ''), of(text, 'x')]))).toEqual(['close'])
  })
})

it('frames of the server have the length that they say', () => {
  for (const length of [0, 125, 126, 65_535, 65_536]) {
    const frame = textFrame('x'.repeat(length))
    const head = length < 126 ? 2 : length < 65_536 ? 4 : 10
    expect([frame[0], frame.length]).toEqual([0x81, head + length])
  }
  expect(closeFrame(1000)).toEqual(Buffer.from([0x88, 2, 3, 0xe8]))
})
