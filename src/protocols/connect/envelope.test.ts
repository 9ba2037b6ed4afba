import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { scaled } from '../../../test/depth.ts'
import { type Envelope, EnvelopeReader, encodeEnvelope } from './envelope.ts'

const bytes = (text: string) => Buffer.from(text)

function readAll(chunks: Iterable<Uint8Array>, options: { encoding?: string; maxFrameBytes?: number } = {}) {
  const reader = new EnvelopeReader({ backend: 'box', ...options })
  const envelopes: Envelope[] = []
  for (const chunk of chunks) envelopes.push(...reader.push(chunk))
  return {
    envelopes: envelopes.map(({ endOfStream, data }) => [endOfStream, Buffer.from(data).toString('latin1')]),
    failure: reader.failure,
    pending: reader.pending,
    ended: reader.ended,
  }
}

function* slices(stream: Uint8Array, size: number) {
  for (let at = 0; at < stream.length; at += size) yield stream.subarray(at, at + size)
}

const stream = Buffer.concat([
  encodeEnvelope(bytes('one')),
  encodeEnvelope(new Uint8Array(0)),
  encodeEnvelope(gzipSync(bytes('two'.repeat(3000))), 0x01),
  encodeEnvelope(bytes('x'.repeat(300))),
  encodeEnvelope(gzipSync(bytes('{}')), 0x03),
])

describe('EnvelopeReader', () => {
  it('writes and reads the five bytes before a payload', () => {
    expect([...encodeEnvelope(bytes('ab'), 0x02)]).toEqual([2, 0, 0, 0, 2, 97, 98])
    expect(readAll([encodeEnvelope(bytes('ab'), 0x02)]).envelopes).toEqual([[true, 'ab']])
  })

  it('gives the same for a cut at every byte and for chunks of every size', () => {
    const whole = readAll([stream])
    expect(whole).toMatchObject({ failure: undefined, pending: 0, ended: true })
    expect(whole.envelopes.map(([end, data]) => [end, (data as string).length])).toEqual([
      [false, 3],
      [false, 0],
      [false, 9000],
      [false, 300],
      [true, 2],
    ])
    for (let cut = 0; cut <= stream.length; cut++)
      expect(readAll([stream.subarray(0, cut), stream.subarray(cut)])).toEqual(whole)
    for (const size of [1, 2, 3, 5, 7, 64]) expect(readAll(slices(stream, size))).toEqual(whole)
  })

  it('shows a stream that ends inside a frame', () => {
    const frame = encodeEnvelope(bytes('abc'))
    for (let cut = 1; cut < frame.length; cut++)
      expect(readAll([frame.subarray(0, cut)])).toMatchObject({ envelopes: [], pending: cut, ended: false })
    expect(readAll([frame]).pending).toBe(0)
  })

  it('does not look at what follows the end', () => {
    const end = encodeEnvelope(bytes('{}'), 0x02)
    expect(readAll([end, bytes('\xff\xff\xff\xff\xff\xff')])).toMatchObject({
      failure: undefined,
      pending: 0,
    })
  })

  it.each([
    ['unknown flags', Buffer.from([0x80, 0, 0, 0, 0]), {}, /unknown flags \(0x80\)/],
    ['flags of a web page', bytes('<html>'), {}, /unknown flags \(0x3c\)/],
    ['a lying length', Buffer.from([0, 0xff, 0xff, 0xff, 0xff]), {}, /4294967295 bytes/],
    ['a length just over the limit', Buffer.from([0, 0, 0, 0, 11]), { maxFrameBytes: 10 }, /11 bytes/],
    ['another encoding', Buffer.from([1, 0, 0, 0, 9]), { encoding: 'br' }, /"br"/],
    ['no gzip', encodeEnvelope(bytes('not gzip'), 0x01), {}, /not the gzip/],
    ['cut gzip', encodeEnvelope(gzipSync(bytes('abc')).subarray(0, 12), 0x01), {}, /not the gzip/],
    ['a bomb', encodeEnvelope(gzipSync(Buffer.alloc(8 * 1024 * 1024)), 0x01), {}, /unfolds to more than/],
  ])('refuses %s, behind what came before it', (_name, bad, options, message) => {
    const good = encodeEnvelope(bytes('good'))
    for (const chunks of [
      [good, bad],
      [Buffer.concat([good, bad, good])],
      slices(Buffer.concat([good, bad]), 1),
    ]) {
      const { envelopes, failure, ended } = readAll(chunks, options)
      expect(envelopes).toEqual([[false, 'good']])
      expect(failure).toMatchObject({ code: 'upstream-protocol', message: expect.stringMatching(message) })
      expect(ended).toBe(false)
    }
  })

  it('refuses a large frame at its header, before any of it is kept', () => {
    const { failure, pending } = readAll([Buffer.from([0, 1, 0, 0, 1])])
    expect(failure?.code).toBe('upstream-protocol')
    expect(pending).toBeLessThanOrEqual(5)
  })

  it('takes what compresses very well as long as it is small', () => {
    const blanks = ' '.repeat(1_000_000)
    const { envelopes } = readAll([encodeEnvelope(gzipSync(bytes(blanks)), 0x01)], { encoding: 'GZIP' })
    expect(envelopes).toEqual([[false, blanks]])
  })

  it('reads a large frame byte by byte without copying it over and over', () => {
    const large = encodeEnvelope(Buffer.alloc(scaled(4, 1) * 1024 * 1024, 'a'))
    const reader = new EnvelopeReader({ backend: 'box' })
    let found = 0
    for (const byte of slices(large, 1)) found += reader.push(byte).length
    expect(found).toBe(1)
  })

  it('takes an empty compressed payload as empty', () => {
    expect(readAll([encodeEnvelope(new Uint8Array(0), 0x01)]).envelopes).toEqual([[false, '']])
  })
})
