import { setImmediate as nextIteration } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { resumeInTurn } from './take-turns.ts'

it('resumes a fixed number of streams per iteration of the event loop, in order', async () => {
  const resumed: number[] = []
  for (let stream = 0; stream < 20; stream++) resumeInTurn(() => resumed.push(stream))
  expect(resumed).toEqual([])
  const counts: number[] = []
  for (let iteration = 0; iteration < 6; iteration++) {
    await nextIteration()
    counts.push(resumed.length)
  }
  expect(counts).toEqual([4, 8, 12, 16, 20, 20])
  expect(resumed).toEqual(Array.from({ length: 20 }, (_, stream) => stream))
})

it('lets a stream wait again while it is resumed', async () => {
  let resumed = 0
  const resume = () => {
    if (++resumed < 5) resumeInTurn(resume)
  }
  resumeInTurn(resume)
  for (let iteration = 0; iteration < 6; iteration++) await nextIteration()
  expect(resumed).toBe(5)
})
