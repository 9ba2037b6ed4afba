// `npm run bench:growth`: the cost of a request by its size: history, tools, arguments, parallel calls, text, concurrent
// streams, turns of one conversation, waiting sessions; through every door to every backend. Only the CPU time of the gateway's
// process counts. docs/performance-growth.md explains the figures. Every answer is checked; a wrong one ends the bench.
//
//   --quick            under a minute on an idle machine: smaller sizes, one door for each backend
//   --only PATTERN     only curves whose name matches: "history, chat to openai"
//   --json FILE        the figures, unrounded
//   --svg FILE         the curves
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { build, install } from '../scripts/prepare.mjs'
import { startBench } from './growth/bench.mjs'
import { chainsOf, measureChain } from './growth/chain.mjs'
import { curvesOf } from './growth/curves.mjs'
import { measureCurve, warmUp, withSlope } from './growth/measure.mjs'
import { toSvg } from './growth/plot.mjs'
import { nameOf, steepest, toMarkdown, verdicts } from './growth/report.mjs'
import { measureParking, parkingsOf } from './growth/sessions.mjs'
import { machine } from './sessions/report.mjs'

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    json: { type: 'string' },
    svg: { type: 'string' },
  },
})
const { quick } = flags
const only = new RegExp(flags.only)
const wants = (curve) => only.test(nameOf(curve))
const rounds = quick ? 1 : 3

install()
build()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
const figures = { machine: machine(), quick, curves: [] }
const bench = await startBench()
try {
  await warmUp(bench, quick ? 30 : 200)
  for (const curve of curvesOf({ quick, wants })) note(await measured(curve))
} finally {
  await bench.stop()
}
for (const chain of chainsOf({ quick, wants })) note(...(await measureChain(chain)))
for (const parking of parkingsOf({ quick, wants })) note(...(await measureParking(parking)))

process.stdout.write(`${toMarkdown(figures)}\n${verdicts(figures).join('\n')}\n`)
if (flags.json !== undefined) writeFileSync(flags.json, `${JSON.stringify(figures, null, 2)}\n`)
if (flags.svg !== undefined) writeFileSync(flags.svg, toSvg(figures.curves))

/** Measures a steep curve once more: a busy machine can make a curve look steep. */
async function measured(curve) {
  const once = await measureCurve(bench, curve, { rounds })
  if (quick || (once.slope ?? 0) <= steepest) return once
  const again = await measureCurve(bench, curve, { rounds: 2 * rounds })
  const points = once.points.map(({ size, cost }, at) => ({
    size,
    cost: Math.min(cost, again.points[at].cost),
  }))
  return withSlope({ ...once, points })
}

function note(...curves) {
  figures.curves.push(...curves)
  for (const curve of curves) {
    const slope = curve.slope === undefined ? 'flat' : curve.slope.toFixed(2)
    const costs = curve.points.map(({ size, cost }) => `${size}: ${(cost / 1e6).toPrecision(3)}`)
    process.stderr.write(`${slope} ${nameOf(curve)} (${costs.join(', ')})\n`)
  }
}
