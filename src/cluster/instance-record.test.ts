import { expect, it } from 'vitest'
import { instanceRecord, readInstanceRecord } from './instance-record.ts'

const secret = 'a-secret-of-at-least-32-characters'
const url = 'http://10.0.0.1:18741'
const read = (record: string, now = 1_000_000, instance = 'one') =>
  readInstanceRecord(secret, instance, record, now)
const record = instanceRecord(secret, 'one', url, 1_000_000)

it('is valid while it is fresh, within the difference of clocks', () => {
  expect(read(record)).toBe(url)
  expect(read(record, 1_055_000)).toBe(url)
  expect(read(record, 945_000)).toBe(url)
  // An old copy, written back after the address changed hands.
  expect(read(record, 1_065_000)).toBeUndefined()
  expect(read(record, 935_000)).toBeUndefined()
})

it('is valid for its own instance, address and time only', () => {
  expect(read(record, 1_000_000, 'two')).toBeUndefined()
  expect(read(record.replace('10.0.0.1', '10.0.0.2'))).toBeUndefined()
  expect(read(record.replace('1000000', '1000001'))).toBeUndefined()
  expect(read(instanceRecord('another-secret-of-32-characters!!', 'one', url, 1_000_000))).toBeUndefined()
  for (const text of [
    '',
    'null',
    '[]',
    '{"url":1}',
    '{"url":"x","proof":"y"}',
    '{"url":"x","at":"1","proof":"y"}',
  ])
    expect(read(text)).toBeUndefined()
})
