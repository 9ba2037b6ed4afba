// Who is measured on what, in which order, and how far that has come.
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { summarize } from './figures.mjs'
import { measure, streamsFactor, warmUp } from './load.mjs'
import { cores, mostFiles, residentBytes, runNode } from './processes.mjs'
import { backends, subjectsFor } from './subjects.mjs'
import { measureWarmth, summarizeWarmth, warmthSeconds } from './warmth.mjs'
import { workloads } from './workloads.mjs'

/** W4 is for memory only, and takes long. */
const pairsOfW4 = ['chat-anthropic', 'chat-openai']
/** A connection on each side for each stream. */
const filesOfW4 = 2_500
/** Their subjects are started for them alone. */
const ownProcess = ['w4', 'wc']
/** Percentiles need many requests. */
const secondsFor = (model, seconds) => (model === 'wl' ? 2 * seconds : seconds)

/** One job for each backend: all of its subjects side by side, so that their figures are of the same minutes. */
export function jobsFor({ pairs, models, ...asked }) {
  const kinds = Object.keys(backends).filter((name) => pairs.some((pair) => pair.backend === name))
  const jobs = kinds.map((backend) => {
    const doors = pairs.filter((pair) => pair.backend === backend).map(({ door }) => door)
    const { without } = backends[backend]
    return {
      backend,
      doors,
      models: models.filter((model) => !ownProcess.includes(model) && !(model in without)),
    }
  })
  const fits = mostFiles() > filesOfW4
  if (models.includes('w4') && !fits)
    process.stderr.write(
      `bench: without W4, for a process may not have ${filesOfW4} files open (ulimit -n)\n`,
    )
  const large = pairs.filter(({ name }) => fits && models.includes('w4') && pairsOfW4.includes(name))
  const memory = large.map(({ backend, door }) => ({ backend, doors: [door], models: ['w4'] }))
  const warmth = models.includes('wc') ? jobs.map((job) => ({ ...job, models: ['wc'] })) : []
  const { withPeers, against, variants, together } = asked
  return [...jobs, ...memory, ...warmth]
    .filter((job) => job.models.length > 0)
    .map((job) => ({ ...job, withPeers, against, variants, together }))
}

const firstWarmSeconds = 2

const lastsSeconds = (model, seconds) => {
  const { streams, count, pace } = workloads[model]
  return streams === undefined ? secondsFor(model, seconds) : (count * pace * 1.25) / 1000
}
/** About: a warm-up ends early where much is done in a short time. */
const warmSeconds = (model, warm) => {
  const { unit, streams } = workloads[model]
  if (streams) return streamsFactor * warm
  return unit === 'delta' ? warm / 2 : warm
}

export function estimateSeconds(jobs, { seconds, warm, rounds }, common) {
  return jobs.reduce((sum, job) => {
    const count = subjectsFor(job, common).length
    if (job.models[0] === 'wc') return sum + count * warmthSeconds({ seconds, rounds })
    const each = (model) =>
      model === 'w4'
        ? lastsSeconds(model, seconds) + warm + warmSeconds(model, warm) + 2
        : warmSeconds(model, warm) + rounds * lastsSeconds(model, seconds)
    return sum + count * (1 + firstWarmSeconds + job.models.reduce((total, model) => total + each(model), 0))
  }, 0)
}

/** Another order in each round: forwards and backwards, and another one first. */
function ordered(subjects, round) {
  const by = round % subjects.length
  const rotated = [...subjects.slice(by), ...subjects.slice(0, by)]
  return round % 2 === 0 ? rotated : rotated.toReversed()
}

const labelOf = ({ name, door }) => `${name} (${door})`

async function startAll(starts) {
  const subjects = []
  for (const start of starts) subjects.push(await start())
  return subjects.filter((subject) => subject !== undefined)
}

