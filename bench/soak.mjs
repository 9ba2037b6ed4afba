// `npm run test:soak`: agents work for half an hour while a share of their requests fails. See --help; docs/reliability.md has
// the figures.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build, install } from '../scripts/prepare.mjs'
import { startChild } from './sessions/children.mjs'
import { machine } from './sessions/report.mjs'
import { aboveBaseline, summarize, verdicts } from './soak/figures.mjs'
import { Observers } from './soak/observers.mjs'
import { toSvg } from './soak/plot.mjs'
import { models, pairsOf, Session } from './soak/session.mjs'
import { closeConnections } from './soak/wire.mjs'

const help = `npm run test:soak [-- options]

Runs the built gateway in one process and simulators of all four kinds of backend in another. Agents hold conversations
of tool turns through all three doors, streamed and whole, and check every answer. Some requests fail on purpose: the
upstream refuses, breaks off, sends nonsense or stalls, a parked run loses its stream, the client disconnects, resets or reads
slowly. A failed request must end in a documented error, and must work when the client retries it. The inspector is on, with
a page open, and every turn is recorded.

Every 10 s: heap after garbage collection, resident memory, sockets, timers, sessions, requests. Exit code 1 if the heap
grows by 1 MB a minute or more (judged from 10 minutes on), a counter does not return to its baseline, an exception was not
caught, an answer was wrong, an error was not a documented one, a run stays open upstream or a tool result reached the upstream
twice.

  --minutes N     duration (30)
  --sessions N    concurrent agents (20)
  --turns N       tool turns of a conversation (30)
  --faults N      percentage of turns that fail (5)
  --pause MS      average duration of a tool (1000)
  --backends A,B  of anthropic, openai, text, cursor (all)
  --seed N        seed of the random events (1)
  --bare          no inspector, no recording
  --out FILE      write the plot as SVG, and the figures beside it as JSON
`

