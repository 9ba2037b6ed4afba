import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isoTime } from './iso-time.ts'

it('equals Date.toISOString()', () => {
  const time = fc.integer({ min: 0, max: 4_102_444_800_000 })
  fc.assert(
    fc.property(time, fc.array(fc.nat(3_000), { maxLength: 5 }), (start, steps) => {
      let now = start
      for (const step of [0, ...steps]) {
        now += step
        expect(isoTime(now)).toBe(new Date(now).toISOString())
      }
    }),
  )
})
