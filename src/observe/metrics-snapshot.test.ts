import { describe, expect, it } from 'vitest'
import { Metrics } from './metrics.ts'
import { addSnapshots, countedFor, type MetricsSnapshot, renderSnapshot } from './metrics-snapshot.ts'

function processOf({ turns, up, open }: { turns: readonly [string, number][]; up: number; open: boolean }) {
  const metrics = new Metrics()
  metrics.gauge('active', 'Active.', () => turns.length)
  metrics.gauge('up', 'Up.', () => up, 'min')
  metrics.gauges('open', 'Open.', () => (open ? [[{ model: 'm' }, 1]] : []), 'max')
  for (const [key, seconds] of turns) {
    metrics.count('turns_total', 'Turns.', { key })
    metrics.observe('seconds', 'Seconds.', {}, seconds)
  }
  return metrics
}

/** As it comes over a channel between processes. */
const sent = (metrics: Metrics) => JSON.parse(JSON.stringify(metrics.snapshot())) as MetricsSnapshot

const lineOf = (text: string, start: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith(start))
    .map((line) => line.slice(start.length))

describe('figures of several processes', () => {
  const one = processOf({
    turns: [
      ['a', 0.2],
      ['b', 20],
    ],
    up: 1,
    open: true,
  })
  const other = processOf({ turns: [['a', 0.01]], up: 0, open: true })
  const text = renderSnapshot(addSnapshots([sent(one), sent(other)]))

  it('counters and histograms are added, series by series', () => {
    expect(lineOf(text, 'turns_total')).toEqual(['{key="a"} 2', '{key="b"} 1'])
    expect(lineOf(text, 'seconds_bucket{le="0.05"}')).toEqual([' 1'])
    expect(lineOf(text, 'seconds_bucket{le="0.25"}')).toEqual([' 2'])
    expect(lineOf(text, 'seconds_bucket{le="+Inf"}')).toEqual([' 3'])
    expect(lineOf(text, 'seconds_count')).toEqual([' 3'])
    expect(Number(lineOf(text, 'seconds_sum')[0])).toBeCloseTo(20.21)
  })

  it('figures of the moment are combined as each of them says', () => {
    expect([lineOf(text, 'active'), lineOf(text, 'up'), lineOf(text, 'open')]).toEqual([
      [' 3'],
      [' 0'],
      ['{model="m"} 1'],
    ])
  })

  it('each is described once', () => {
    const described = lineOf(text, '# TYPE ').map((line) => line.split(' ')[0])
    expect(described).toEqual([...new Set(described)])
    expect(described).toHaveLength(5)
  })

  it('one alone reads as it would by itself', () => {
    expect(renderSnapshot(addSnapshots([sent(one)]))).toBe(one.render())
  })

  it('of a process that is gone, what it counted stays', () => {
    const left = renderSnapshot(addSnapshots([sent(other), countedFor(sent(one))]))
    expect(lineOf(left, 'turns_total')).toEqual(['{key="a"} 2', '{key="b"} 1'])
    expect([lineOf(left, 'active'), lineOf(left, 'up')]).toEqual([[' 1'], [' 0']])
  })
})
