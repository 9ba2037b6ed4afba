import { expect, it } from 'vitest'
import { Metrics } from '../../observe/metrics.ts'
import { WorkerMetrics } from './worker-metrics.ts'

const turnsIn = (text: string) => Number(/^dragoman_takeovers_total (\d+)$/m.exec(text)?.[1] ?? 0)

function worker() {
  const metrics = new Metrics()
  metrics.gauge('dragoman_active_requests', () => 1)
  return {
    metrics,
    turn: () => metrics.count('dragoman_takeovers_total', {}),
    ask: async () => metrics.snapshot(),
  }
}

it('counters never decrease when a worker dies, and its last snapshot counts', async () => {
  const all = new WorkerMetrics(() => 2)
  const [killed, left] = [worker(), worker()]
  const of = [all.add(killed.ask), all.add(left.ask)]
  killed.turn()
  left.turn()
  expect(turnsIn(await all.render())).toBe(2)
  // The parent has no snapshot of this one.
  killed.turn()
  of[0]?.gone()
  left.turn()
  of[1]?.retire(left.metrics.snapshot())
  of[1]?.gone()
  const text = await all.render()
  expect(turnsIn(text)).toBe(3)
  expect(text).not.toMatch(/^dragoman_active_requests/m)
  expect(text).toMatch(/^dragoman_workers 2$/m)
})

it('a worker that cannot be asked keeps its last snapshot', async () => {
  const all = new WorkerMetrics(() => 1)
  const { metrics, turn } = worker()
  let isThere = true
  all.add(async () => {
    if (isThere) return metrics.snapshot()
    throw new Error('gone')
  })
  turn()
  await all.render()
  isThere = false
  turn()
  expect(turnsIn(await all.render())).toBe(1)
})
