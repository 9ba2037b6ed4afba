// `npm run bench:sessions`: what parking Cursor runs between requests gains and costs.
// docs/performance-sessions.md explains the figures. Every answer is checked; a wrong one ends the bench.
//
//   --quick            1 s before the first message of each run instead of 6 s, and 200 sessions
//   --bootstrap MS     time before the first message of each run
//   --sessions N       sessions that wait at once (1000; the simulator remembers at most 4900)
//   --json FILE        the figures, unrounded
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { build, install } from '../scripts/prepare.mjs'
import { measureLoop } from './sessions/agent-loop.mjs'
import { measureGrowth, measureMemory, measureResident } from './sessions/parked.mjs'
import { machine, toMarkdown, verdicts } from './sessions/report.mjs'

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    bootstrap: { type: 'string' },
    sessions: { type: 'string' },
    json: { type: 'string' },
  },
})
const bootstrapMs = countFlag('bootstrap', flags.quick ? 1_000 : 6_000)
const sessions = countFlag('sessions', flags.quick ? 200 : 1_000)
const sizes = [100, 500, 1_000, 2_000].filter((size) => !flags.quick || size <= 500)

const transports = ['http2', 'sse']
const parkings = [
  { kind: 'small', transport: 'http2', count: sessions },
  { kind: 'realistic', transport: 'http2', count: sessions },
  { kind: 'realistic', transport: 'sse', count: sessions },
]

install()
build()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
const figures = {
  machine: machine(),
  bootstrapMs,
  sessions,
  loops: await measureLoops(),
  memory: await oneByOne('memory in use', parkings, measureMemory),
  resident: await oneByOne('resident memory', parkings, measureResident),
  growth: await oneByOne(
    'growth',
    sizes.map((count) => ({ kind: 'small', transport: 'http2', count })),
    measureGrowth,
  ),
}
process.stdout.write(`${toMarkdown(figures)}\n${verdicts(figures).join('\n')}\n`)
if (flags.json !== undefined) writeFileSync(flags.json, `${JSON.stringify(figures, null, 2)}\n`)

/** Loops with 21 bootstraps mostly wait, so they run concurrently; short loops run alone. */
async function measureLoops() {
  const alone = transports.map((transport) => ({ transport, reuse: true, bootstrapMs }))
  const together = transports.map((transport) => ({ transport, reuse: false, bootstrapMs }))
  const reused = await oneByOne('an agent loop on one run', alone, measureLoop)
  say('agent loops with a run for each request')
  return [...reused, ...(await Promise.all(together.map(measureLoop)))]
}

async function oneByOne(label, cases, measure) {
  const results = []
  for (const each of cases) {
    say(`${label}: ${Object.values(each).join(', ')}`)
    results.push({ ...each, ...(await measure(each)) })
  }
  return results
}

function say(line) {
  process.stderr.write(`${line}\n`)
}

function countFlag(name, fallback) {
  const given = flags[name]
  if (given === undefined) return fallback
  if (/^[1-9]\d*$/.test(given)) return Number(given)
  say(`--${name} takes a whole number above 0, not "${given}"`)
  process.exit(2)
}
