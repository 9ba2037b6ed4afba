// Peers that send anything: envelopes come out the same for every chunking, and nothing throws.

import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseEndOfStream, parseUnaryError } from '../../src/protocols/connect/end-stream.ts'
import { type Envelope, EnvelopeReader, encodeEnvelope } from '../../src/protocols/connect/envelope.ts'
import { fuzz } from './settings.ts'

const payload = fc.uint8Array({ maxLength: 40 })
const frame = fc.oneof(
  { weight: 6, arbitrary: payload.map((data) => encodeEnvelope(data)) },
  { weight: 2, arbitrary: payload.map((data) => encodeEnvelope(gzipSync(data), 0x01)) },
  { weight: 1, arbitrary: payload.map((data) => encodeEnvelope(data, 0x02)) },
  {
    weight: 1,
    arbitrary: fc.tuple(payload, fc.nat(255)).map(([data, flags]) => encodeEnvelope(data, flags)),
  },
  { weight: 1, arbitrary: payload.map((data) => Buffer.from(data)) },
)
const stream = fc.array(frame, { maxLength: 8 }).map((frames) => Buffer.concat(frames))
const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 6 })

function read(chunks: Uint8Array[]) {
  const reader = new EnvelopeReader({ backend: 'box', maxFrameBytes: 1000 })
  const envelopes: Envelope[] = []
  for (const chunk of chunks) envelopes.push(...reader.push(chunk))
  return {
    envelopes: envelopes.map(
      ({ endOfStream, data }) => `${endOfStream} ${Buffer.from(data).toString('hex')}`,
    ),
    failure: reader.failure?.message,
    pending: reader.pending,
    ended: reader.ended,
  }
}

function cut(bytes: Uint8Array, pattern: number[]): Uint8Array[] {
  const chunks: Uint8Array[] = []
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = pattern[turn % pattern.length]!
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return chunks
}

describe('Connect under fuzz', () => {
  it('reads any bytes the same for every chunking', () => {
    fc.assert(
      fc.property(stream, sizes, (bytes, pattern) => {
        expect(read(cut(bytes, pattern))).toEqual(read([bytes]))
      }),
      fuzz,
    )
  })

  it('gives back what was written', () => {
    fc.assert(
      fc.property(fc.array(payload, { maxLength: 6 }), sizes, (payloads, pattern) => {
        const bytes = Buffer.concat(
          payloads.map((data, index) =>
            index % 2 === 0 ? encodeEnvelope(data) : encodeEnvelope(gzipSync(data), 0x01),
          ),
        )
        expect(read(cut(bytes, pattern))).toEqual({
          envelopes: payloads.map((data) => `false ${Buffer.from(data).toString('hex')}`),
          failure: undefined,
          pending: 0,
          ended: false,
        })
      }),
      fuzz,
    )
  })

  it('makes something of every end-of-stream payload', () => {
    const field = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.string())
    const detail = fc.record({ type: field, value: field }, { requiredKeys: [] })
    const error = fc.record(
      { code: field, message: field, details: fc.oneof(field, fc.array(detail)) },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.oneof(field, fc.record({ error: fc.oneof(error, field) })), payload, (value, junk) => {
        const text = JSON.stringify(value)
        expect(['ok', 'error', 'malformed']).toContain(parseEndOfStream(Buffer.from(text)).kind)
        expect(['ok', 'error', 'malformed']).toContain(parseEndOfStream(junk).kind)
        parseUnaryError(text)
      }),
      fuzz,
    )
  })
})
