// Asks, and takes the time: request after request in some lanes, or many streams side by side.
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { check, doors } from './doors.mjs'
import { residentBytes, usageOf } from './processes.mjs'
import { now, workloads } from './workloads.mjs'

const stamp = /t=(\d{16});|"sentAt\\?":\\?"(\d{16})/g

/** One exchange: the answer, when its first byte and its first content came, and how old each stamped piece was. */
function ask(subject, { url, headers, body, firstMark }) {
  return new Promise((resolve, reject) => {
    const startedAt = now()
    const sent = request(url, { method: 'POST', agent: subject.agent, headers }, (response) => {
      const parts = []
      const delays = []
      let firstUs
      response.on('data', (part) => {
        const at = now()
        const text = part.toString('latin1')
        if (firstUs === undefined && (firstMark === undefined || text.includes(firstMark))) firstUs = at - startedAt
        if (subject.listening) for (const [, word, call] of text.matchAll(stamp)) delays.push(at - Number(word ?? call))
        parts.push(part)
      })
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode, text: Buffer.concat(parts).toString(), firstUs, delays }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

export const createAgent = () => new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, noDelay: true })

/** What a subject is asked for one row of the table. */
function prepare(subject, model) {
  const { door, url, headers = {}, modelName = (name) => name, path } = subject
  const plan = workloads[model]
  const body = Buffer.from(JSON.stringify(doors[door].body(modelName(model), plan)))
  return {
    url: `${url}${path ?? doors[door].path}`,
    headers: { 'content-type': 'application/json', 'content-length': body.length, authorization: 'Bearer sk-bench-key', ...headers },
    body,
    ...(plan.answer === 'stamps' ? { firstMark: '#0 t=' } : plan.answer === 'words' && plan.stream ? { firstMark: 'word0' } : {}),
  }
}

async function askAndCheck(subject, model, prepared) {
  const answer = await ask(subject, prepared)
  if (!process.env.NOCHECK) check(subject.door, model, answer)
  return answer
}

/** Lanes of requests, one behind the other, for so long. */
async function inLanes(subject, model, seconds) {
  const { lanes } = workloads[model]
  const prepared = prepare(subject, model)
  const until = now() + seconds * 1e6
  const answers = []
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      do {
        const { firstUs, delays } = await askAndCheck(subject, model, prepared)
        answers.push({ firstUs, delays })
      } while (now() < until)
    }),
  )
  return answers
}

/** All streams side by side. Memory is looked at while all of them run. */
async function sideBySide(subject, model, { streams, onRunning }) {
  const { count, pace } = workloads[model]
  const prepared = prepare(subject, model)
  const opening = Math.min(2_000, (count * pace) / 4)
  const running = Array.from({ length: streams }, async (_, at) => {
    await sleep((at / streams) * opening)
    return askAndCheck(subject, model, prepared)
  })
  const watching = sleep((opening + count * pace) / 2).then(onRunning)
  const answers = await Promise.all(running)
  await watching
  return answers
}

/** One measurement: what the subject used, for each unit. */
export async function measure(subject, model, { seconds = 2, streams } = {}) {
  const plan = workloads[model]
  const before = usageOf(subject.pids())
  const startedAt = now()
  let resident
  const answers = plan.streams
    ? await sideBySide(subject, model, {
        streams: streams ?? plan.streams,
        onRunning: () => {
          resident = residentBytes(subject.pids())
        },
      })
    : await inLanes(subject, model, seconds)
  const after = usageOf(subject.pids())
  const requests = answers.length
  const units = plan.unit === 'delta' ? requests * plan.count : requests
  return {
    requests,
    cpuUs: (after.cpuNs - before.cpuNs) / 1000 / units,
    writes: (after.writes - before.writes) / (requests * plan.count),
    reads: (after.reads - before.reads) / (requests * plan.count),
    wallMs: (now() - startedAt) / 1000,
    firstUs: answers.map(({ firstUs }) => firstUs),
    delaysUs: answers.flatMap(({ delays }) => delays),
    resident,
  }
}
