// Asks, and takes the time: request after request in some lanes, or many streams side by side. Every answer is checked.
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { check, doors } from './doors.mjs'
import { residentBytes, usageOf } from './processes.mjs'
import { now, workloads } from './workloads.mjs'

/** A numbered word, or the arguments of a call, with the time of its sending. */
const stamp = /#(\d+) t=(\d{16});|"(\d{16})\\?"/g
const patienceMs = 60_000

/** One exchange: the answer, when its first byte or first content came, and how old each stamped piece was. */
function exchange(agent, { url, headers, body, firstMark, hasStamps }) {
  return new Promise((resolve, reject) => {
    const startedAt = now()
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      const parts = []
      const words = []
      const calls = []
      let firstUs
      response.on('data', (part) => {
        const at = now()
        parts.push(part)
        if (firstUs === undefined && (firstMark === undefined || part.includes(firstMark)))
          firstUs = at - startedAt
        if (!hasStamps) return
        // Some dialects say everything once more at the end.
        for (const [, number, word, call] of part.toString('latin1').matchAll(stamp))
          if (number === undefined) {
            if (calls.length === 0) calls.push(at - Number(call))
          } else if (Number(number) === words.length) words.push(at - Number(word))
      })
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(parts).toString()
        resolve({ status: response.statusCode, text, firstUs, words, calls })
      })
    })
    sent.setTimeout(patienceMs, () => sent.destroy(new Error(`nothing came for ${patienceMs / 1000} s`)))
    sent.on('error', reject)
    sent.end(body)
  })
}

export const createAgent = () =>
  new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, noDelay: true })

/** What a subject is asked for one row of the table. */
function prepare(subject, model) {
  const { door, url, path = doors[door].path, headers = {}, modelName = (name) => name } = subject
  const plan = workloads[model]
  const name = modelName(model)
  const body = Buffer.from(JSON.stringify(doors[door].body(name, plan)))
  const hasStamps = plan.answer === 'stamps' || plan.answer === 'both'
  const firstMark = hasStamps ? '#0 t=' : plan.answer === 'words' && plan.stream ? 'word0' : undefined
  return {
    url: url + (typeof path === 'function' ? path(name, plan) : path),
    headers: {
      'content-type': 'application/json',
      'content-length': body.length,
      authorization: 'Bearer sk-bench-key',
      ...headers,
    },
    body,
    firstMark,
    hasStamps,
  }
}

/** A wrong answer of a peer is a figure; of ours, or of the raw pipe, it is the end. */
async function askAndCheck(subject, model, prepared) {
  try {
    const answer = await exchange(subject.agent, prepared)
    check(subject.door, model, answer)
    return answer
  } catch (error) {
    if (!subject.mayBeWrong)
      throw new Error(`${subject.name}, ${subject.door}: ${error.message}`, { cause: error })
    return { wrong: error.message, words: [], calls: [] }
  }
}

/** Requests in some lanes, one behind the other, for so long, or until there were so many. */
export async function ask(subject, model, { seconds, most = Number.POSITIVE_INFINITY, ...load }) {
  const prepared = prepare(subject, model)
  const { count, pace } = workloads[model]
  const lanes = load.lanes ?? workloads[model].lanes
  const until = now() + seconds * 1e6
  const answers = []
  let begun = 0
  await Promise.all(
    Array.from({ length: lanes }, async (_, at) => {
      // Answers that take equally long would all begin at once, each time.
      if (pace > 0) await sleep((at / lanes) * count * pace)
      do {
        begun++
        const { text, ...answer } = await askAndCheck(subject, model, prepared)
        answers.push(answer)
      } while (now() < until && begun < most)
    }),
  )
  return answers
}

/** All streams side by side. `onRunning` is called while all of them run. */
async function sideBySide(subject, model, onRunning) {
  const { count, pace, streams } = workloads[model]
  const prepared = prepare(subject, model)
  const lastsMs = count * pace
  const openingMs = Math.min(2_000, lastsMs / 4)
  const running = Array.from({ length: streams }, async (_, at) => {
    await sleep((at / streams) * openingMs)
    const { text, ...answer } = await askAndCheck(subject, model, prepared)
    return answer
  })
  const watching = sleep((openingMs + lastsMs) / 2).then(onRunning)
  const answers = await Promise.all(running)
  await watching
  return answers
}

export const streamsFactor = 5

/**
 * Until the code is as fast as it gets: the same for all subjects. Streams side by side are slow to warm it, at a hundred deltas a
 * second each: after 4 s, compilers were still seen to take a tenth of the time.
 */
export async function warmUp(subject, model, seconds) {
  const { streams, unit, count } = workloads[model]
  if (streams !== undefined) {
    const until = now() + streamsFactor * seconds * 1e6
    do await sideBySide(subject, 'w4w', () => undefined)
    while (now() < until)
    return
  }
  await ask(subject, model, { seconds, most: unit === 'delta' ? Math.ceil(20_000 / count) : 10_000 })
}

/** One measurement: what the subject used, for each unit. */
export async function measure(subject, model, { seconds }) {
  const plan = workloads[model]
  const pids = subject.pids()
  const before = usageOf(pids)
  let resident
  const onRunning = () => {
    resident = residentBytes(pids)
  }
  const answers = plan.streams
    ? await sideBySide(subject, model, onRunning)
    : await ask(subject, model, { seconds })
  const after = usageOf(pids)
  const requests = answers.length
  const wrong = answers.filter((answer) => answer.wrong !== undefined)
  const units = plan.unit === 'delta' ? requests * plan.count : requests
  return {
    requests,
    wrong: wrong.length,
    wrongBecause: wrong[0]?.wrong,
    cpuUs: (after.cpuNs - before.cpuNs) / 1000 / units,
    writes: (after.writes - before.writes) / (requests * plan.count),
    reads: (after.reads - before.reads) / (requests * plan.count),
    firstUs: answers.flatMap(({ firstUs }) => firstUs ?? []),
    wordsUs: answers.flatMap(({ words }) => words),
    callsUs: answers.flatMap(({ calls }) => calls),
    resident,
  }
}
