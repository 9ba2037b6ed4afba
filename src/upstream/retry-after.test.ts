import { expect, it } from 'vitest'
import { retryAfter } from './retry-after.ts'

it.each([
  [{ 'retry-after': '7' }, 7_000],
  [{ 'retry-after': '1.5' }, 1_500],
  [{ 'retry-after': '-3' }, 0],
  [{ 'retry-after-ms': '250', 'retry-after': '7' }, 250],
  [{ 'retry-after': 'soon' }, undefined],
  [{}, undefined],
])('%j', (headers, ms) => {
  expect(retryAfter(headers)).toBe(ms)
})

it('a date in the past counts as now', () => {
  expect(retryAfter({ 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() })).toBeGreaterThan(
    3_500_000,
  )
  expect(retryAfter({ 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' })).toBe(0)
})
