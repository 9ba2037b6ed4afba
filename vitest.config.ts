import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'

// Measures of time need the machine for themselves: scripts/test.mjs runs these after all others, one file at a time.
const alone = ['test/overload/*.nightly.test.ts', 'test/end-to-end/*cancel.test.ts']
const isAlone = Boolean(process.env.ALONE)
const all = ['src/**/*.test.ts', 'sim/**/*.test.ts', 'test/**/*.test.ts']

export default defineConfig({
  test: {
    include: isAlone ? alone : all,
    // What needs a clock, gigabytes or many repetitions: `npm run test:nightly` runs these too.
    exclude: [
      ...configDefaults.exclude,
      ...(isAlone ? [] : process.env.NIGHTLY ? alone : ['**/*.nightly.test.ts']),
    ],
    // For tests that hang. None of them is a measure of speed: on a loaded machine everything may take ten times as long.
    testTimeout: process.env.NIGHTLY ? 1_800_000 : 120_000,
    hookTimeout: 120_000,
    // A measure has noise: when V8 collects garbage is not ours to say. A row fails if it is above its limit three times in a row.
    retry: isAlone ? 2 : 0,
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    // Experimental in Vitest: the modules are Node's own, without the accessor that Vite puts before each import. Mocks of modules would
    // not work, and there are none.
    execArgv: ['--import', new URL('./test/typescript-loader.mjs', import.meta.url).href],
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Files share the modules of their worker: to load them anew for each took a third of all CPU time. So no test may leave
    // anything changed that others could see (variables, clocks, prototypes), and helpers clean up by test/at-end.ts.
    isolate: false,
    setupFiles: ['test/setup.ts'],
    // Of the concurrent tests of a file, which start processes.
    maxConcurrency: 2,
    // Half of a worker's time by day is waiting, for a clock or a socket: five keep two cores busy (measured: 148 s; three, four and
    // six take 161 to 166 s, nine 182 s). At night four do.
    maxWorkers: isAlone ? 1 : Math.max(process.env.NIGHTLY ? 4 : 5, availableParallelism() - 1),
  },
})
