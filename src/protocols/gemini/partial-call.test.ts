import { expect, it } from 'vitest'
import { PartialCall } from './partial-call.ts'

const piece = (jsonPath: string, numberValue = 1) => ({ jsonPath, numberValue })

it('puts values at their places, and leaves gaps for elements without any', () => {
  const call = new PartialCall('read')
  const pieces = [piece('$.a[1].b'), piece('$.a[2]', 2), { jsonPath: "$['c d']", stringValue: 'x' }]
  expect(call.add(pieces)).toBe(true)
  expect(call.add([{ jsonPath: "$['c d']", stringValue: 'y' }])).toBe(true)
  expect(JSON.stringify(call.args)).toBe('{"a":[null,{"b":1},2],"c d":"xy"}')
})

it('takes a long list whose elements all come', () => {
  const call = new PartialCall('read')
  expect(call.add(Array.from({ length: 9_000 }, (_, at) => piece(`$.a[${at}]`, at)))).toBe(true)
  expect(call.add(Array.from({ length: 9_000 }, (_, at) => piece(`$.b[${at}]`, at)))).toBe(true)
})

it('does not grow by far more than what came', () => {
  const call = new PartialCall('read')
  const pieces = Array.from({ length: 200 }, (_, at) => piece(`$.a[${at}][9999]`))
  expect(call.add(pieces)).toBe(false)
  expect(JSON.stringify(call.args).length).toBeLessThan(100_000)
})
