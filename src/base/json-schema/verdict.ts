// What a schema says of a value. The numbers make `and` the larger of two verdicts, and `or` the smaller.

export type Verdict = 0 | 1 | 2 | 3

export const fits = 0
/** It fits by all that is checked here, but a keyword that is not (`format`, an unknown one) may say more: a negation is open then. */
export const likely = 1
/** It could not be decided: a pattern, a reference, a keyword that is not supported, or the end of the budget. */
export const open = 2
export const fails = 3

export function opposite(verdict: Verdict): Verdict {
  if (verdict === fits) return fails
  return verdict === fails ? fits : open
}

/** The verdict on a value of which a part was not checked. */
export const notDecided = (verdict: Verdict): Verdict => (verdict === fails ? fails : open)
