// Many concurrent sessions: each sends a request, gets a call and waits; then each sends its result.
import { ask, demand, withResults } from './chat.mjs'
import { contentOf, fileOf } from './requests.mjs'

/** Concurrent clients. */
const clients = 32

/** Parks the sessions `from` up to `to`; resolves with what resuming them needs. */
export async function park(url, requestOf, from, to) {
  const calls = new Map()
  await each(from, to, async (k) => {
    const answer = await ask(url, requestOf(k))
    demand(`session ${k}`, answer, { finish: 'tool_calls', session: 'fresh' })
    demand(`session ${k}`, JSON.parse(answer.calls[0].arguments), { path: fileOf(k) })
    calls.set(k, answer)
  })
  return calls
}

export async function resume(url, requestOf, parked) {
  const [first, last] = [Math.min(...parked.keys()), Math.max(...parked.keys())]
  await each(first, last + 1, async (k) => {
    const answer = await ask(
      url,
      withResults(requestOf(k), parked.get(k), () => contentOf(k)),
    )
    demand(`session ${k}, resumed`, answer, { finish: 'stop', session: 'live' })
    if (!answer.text.includes(contentOf(k)) || !answer.text.includes(fileOf(k)))
      throw new Error(`session ${k} was answered with what is not its own: ${answer.text}`)
  })
}

async function each(from, to, work) {
  let next = from
  const client = async () => {
    while (next < to) await work(next++)
  }
  await Promise.all(Array.from({ length: clients }, client))
}

export async function demandGoodRuns(simulator, runs, openRuns) {
  const findings = await simulator.call('findings')
  demand('the simulator', findings, { violations: [], runs, openRuns, repeatedResults: 0 })
}
