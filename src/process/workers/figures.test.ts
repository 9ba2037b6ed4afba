import { expect, it } from 'vitest'
import { Metrics } from '../../observe/metrics.ts'
import { Figures } from './figures.ts'

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

it('no counter goes back when a worker dies, and what it said at its end counts', async () => {
  const figures = new Figures(() => 2)
  const [killed, left] = [worker(), worker()]
  const of = [figures.add(killed.ask), figures.add(left.ask)]
  killed.turn()
  left.turn()
  expect(turnsIn(await figures.render())).toBe(2)
  // Of this one nobody has heard.
  killed.turn()
  of[0]?.gone()
  left.turn()
  of[1]?.retire(left.metrics.snapshot())
  of[1]?.gone()
  const text = await figures.render()
  expect(turnsIn(text)).toBe(3)
  expect(text).not.toMatch(/^dragoman_active_requests/m)
  expect(text).toMatch(/^dragoman_workers 2$/m)
})

it('one that cannot be asked is shown as it was', async () => {
  const figures = new Figures(() => 1)
  const { metrics, turn } = worker()
  let isThere = true
  figures.add(async () => {
    if (isThere) return metrics.snapshot()
    throw new Error('gone')
  })
  turn()
  await figures.render()
  isThere = false
  turn()
  expect(turnsIn(await figures.render())).toBe(1)
})