async function runJob(job, { rounds, seconds, warm, common, say, onDone }) {
  const subjects = await startAll(subjectsFor(job, common))
  const records = []
  try {
    for (const model of job.models) {
      const { title } = workloads[model]
      const taken = new Map(subjects.map((subject) => [subject, []]))
      for (const subject of subjects) {
        say(`${job.backend}, ${title}: warming up ${labelOf(subject)}`)
        await warmUp(subject, model, warm)
        // What has just been started has all of its code to learn.
        if (model === job.models[0]) await warmUp(subject, model, firstWarmSeconds)
        onDone(warmSeconds(model, warm))
      }
      const take = async (subject) => {
        taken.get(subject).push(await measure(subject, model, { seconds: secondsFor(model, seconds) }))
        onDone(lastsSeconds(model, seconds))
      }
      for (let round = 0; round < rounds; round++) {
        const about = `${job.backend}, ${title}, round ${round + 1} of ${rounds}`
        if (job.together && workloads[model].streams) {
          say(`${about}: all at once`)
          await Promise.all(subjects.map(take))
          continue
        }
        for (const subject of ordered(subjects, round)) {
          say(`${about}: ${labelOf(subject)}`)
          await take(subject)
        }
      }
      for (const [subject, all] of taken) records.push(recordOf(job, subject, model, summarize(all)))
    }
  } finally {
    await Promise.all(subjects.map(letGo))
  }
  return records
}

/** Memory for each stream: a fresh process each, warm, alone. */
async function runMemoryJob(job, { seconds, warm, common, say, onDone }) {
  const records = []
  for (const start of subjectsFor(job, common)) {
    const subject = await start()
    if (subject === undefined) continue
    try {
      say(`${job.backend}, W4, 1,000 streams: ${labelOf(subject)}`)
      await warmUp(subject, 'w2b', warm)
      await warmUp(subject, 'w4', warm)
      await sleep(1_000)
      const before = residentBytes(subject.pids())
      const figures = await measure(subject, 'w4', { seconds })
      const kilobytes = (figures.resident - before) / 1024 / workloads.w4.streams
      records.push(recordOf(job, subject, 'w4', { ...summarize([figures]), kilobytes }))
    } finally {
      await letGo(subject)
    }
    onDone(lastsSeconds('w4', seconds) + warm + warmSeconds('w4', warm) + 2)
  }
  return records
}

/** A fresh process in each round, in another order each time. */
async function runWarmthJob(job, { rounds, seconds, common, say, onDone }) {
  const starts = subjectsFor(job, common)
  const taken = new Map(starts.map((start) => [start, { rounds: [] }]))
  for (let round = 0; round < rounds; round++)
    for (const start of ordered(starts, round)) {
      const subject = await start()
      if (subject === undefined) continue
      try {
        say(`${job.backend}, cold and warm, round ${round + 1} of ${rounds}: ${labelOf(subject)}`)
        taken.get(start).subject = subject
        taken.get(start).rounds.push(await measureWarmth(subject, { seconds }))
      } finally {
        await letGo(subject)
      }
      onDone(warmthSeconds({ seconds, rounds: 1 }))
    }
  return [...taken.values()]
    .filter(({ subject }) => subject !== undefined)
    .map((own) => recordOf(job, own.subject, 'wc', summarizeWarmth(own.rounds)))
}

const runners = { w4: runMemoryJob, wc: runWarmthJob }

async function letGo(subject) {
  subject.agent.destroy()
  await subject.stop()
}

const recordOf = ({ backend }, { name, version, door }, model, summary) => ({
  backend,
  subject: name,
  version,
  door,
  model,
  ...summary,
})

export async function runCampaign(jobs, settings) {
  const records = []
  for (const job of jobs) records.push(...(await (runners[job.models[0]] ?? runJob)(job, settings)))
  return records
}

export const inProcessBackends = ['cursor', 'anthropic', 'openai', 'text']
const casesOf = (names) => names.flatMap((backend) => [200, 1].map((batch) => ({ backend, batch })))
/** A process is started for each. */
const inProcessSeconds = (seconds) => seconds + 0.5
export const estimateInProcess = ({ inProcess, inProcessSeconds: seconds }) =>
  casesOf(inProcess).length * inProcessSeconds(seconds)

/** Without sockets; one after the other. */
export async function runInProcess({ inProcess, inProcessSeconds: seconds }, { say, onDone }) {
  const figures = []
  for (const { backend, batch } of casesOf(inProcess)) {
    say(`in-process, ${backend} to chat, ${batch === 1 ? 'one delta' : `${batch} deltas`} at a time`)
    const file = fileURLToPath(new URL('./in-process.mjs', import.meta.url))
    const said = await runNode([file, backend, `${batch}`, `${seconds}`], { core: cores.subject })
    figures.push({ backend, batch, cpuUs: Number(said) })
    onDone(inProcessSeconds(seconds))
  }
  return figures
}
