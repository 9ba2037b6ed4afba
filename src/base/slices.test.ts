import { expect, it } from 'vitest'
import { finish, inSlices, type Steps } from './slices.ts'

function* counting(steps: number, each: () => void): Steps<number> {
  for (let step = 0; step < steps; step++) {
    each()
    yield
  }
  return steps
}

it('returns the result at once', () => {
  expect(finish(counting(3, () => undefined))).toBe(3)
})

it('lets other work run between slices', async () => {
  let others = 0
  let isOver = false
  const other = () => {
    others++
    if (!isOver) setImmediate(other)
  }
  setImmediate(other)
  const busy = () => {
    for (const until = performance.now() + 5; performance.now() < until; );
  }
  expect(await inSlices(counting(12, busy))).toBe(12)
  isOver = true
  expect(others).toBeGreaterThan(2)
})

it('fails with the error of the work', async () => {
  const failing = () => {
    throw new Error('no')
  }
  await expect(inSlices(counting(1, failing))).rejects.toThrow('no')
})
