// `npm run test:nightly`: everything at full depth. Variables that are set already win.
Object.assign(process.env, {
  NIGHTLY: '1',
  FUZZ_RUNS: process.env.FUZZ_RUNS ?? '1000',
  FUZZ_SEED: process.env.FUZZ_SEED ?? 'random',
  CHUNKING_RUNS: process.env.CHUNKING_RUNS ?? '15000',
})
await import('./test.mjs')
