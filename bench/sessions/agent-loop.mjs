// An agent's loop of tool calls with a service that is slow to start a run: once with one run for the loop, once with a new run
// for every request.
import { ask, demand, withResults } from './chat.mjs'
import { model, readTool } from './requests.mjs'
import { startServe, startSimulator } from './serving.mjs'

export const toolCalls = 20

const round = (index) => [{ say: `round ${index}` }, { exec: { read: { path: `f${index}` } } }]
const last = [{ say: 'done' }, { end: true }]
const rounds = Array.from({ length: toolCalls }, (_, index) => index)

/** One turn for the whole loop, or one for each request of it. */
const turnsFor = (reuse) =>
  reuse
    ? [[...rounds.flatMap((index) => [...round(index), { await: 'results' }]), ...last]]
    : [...rounds.map((index) => [...round(index), { await: 'results' }]), last]

export async function measureLoop({ transport, reuse, bootstrapMs }) {
  const simulator = await startSimulator({ bootstrapMs })
  const gateway = await startServe(simulator.url, { transport, sessions: { reuse } })
  try {
    // The login, the model list and the first use of all code are not part of the loop.
    await fetch(`${gateway.url}/v1/models`).then((response) => response.text())
    await simulator.call('play', ...turnsFor(reuse))
    const started = performance.now()
    await runLoop(gateway.url, reuse)
    const seconds = (performance.now() - started) / 1000
    const { runs, violations, queued } = await simulator.call('findings')
    const wanted = { runs: reuse ? 1 : toolCalls + 1, violations: [], queued: 0 }
    demand(`the simulator, reuse ${reuse} over ${transport}`, { runs, violations, queued }, wanted)
    return { transport, reuse, runs, seconds, besideBootstraps: seconds - (runs * bootstrapMs) / 1000 }
  } finally {
    await gateway.stop()
    await simulator.stop()
  }
}

async function runLoop(url, reuse) {
  let body = { model, tools: [readTool], messages: [{ role: 'user', content: 'go' }] }
  for (const index of rounds) {
    const answer = await ask(url, body)
    const session = reuse && index > 0 ? 'live' : 'fresh'
    demand(`request ${index}`, answer, { text: `round ${index}`, finish: 'tool_calls', session })
    demand(`call ${index}`, JSON.parse(answer.calls[0].arguments), { path: `f${index}` })
    body = withResults(body, answer, () => `content ${index}`)
  }
  const session = reuse ? 'live' : 'fresh'
  demand('the last request', await ask(url, body), { text: 'done', finish: 'stop', session })
}
