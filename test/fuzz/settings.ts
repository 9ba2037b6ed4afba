// How often every property is tried (FUZZ_RUNS, 1,000 by default) and with which seed: the same one by default, so that a run says
// the same everywhere; FUZZ_SEED=random looks for new cases. setup.ts makes these the defaults of fast-check.

const { FUZZ_SEED: seed, FUZZ_RUNS: runs } = process.env

export const fuzz = {
  numRuns: Number(runs ?? 1_000),
  ...(seed === 'random' ? {} : { seed: Number(seed ?? 20_261_115) }),
}

/** For a property whose single run costs much, such as files or sockets. */
export const fuzzShare = (share: number) => ({ ...fuzz, numRuns: Math.ceil(fuzz.numRuns * share) })
