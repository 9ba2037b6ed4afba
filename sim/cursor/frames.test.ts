import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { COMPRESSED, encodeEnd, encodeFrame, FrameReader } from './frames.ts'
import { Refusal } from './refusal.ts'

const texts = (messages: Uint8Array[]) => messages.map((message) => Buffer.from(message).toString())

describe('frames', () => {
  const stream = Buffer.concat([
    encodeFrame(0, Buffer.from('first')),
    encodeFrame(0, Buffer.alloc(0)),
    encodeFrame(COMPRESSED, gzipSync('third')),
  ])

  test.each([1, 2, 3, 7, 1000])('are whole messages, in pieces of %i bytes', (size) => {
    const reader = new FrameReader('gzip')
    const messages: Uint8Array[] = []
    for (let start = 0; start < stream.length; start += size) {
      messages.push(...reader.push(stream.subarray(start, start + size)))
    }
    expect(texts(messages)).toEqual(['first', '', 'third'])
    expect(reader.isInsideFrame).toBe(false)
  })

  test('that are not finished are known', () => {
    const reader = new FrameReader(undefined)
    expect(reader.push(stream.subarray(0, 8))).toEqual([])
    expect(reader.isInsideFrame).toBe(true)
  })

  test('that no client sends are refused', () => {
    const push = (bytes: Buffer, encoding?: string) => () => new FrameReader(encoding).push(bytes)
    expect(push(encodeEnd())).toThrow('a frame with flags 0x02')
    expect(push(encodeFrame(0, Buffer.alloc(0), 2 ** 31))).toThrow('at most 16 MiB are taken')
    expect(push(encodeFrame(COMPRESSED, Buffer.from('x')), 'gzip')).toThrow('that is not gzip')
    expect(push(encodeFrame(COMPRESSED, gzipSync(Buffer.alloc(17 * 2 ** 20))), 'gzip')).toThrow(Refusal)
  })

  test('end a stream with JSON', () => {
    const error = new Refusal('internal', 'no', { error: 41, title: 'T', detail: 'D', isRetryable: true })
    const json = JSON.parse(encodeEnd(error).subarray(5).toString())
    expect(json).toMatchObject({ error: { code: 'internal', message: 'no' } })
    expect(json.error.details[0]).toMatchObject({
      type: 'aiserver.v1.ErrorDetails',
      value: 'CCkSCAoBVBIBRCAB',
    })
  })
})
