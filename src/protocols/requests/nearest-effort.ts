// The nearest reasoning effort that a model takes.

/** In ascending order. `default` is Groq's value for normal thinking. */
const ladder = ['minimal', 'low', 'default', 'medium', 'high', 'xhigh', 'ultra', 'max']

/**
 * The value to send: the requested one if listed, else the next lower one, else the lowest. `none` switches reasoning off, so no
 * other effort is lowered to it. Undefined: send nothing. An unknown value is sent unchanged.
 */
export function nearestEffort(asked: string, listed: readonly string[] | undefined): string | undefined {
  if (listed === undefined || listed.includes(asked)) return asked
  if (listed.length === 0 || asked === 'none') return undefined
  const place = ladder.indexOf(asked)
  if (place < 0) return asked
  const known = ladder.filter((effort) => listed.includes(effort))
  return known.findLast((effort) => ladder.indexOf(effort) <= place) ?? known[0]
}
