import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { ValueSchema } from '@bufbuild/protobuf/wkt'
import { expect, it } from 'vitest'
import { fromValue, toValue } from './json-value.ts'

const sent = (json: unknown) => fromValue(fromBinary(ValueSchema, toBinary(ValueSchema, toValue(json))))

it('JSON arrives as it is', () => {
  const json = { a: [1, 'x', null, true, { b: {} }], c: -0.5 }
  expect(sent(json)).toEqual(json)
})

it('numbers that JSON can write but not hold are null', () => {
  expect(sent(JSON.parse('{"a":1e400,"b":[-1e400]}'))).toEqual({ a: null, b: [null] })
  expect(toValue(JSON.parse('1e400')).kind.case).toBe('nullValue')
})

it('half a character is replaced, not refused', () => {
  expect(sent({ a: 'x\ud800' })).toEqual({ a: 'x\ufffd' })
})
