import { describe, expect, it } from 'vitest'
import { Metrics } from './metrics.ts'
import { addSnapshots, countedFor, type MetricsSnapshot, renderSnapshot } from './metrics-snapshot.ts'

function processOf({ turns, up, open }: { turns: readonly [string, number][]; up: number; open: boolean }) {
  const metrics = new Metrics()
  metrics.gauge('dragoman_active_requests', () => turns.length)
  metrics.gauge('dragoman_cluster_redis_up', () => up)
  metrics.gauges('dragoman_breaker_open', () => (open ? [[{ backend: 'b', model: 'm' }, 1]] : []))
  for (const [code, seconds] of turns) {
    metrics.count('dragoman_requests_refused_total', { code })
    metrics.observe('dragoman_turn_seconds', { backend: 'b' }, seconds)
  }
  return metrics
}

/** A snapshot as another process receives it. */
const sent = (metrics: Metrics) => JSON.parse(JSON.stringify(metrics.snapshot())) as MetricsSnapshot

const lineOf = (text: string, start: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith(start))
    .map((line) => line.slice(start.length))

describe('metrics of several processes', () => {
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
    expect(lineOf(text, 'dragoman_requests_refused_total')).toEqual(['{code="a"} 2', '{code="b"} 1'])
    expect(lineOf(text, 'dragoman_turn_seconds_bucket{backend="b",le="0.05"}')).toEqual([' 1'])
    expect(lineOf(text, 'dragoman_turn_seconds_bucket{backend="b",le="0.25"}')).toEqual([' 2'])
    expect(lineOf(text, 'dragoman_turn_seconds_bucket{backend="b",le="+Inf"}')).toEqual([' 3'])
    expect(lineOf(text, 'dragoman_turn_seconds_count{backend="b"}')).toEqual([' 3'])
    expect(Number(lineOf(text, 'dragoman_turn_seconds_sum{backend="b"}')[0])).toBeCloseTo(20.21)
  })

  it('gauges are combined as each of them declares', () => {
    expect([
      lineOf(text, 'dragoman_active_requests'),
      lineOf(text, 'dragoman_cluster_redis_up'),
      lineOf(text, 'dragoman_breaker_open'),
    ]).toEqual([[' 3'], [' 0'], ['{backend="b",model="m"} 1']])
  })

  it('each metric is described once', () => {
    const described = lineOf(text, '# TYPE ').map((line) => line.split(' ')[0])
    expect(described).toEqual([...new Set(described)])
    expect(described).toHaveLength(5)
  })

  it('a single snapshot renders like its own process', () => {
    expect(renderSnapshot(addSnapshots([sent(one)]))).toBe(one.render())
  })

  it('counters of a process that has exited stay', () => {
    const left = renderSnapshot(addSnapshots([sent(other), countedFor(sent(one))]))
    expect(lineOf(left, 'dragoman_requests_refused_total')).toEqual(['{code="a"} 2', '{code="b"} 1'])
    expect([lineOf(left, 'dragoman_active_requests'), lineOf(left, 'dragoman_cluster_redis_up')]).toEqual([
      [' 1'],
      [' 0'],
    ])
  })
})
