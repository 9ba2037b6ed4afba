import { expect, it } from 'vitest'
import { countDroppedBytes, countReadBytes } from '../base/collect-buffers.ts'

const MiB = 1024 * 1024

/** Allocates buffers and keeps none of them. Returns the memory of all buffers while they were there. */
function allocate(count: number): number {
  const pieces = Array.from({ length: count }, () => Buffer.allocUnsafeSlow(64 * 1024))
  return process.memoryUsage().arrayBuffers + pieces.length
}

it.each([
  ['pieces that were read', countReadBytes],
  ['dropped bodies', countDroppedBytes],
])('frees the buffers of %s long before V8 would', async (_, count) => {
  const filled = allocate(256)
  // A collection that had begun before the buffers were dropped keeps what it has marked: the next one frees it. Then it is the turn
  // of the sweeper's own thread.
  const freed = () => {
    count(32 * MiB)
    return filled - process.memoryUsage().arrayBuffers
  }
  await expect.poll(freed).toBeGreaterThan(8 * MiB)
})
