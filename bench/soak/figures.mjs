// Figures of the samples, checked against the limits.

const MB = 2 ** 20
const minutesOf = (sample) => sample.atMs / 60_000

/** Least squares, in MB a minute. */
export function slopeOf(samples, read) {
  const points = samples.map((sample) => [minutesOf(sample), read(sample) / MB])
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length
  const middle = { x: mean(points.map(([x]) => x)), y: mean(points.map(([, y]) => y)) }
  const across = points.reduce((sum, [x]) => sum + (x - middle.x) ** 2, 0)
  const along = points.reduce((sum, [x, y]) => sum + (x - middle.x) * (y - middle.y), 0)
  return across === 0 ? 0 : along / across
}

/** Counters that must return to their baseline; garbage and caches are judged by their slope. */
export const counters = ['requests', 'answering', 'waiting', 'sockets', 'timers', 'other']
export const aboveBaseline = (sample, baseline) => counters.filter((name) => sample[name] > baseline[name])

export function summarize({
  samples,
  warmUpMs,
  baseline,
  last,
  settledMs,
  tally,
  findings,
  stray,
  observed,
  problems,
}) {
  const steady = samples.filter(({ atMs }) => atMs >= warmUpMs)
  const most = (name) => Math.max(...steady.map((sample) => sample[name]))
  return {
    minutes: minutesOf(samples.at(-1)),
    heapSlopeMbPerMinute: slopeOf(steady, ({ heapUsed }) => heapUsed),
    rssSlopeMbPerMinute: slopeOf(steady, ({ rss }) => rss),
    heapMb: {
      first: steady[0].heapUsed / MB,
      last: steady.at(-1).heapUsed / MB,
      most: most('heapUsed') / MB,
    },
    rssMb: { first: steady[0].rss / MB, last: steady.at(-1).rss / MB, most: most('rss') / MB },
    most: Object.fromEntries(counters.map((name) => [name, most(name)])),
    lagP99Ms: most('lagP99Ms'),
    gatewayCores: (steady.at(-1).cpuMs - steady[0].cpuMs) / (steady.at(-1).atMs - steady[0].atMs),
    baseline: Object.fromEntries(counters.map((name) => [name, baseline[name]])),
    after: Object.fromEntries(counters.map((name) => [name, last[name]])),
    settledMs,
    tally,
    findings,
    stray,
    observed,
    problems,
  }
}

/** Each limit with the measured value. */
export function verdicts(figures, { judgesSlope }) {
  const { heapSlopeMbPerMinute: slope, baseline, after, tally, findings, stray, problems } = figures
  const { resumed = 0, 'asked-again': askedAgain = 0, unexplained = 0 } = findings.repeats
  const above = aboveBaseline(after, baseline)
  const rows = [
    ['every answer right, every error a documented one', problems.length === 0, problems[0] ?? 'yes'],
    ['nothing uncaught', stray.length === 0, stray[0] ?? '0'],
    [
      'counters back to the baseline',
      above.length === 0,
      above.join(', ') || `${figures.settledMs} ms after`,
    ],
    ['no run left open upstream', findings.openRuns === 0, findings.openRuns],
    ['the service saw nothing wrong', findings.violations.length === 0, findings.violations[0] ?? 'yes'],
    [
      'no tool result upstream twice, but as docs/reliability.md has it',
      unexplained + askedAgain === 0,
      `${resumed} where nothing was heard of them, ${askedAgain} asked for twice, ${unexplained} others`,
    ],
    ['all pairs of doors and backends', tally.conversations >= 12, `${tally.conversations} conversations`],
  ]
  const slopeRow = ['heap slope below 1 MB a minute', slope < 1, `${slope.toFixed(3)} MB a minute`]
  return [...(judgesSlope ? [slopeRow] : []), ...rows].map(([what, isMet, found]) => ({ what, isMet, found }))
}
