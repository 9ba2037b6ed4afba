// Which choice of a question wins: the simplest of those that are as good as the best.

/** A choice with its score, from 0 to 100. Lists of choices begin with the simplest. */
interface Scored {
  score: number
}

/**
 * Scores that differ by less than this count as equal. A task that is run once passes or fails partly by chance; the error of
 * a mean shrinks with the square root of the number of runs.
 */
export const marginFor = (repeat: number): number => 5 / Math.sqrt(repeat)

export function choose<T extends Scored>(scored: readonly T[], margin: number): T | undefined {
  const best = Math.max(...scored.map(({ score }) => score))
  return scored.find(({ score }) => score === best || score > best - margin)
}

/**
 * Whether a choice that scores `atMost` would change the winner: it may win, or show that another choice is not good enough. `simpler`
 * and `others` are the scores of the choices before and after it. A false result holds for every lower score too.
 */
export function matters(
  atMost: number,
  { simpler, others }: { simpler: readonly number[]; others: readonly number[] },
  margin: number,
): boolean {
  const before = simpler.map((score) => ({ score }))
  const behind = others.map((score) => ({ score }))
  const winner = choose([...before, ...behind], margin)
  return choose([...before, { score: atMost }, ...behind], margin) !== winner
}
