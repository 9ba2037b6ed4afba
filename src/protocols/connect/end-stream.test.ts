import { describe, expect, it } from 'vitest'
import { parseEndOfStream, parseUnaryError } from './end-stream.ts'

const end = (text: string) => parseEndOfStream(Buffer.from(text))

describe('parseEndOfStream', () => {
  it.each(['{}', '{"metadata":{"a":["b"]}}', '{"error":null}', ' {} '])('takes %s as a clean end', (text) => {
    expect(end(text)).toEqual({ kind: 'ok' })
  })

  it('reads code, message and details, padded or not, by name or by URL', () => {
    const details = [
      { type: 'a.B', value: 'AQI' },
      { type: 'type.googleapis.com/c.D', value: 'AQ==', debug: { x: 1 } },
      { type: 'no.Value' },
      7,
    ]
    expect(end(JSON.stringify({ error: { code: 'internal', message: 'Error', details } }))).toEqual({
      kind: 'error',
      error: {
        code: 'internal',
        message: 'Error',
        details: [
          { type: 'a.B', value: Buffer.from([1, 2]) },
          { type: 'c.D', value: Buffer.from([1]) },
        ],
      },
    })
  })

  it.each([
    ['{"error":"no"}', { code: 'unknown', message: 'no', details: [] }],
    ['{"error":7}', { code: 'unknown', message: '', details: [] }],
    ['{"error":{}}', { code: 'unknown', message: '', details: [] }],
    ['{"error":{"code":5,"message":[],"details":{}}}', { code: 'unknown', message: '', details: [] }],
  ])('makes an error of %s', (text, error) => {
    expect(end(text)).toEqual({ kind: 'error', error })
  })

  it.each(['', 'null', '[]', '7', '"x"', '{', '\xff'])('says that %j is malformed', (text) => {
    expect(end(text)).toEqual({ kind: 'malformed' })
  })
})

describe('parseUnaryError', () => {
  it('reads the body of a refused call', () => {
    expect(parseUnaryError('{"code":"unauthenticated","message":"no"}')).toEqual({
      code: 'unauthenticated',
      message: 'no',
      details: [],
    })
    expect(parseUnaryError('{"error":{"code":"internal"}}')?.code).toBe('internal')
  })

  it.each(['', '<html></html>', '[]', 'null', '{}', '{"x":1}'])('leaves %j alone', (text) => {
    expect(parseUnaryError(text)).toBeUndefined()
  })
})
