// Many Cursor runs that wait for results: the cost of parking and resuming one more, and of waiting.
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, doorNames, requestOf, startBench } from './bench.mjs'
import { someTools } from './curves.mjs'
import { withSlope } from './measure.mjs'

const answer = { calls: { count: 1, size: 40, kind: 'plain', piece: 40 }, thenSay: 'done' }
const clients = 24
const probes = 48

export const parkingsOf = ({ quick, wants }) =>
  doorNames
    .map((door) => ({ axis: 'sessions', variant: '', door, backend: 'cursor', unit: 'ns' }))
    .filter(({ door }) => !quick || door === 'chat')
    .filter(wants)
    .map((curve) => ({
      ...curve,
      sizes: quick ? [1, 30, 100] : [1, 10, 100, 1_000, 5_000],
      patienceMs: quick ? 500 : 4_000,
      warmUps: quick ? 1 : 4,
    }))

async function each(count, work) {
  let next = 0
  const client = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: Math.min(clients, count) }, client))
}

/** Two curves by the number of waiting runs: parking and resuming one run, and one second of waiting. */
export async function measureParking({ patienceMs, warmUps, ...curve }) {
  const bench = await startBench({ maxSessions: 6_000 })
  const { upstream, gateway, addresses } = bench
  const { door, sizes } = curve
  let number = 0
  const send = async (history, wanted) => {
    const request = requestOf({ door, backend: 'cursor', history, tools: someTools })
    return ask(addresses.whole, request, wanted)
  }
  const park = async (count) => {
    const parked = []
    await upstream.call('playCursor', count)
    await each(count, async () => {
      const history = [{ user: `m#${number++}# Write it.` }]
      const { read } = await send(history, answer)
      parked.push([...history, { text: '', calls: read.calls }])
    })
    return parked
  }
  const resume = (parked) =>
    each(parked.length, async (at) => {
      const [, { calls }] = parked[at]
      const results = calls.map(({ id }) => ({ id, content: 'written' }))
      const { headers, read } = await send([...parked[at], { results }])
      if (headers['x-dragoman-session'] !== 'live' || read.text !== 'done')
        throw new Error(`not resumed: ${headers['x-dragoman-session']}, ${read.text}`)
    })
  const cpuOf = async (work) => {
    const [before, startedAt] = [await gateway.call('cpuNs'), performance.now()]
    const result = await work()
    const ns = (await gateway.call('cpuNs')) - before
    return { result, ns, ms: performance.now() - startedAt }
  }
  try {
    await upstream.call('plan', answer)
    for (let at = 0; at < warmUps; at++) await resume(await park(100))
    const costs = []
    const waits = []
    let waiting = 0
    for (const size of sizes) {
      await park(size - waiting)
      waiting = size
      // Ended runs wait for the service's last message, and parked runs are compacted.
      await sleep(patienceMs)
      const idle = await cpuOf(() => sleep(patienceMs))
      waits.push({ size, cost: (idle.ns / idle.ms) * 1_000 })
      const found = []
      for (let round = 0; round < 3; round++) {
        const { ns, ms } = await cpuOf(async () => resume(await park(probes)))
        found.push((ns - (idle.ns / idle.ms) * ms) / probes)
      }
      costs.push({ size, cost: Math.min(...found) })
    }
    const { violations } = await upstream.call('findings')
    if (violations.length > 0) throw new Error(`the simulator: ${violations.join('; ')}`)
    return [
      withSlope({ ...curve, variant: 'one more', points: costs }),
      withSlope({ ...curve, variant: 'a second of waiting', points: waits }),
    ]
  } finally {
    await bench.stop()
  }
}
