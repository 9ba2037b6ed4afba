// One conversation through Responses, each turn by `previous_response_id`: the cost of its last turns and the memory it holds.
import { setTimeout as sleep } from 'node:timers/promises'
import { prose } from '../sessions/requests.mjs'
import { ask, backends, requestOf, startBench } from './bench.mjs'
import { shortAnswer, someTools } from './curves.mjs'
import { withSlope } from './measure.mjs'

/** V8 compiles and discards code at any time. */
const noiseBytes = 64 * 1024
/** The number of turns before each size that are measured. */
const stretchOf = (size) => Math.max(1, Math.min(20, Math.ceil(size / 5)))

export const chainsOf = ({ quick, wants }) =>
  backends
    .map((backend) => ({ axis: 'chain', variant: '', door: 'responses', backend, unit: 'ns' }))
    .filter(({ backend }) => !quick || backend === 'openai')
    .filter(wants)
    .map((curve) => ({ ...curve, sizes: quick ? [1, 30, 60, 120] : [1, 10, 30, 100, 300, 1_000] }))

/** Two curves, time and memory, of a fresh gateway. */
export async function measureChain(curve) {
  const bench = await startBench()
  try {
    return await measureIn(bench, curve)
  } finally {
    await bench.stop()
  }
}

async function measureIn({ upstream, gateway, addresses }, curve) {
  const { backend, sizes } = curve
  await upstream.call('plan', shortAnswer)
  let before
  let turns = 0
  const goOn = async (until) => {
    if (backend === 'cursor') await upstream.call('playCursor', until - turns)
    for (; turns < until; turns++) {
      const more = { store: true, ...(before ? { previous_response_id: before } : {}) }
      const history = [{ user: `m#${turns}# ${prose(600, `turn ${turns}`)}` }]
      const request = requestOf({ door: 'responses', backend, history, tools: someTools, more })
      const { text } = await ask(addresses.whole, request, shortAnswer)
      before = /"id":"(resp_\w+)"/.exec(text)[1]
    }
  }
  // Another conversation warms up the code.
  await goOn(Math.min(150, sizes.at(-1) / 3))
  before = undefined
  turns = 0
  const empty = await gateway.call('bytesInUse')
  const costs = []
  const kept = []
  for (const size of sizes) {
    await goOn(size - stretchOf(size))
    const started = await gateway.call('cpuNs')
    await goOn(size)
    if (backend === 'cursor') await sleep(50)
    costs.push({ size, cost: ((await gateway.call('cpuNs')) - started) / stretchOf(size) })
    kept.push({ size, cost: Math.max(noiseBytes, (await gateway.call('bytesInUse')) - empty) })
  }
  await demandWhole(upstream, backend, turns)
  return [
    withSlope({ ...curve, points: costs }),
    withSlope({ ...curve, variant: 'memory', unit: 'bytes', points: kept }),
  ]
}

async function demandWhole(upstream, backend, turns) {
  const { messages, violations } = await upstream.call('findings')
  if (violations.length > 0) throw new Error(`the simulator: ${violations.join('; ')}`)
  // Cursor and the Qwen web chat keep the history on their side.
  if (!['cursor', 'qwen-web'].includes(backend) && messages !== turns)
    throw new Error(`${messages} of ${turns} messages arrived`)
}