const number = (fallback) => ({ type: 'string', default: String(fallback) })
const { values } = parseArgs({
  options: {
    minutes: number(30),
    sessions: number(20),
    turns: number(30),
    faults: number(5),
    pause: number(1000),
    seed: number(1),
    backends: { type: 'string', default: Object.keys(models).join() },
    bare: { type: 'boolean', default: false },
    out: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write(help)
  process.exit(0)
}
const flags = Object.fromEntries(
  ['minutes', 'sessions', 'turns', 'faults', 'pause', 'seed'].map((name) => [name, Number(values[name])]),
)
const wrong = Object.entries(flags).find(([, value]) => !(value >= 0))
if (wrong !== undefined) {
  process.stderr.write(`--${wrong[0]} takes a number, not "${values[wrong[0]]}"\n`)
  process.exit(2)
}
const pairs = pairsOf(values.backends.split(','))
if (pairs.some(({ backend }) => !(backend in models))) {
  process.stderr.write(`--backends takes ${Object.keys(models).join()}, not "${values.backends}"\n`)
  process.exit(2)
}

const sampleEveryMs = 10_000
/** Idle connections are closed after a minute, parked sessions after half of one. */
const settleWithinMs = 100_000
const durationMs = flags.minutes * 60_000
const warmUpMs = Math.min(5 * 60_000, durationMs / 4)

const beside = (file) => fileURLToPath(new URL(file, import.meta.url))
const say = (line) => process.stderr.write(`${line}\n`)

function settingsFor(urls, tapeFolder) {
  const clocks = { firstByteMs: 6_000 }
  const watched = {
    inspector: { enabled: true },
    tapes: { record: 'all', folder: tapeFolder, keepBytes: 256 * 2 ** 20 },
  }
  return {
    ...(values.bare ? {} : watched),
    auth: 'none',
    listen: { port: 0 },
    log: { level: 'silent' },
    sessions: { progressMs: 6_000, idleMs: 30_000 },
    backends: {
      anthropic: { kind: 'anthropic', baseUrl: urls.anthropic, apiKey: 'sk-soak', ...clocks },
      openai: { kind: 'openai', baseUrl: `${urls.openai}/v1`, apiKey: 'sk-soak', ...clocks },
      text: { kind: 'openai', baseUrl: `${urls.text}/v1`, apiKey: 'sk-soak', tools: 'text', ...clocks },
      cursor: { kind: 'cursor', baseUrl: urls.cursor, apiKey: 'crsr_soak', transport: 'http2' },
    },
  }
}

/** Reproducible by seed, except for timing. */
function randomFrom(seed) {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const newTally = () => ({
  conversations: 0,
  turns: 0,
  requests: 0,
  calls: 0,
  faulted: 0,
  failed: 0,
  neighbours: 0,
  conflicts: 0,
  faults: {},
  errors: {},
})

const problems = []
const isOver = (startedAt) => performance.now() - startedAt > durationMs || problems.length >= 20

async function agent(index, shared, startedAt) {
  for (let number = index; !isOver(startedAt); number++) {
    const session = new Session(`s${index}`, {
      ...shared,
      random: randomFrom(flags.seed * 1_000_003 + number * 97 + index),
    })
    await session.converse(number, pairs[number % pairs.length], flags.turns).catch((error) => {
      problems.push(String(error?.stack ?? error).slice(0, 2_000))
      say(`PROBLEM ${problems.at(-1)}`)
    })
  }
}

async function watch(gateway, samples, startedAt, tally) {
  while (!isOver(startedAt)) {
    await sleep(Math.max(1, Math.min(sampleEveryMs, startedAt + durationMs - performance.now())))
    const sample = { atMs: performance.now() - startedAt, ...(await gateway.call('sample')) }
    samples.push(sample)
    if (samples.length % 6 === 0)
      say(
        `${(sample.atMs / 60_000).toFixed(1)} min: heap ${(sample.heapUsed / 2 ** 20).toFixed(1)} MB, ` +
          `RSS ${(sample.rss / 2 ** 20).toFixed(0)} MB, ${tally.turns} turns, ${tally.faulted} faults, ${tally.failed} failures`,
      )
  }
}

async function settled(gateway, baseline) {
  const startedAt = performance.now()
  for (;;) {
    const last = await gateway.call('sample')
    const settledMs = Math.round(performance.now() - startedAt)
    if (aboveBaseline(last, baseline).length === 0 || settledMs > settleWithinMs) return { last, settledMs }
    await sleep(1_000)
  }
}

async function soak(gateway, upstreams, url) {
  const shared = { url, upstreams, pauseMs: flags.pause }
  const quiet = { ...shared, tally: newTally(), faultShare: 0, pauseMs: 1, random: randomFrom(7) }
  for (const [at, pair] of pairs.entries()) await new Session('w', quiet).converse(at, pair, 12)
  closeConnections()
  await sleep(2_000)
  const baseline = await gateway.call('sample')
  const tally = newTally()
  const samples = []
  const startedAt = performance.now()
  const observers = new Observers(url)
  await observers.start(await gateway.call('inspectorLink'))
  const agents = Array.from({ length: flags.sessions }, (_, index) =>
    agent(index, { ...shared, tally, faultShare: flags.faults / 100 }, startedAt),
  )
  await Promise.all([watch(gateway, samples, startedAt, tally), ...agents])
  await observers.stop()
  closeConnections()
  const { last, settledMs } = await settled(gateway, baseline)
  const findings = await upstreams.call('findings')
  const stray = await gateway.call('stray')
  const figures = summarize({
    samples,
    warmUpMs,
    baseline,
    last,
    settledMs,
    tally,
    findings,
    stray,
    observed: observers.figures,
    problems: [...problems, ...observers.figures.problems],
  })
  return { figures: { machine: machine(), flags, ...figures }, samples }
}

install()
build()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
const upstreams = await startChild(beside('soak/upstreams.mjs'))
const gateway = await startChild(beside('soak/gateway.mjs'), { execArgv: ['--expose-gc'] })
const tapeFolder = mkdtempSync(join(tmpdir(), 'dragoman-soak-'))
try {
  say(
    `${flags.minutes} min of load, a line each minute; then up to ${settleWithinMs / 1000} s until all is quiet again`,
  )
  const url = await gateway.call('listen', settingsFor(await upstreams.call('start'), tapeFolder))
  const { figures, samples } = await soak(gateway, upstreams, url)
  figures.observed.tapesKept = readdirSync(tapeFolder).length
  const judged = verdicts(figures, { judgesSlope: flags.minutes >= 10 })
  process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`)
  for (const { what, isMet, found } of judged)
    process.stdout.write(`${isMet ? 'met   ' : 'MISSED'} ${what}: ${found}\n`)
  if (values.out !== undefined) {
    const { turns, faulted } = figures.tally
    const caption = `${flags.sessions} sessions, ${turns} turns, ${faulted} of them made to go wrong.`
    writeFileSync(values.out, toSvg({ samples, warmUpMs, caption }))
    writeFileSync(
      values.out.replace(/(\.svg)?$/, '.json'),
      `${JSON.stringify({ ...figures, samples }, null, 2)}\n`,
    )
  }
  if (judged.some(({ isMet }) => !isMet)) process.exitCode = 1
} finally {
  await gateway.stop()
  await upstreams.stop()
  rmSync(tapeFolder, { recursive: true, force: true })
}
