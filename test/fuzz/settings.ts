// One seed by default, so that a run says the same everywhere; FUZZ_SEED=random looks for new cases.

const { FUZZ_SEED: seed, FUZZ_RUNS: runs } = process.env

export const fuzz = {
  numRuns: Number(runs ?? 10_000),
  ...(seed === 'random' ? {} : { seed: Number(seed ?? 20_261_115) }),
}
