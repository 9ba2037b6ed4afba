import { expect, it } from 'vitest'
import { isDuring, outagesOf } from './outages.ts'

const at = (seconds: number) => Date.UTC(2026, 0, 1) + seconds * 1_000
const line = (seconds: number, message: string) =>
  `${JSON.stringify({ time: new Date(at(seconds)).toISOString(), level: 'warn', message })}\n`
const lost = (seconds: number) => line(seconds, 'Redis cannot be used: sessions continue here')
const back = (seconds: number) => line(seconds, 'Redis is back: other instances')

it('an outage lasts until Redis is back, and while another one would not be told', () => {
  const logs = [line(1, 'something else'), lost(100), back(101), lost(200), back(250), lost(300)]
  expect(outagesOf(logs, at(400))).toEqual([
    { from: at(98), until: at(130) },
    { from: at(198), until: at(252) },
    { from: at(298), until: at(400) },
  ])
  expect(outagesOf([line(1, 'a')], at(9))).toEqual([])
})

it('a turn is in it if any of its time is', () => {
  const outages = outagesOf([lost(100), back(101)], at(400))
  expect(isDuring(outages, at(90), at(97))).toBe(false)
  expect(isDuring(outages, at(90), at(99))).toBe(true)
  expect(isDuring(outages, at(129))).toBe(true)
  expect(isDuring(outages, at(131), at(132))).toBe(false)
})
