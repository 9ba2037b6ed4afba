// W1 by the age of the process, cold and warm, and by the number of connections: what a user would ask for.
import { quantile } from './figures.mjs'
import { ask } from './load.mjs'
import { usageOf } from './processes.mjs'
import { workloads } from './workloads.mjs'

/** Of a fresh process. */
const coldRequests = 2_000
/** Before it counts as warm. */
const warmAfter = 10_000
export const connectionCounts = [1, 32, 256]

/** About, for the estimate. */
export const warmthSeconds = ({ seconds, rounds }) =>
  rounds * (warmAfter / 2_500 + (1 + connectionCounts.length) * seconds)

async function cpuOf(subject, load) {
  const before = usageOf(subject.pids())
  const answers = await ask(subject, 'wc', load)
  const after = usageOf(subject.pids())
  return { cpuUs: (after.cpuNs - before.cpuNs) / 1000 / answers.length, answers }
}

/** One round of one subject: a process of its own, from its first request on. */
export async function measureWarmth(subject, { seconds }) {
  const until = Number.POSITIVE_INFINITY
  const cold = await cpuOf(subject, { seconds: until, most: coldRequests })
  await ask(subject, 'wc', { seconds: until, most: warmAfter - coldRequests })
  const warm = await cpuOf(subject, { seconds })
  const byConnections = []
  for (const lanes of connectionCounts) {
    // New connections are opened before they are measured.
    await ask(subject, 'wc', { seconds: until, most: 2 * lanes, lanes })
    const { cpuUs, answers } = await cpuOf(subject, { seconds, lanes })
    byConnections.push({ cpuUs, firstUs: answers.map(({ firstUs }) => firstUs) })
  }
  return { coldUs: cold.cpuUs, cpuUs: warm.cpuUs, byConnections }
}

const median = (values) => quantile(values, 0.5)

/** The rounds of one subject. */
export const summarizeWarmth = (rounds) => ({
  coldUs: median(rounds.map(({ coldUs }) => coldUs)),
  cpuUs: median(rounds.map(({ cpuUs }) => cpuUs)),
  rounds: rounds.map(({ coldUs, cpuUs }) => ({ coldUs, cpuUs })),
  requests: 0,
  wrong: 0,
  byConnections: connectionCounts.map((_, at) => {
    const own = rounds.map(({ byConnections }) => byConnections[at])
    const times = own.flatMap(({ firstUs }) => firstUs)
    return {
      cpuUs: median(own.map(({ cpuUs }) => cpuUs)),
      p50: quantile(times, 0.5),
      p99: quantile(times, 0.99),
    }
  }),
})

const inMs = (us) => (us / 1000).toFixed(3)
const more = (own, raw) => `${own < raw ? '' : '+'}${((own - raw) / 1000).toFixed(2)}`

/** Rows for one pair: `raw` is the raw pipe's record, `own` that of a subject. */
export function warmthCells(own, raw) {
  const isRaw = own === raw
  const times = (field) => `${inMs(own[field])} (${(own[field] / raw[field]).toFixed(2)}×)`
  const perSecond = Math.round(1e6 / own.byConnections[1].cpuUs)
  const waits = own.byConnections.flatMap(({ p50, p99 }, at) => {
    const beside = raw.byConnections[at]
    return isRaw
      ? [(p50 / 1000).toFixed(2), (p99 / 1000).toFixed(2)]
      : [more(p50, beside.p50), more(p99, beside.p99)]
  })
  return [times('coldUs'), times('cpuUs'), `${perSecond}`, ...waits]
}

export const warmthHead = [
  `${workloads.wc.title}: CPU, ms`,
  'cold',
  'warm',
  'requests/s on one core',
  ...connectionCounts.flatMap((count) => [`ms, ${count} connection${count === 1 ? '' : 's'}: p50`, 'p99']),
]
