import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'sim/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 30_000,
    // On a machine that is shared, a test with sockets and clocks may lose a race once; scripts/flaky-reporter.mjs names it.
    retry: Number(process.env.TEST_RETRIES ?? 0),
    pool: 'forks',
    // Many tests wait for a clock or a socket: three at a time do not get into each other's way, even on two cores.
    maxWorkers: Math.max(3, availableParallelism() - 1),
  },
})
