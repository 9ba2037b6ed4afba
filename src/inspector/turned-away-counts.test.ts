import fc from 'fast-check'
import { expect, it } from 'vitest'
import { turnedAwayReasons } from '../http/turned-away.ts'
import { TurnedAwayCounts } from './turned-away-counts.ts'

const minute = 60_000

it('counts by reason and minute, newest first', () => {
  const clock = { now: 10 * minute + 5 }
  const counts = new TurnedAwayCounts(() => clock.now)
  counts.add('wrong-key')
  counts.add('wrong-key')
  clock.now += minute
  counts.add('host')
  counts.add('wrong-key')
  expect(counts.all()).toEqual([
    { minute: 11 * minute, reason: 'wrong-key', count: 1 },
    { minute: 11 * minute, reason: 'host', count: 1 },
    { minute: 10 * minute, reason: 'wrong-key', count: 2 },
  ])
})

it('forgets what is older than an hour, also if nothing else comes', () => {
  const clock = { now: 0 }
  const counts = new TurnedAwayCounts(() => clock.now)
  counts.add('no-key')
  clock.now = 59 * minute
  expect(counts.all()).toHaveLength(1)
  clock.now = 60 * minute
  expect(counts.all()).toEqual([])
})

it('stays bounded, whatever comes and however the clock jumps', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...turnedAwayReasons), fc.integer({ min: -5, max: 90 })), {
        maxLength: 1_000,
      }),
      (requests) => {
        const clock = { now: 1_000 * minute }
        const counts = new TurnedAwayCounts(() => clock.now)
        for (const [reason, minutes] of requests) {
          clock.now += minutes * minute
          counts.add(reason)
        }
        const lines = counts.all()
        expect(lines.length).toBeLessThanOrEqual(60 * turnedAwayReasons.length)
        expect(new Set(lines.map((line) => `${line.minute} ${line.reason}`)).size).toBe(lines.length)
      },
    ),
  )
})
