import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'sim/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 30_000,
    pool: 'forks',
    // Many tests wait for a clock or a socket: three at a time do not get into each other's way, even on two cores.
    maxWorkers: Math.max(3, availableParallelism() - 1),
  },
})
