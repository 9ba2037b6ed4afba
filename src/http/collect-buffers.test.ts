import { setImmediate as nextIteration } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { countDroppedBytes, countReadBytes } from './collect-buffers.ts'

const MiB = 1024 * 1024
const fill = (count: number) => Array.from({ length: count }, () => Buffer.allocUnsafeSlow(64 * 1024))

it.each([
  ['pieces that were read', countReadBytes],
  ['dropped bodies', countDroppedBytes],
])('frees the buffers of %s long before V8 would', async (_, count) => {
  await nextIteration()
  const before = process.memoryUsage().arrayBuffers
  let pieces = fill(512)
  expect(process.memoryUsage().arrayBuffers - before).toBeGreaterThanOrEqual(32 * MiB)
  pieces = []
  count(pieces.length + 32 * MiB)
  // The collection, and then the sweeper's own thread.
  await expect.poll(() => process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * MiB)
})
