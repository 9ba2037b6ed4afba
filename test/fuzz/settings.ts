// The number of runs of every property (FUZZ_RUNS, 100 by default) and their seed: a fixed one by default, so that runs are
// reproducible; FUZZ_SEED=random looks for new cases. setup.ts makes these the defaults of fast-check.

const { FUZZ_SEED: seed, FUZZ_RUNS: runs } = process.env

export const fuzz = {
  numRuns: Number(runs ?? 100),
  ...(seed === 'random' ? {} : { seed: Number(seed ?? 20_261_115) }),
}

/** For a property whose single run costs much, such as files or sockets. */
export const fuzzShare = (share: number) => ({ ...fuzz, numRuns: Math.ceil(fuzz.numRuns * share) })
