// The gateway's CPU time for a request by its size, and how it grows. The sizes of a curve alternate, so a machine that is slow
// for a while is slow for all of them; the best of each size counts.
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, backends, doorNames, requestOf } from './bench.mjs'
import { question, shortAnswer, someTools } from './curves.mjs'

/** Least duration of one measurement: long enough that one garbage collection does not dominate it. */
const enoughNs = 20e6
const most = 60
/** Slow requests need fewer repetitions, and warm up their code themselves. */
const longNs = 100e6
const longRounds = 2

/** Warms up the code: compilation would hide the cost of a small request. */
export async function warmUp({ upstream, addresses }, times) {
  await upstream.call('plan', shortAnswer)
  for (const backend of backends) {
    if (backend === 'cursor') await upstream.call('playCursor', times * doorNames.length)
    for (const door of doorNames) {
      const request = requestOf({ door, backend, history: question, tools: someTools })
      for (let at = 0; at < times; at++) await ask(addresses.whole, request, shortAnswer)
    }
  }
}

export async function measureCurve(bench, { point, ...curve }, { rounds }) {
  const found = curve.sizes.map((size) => ({ size, costs: [], guess: undefined }))
  await bench.gateway.call('collect')
  // The first round is a warm-up and is not counted.
  for (let round = 0; round <= rounds; round++)
    for (const each of found) {
      if (each.costs.length >= longRounds && each.guess > longNs) continue
      const cost = await measurePoint(bench, { ...curve, ...point(each.size) }, each.guess)
      each.guess = Math.min(cost, each.guess ?? cost)
      if (round > 0 || cost > longNs) each.costs.push(cost)
    }
  return withSlope({ ...curve, points: found.map(({ size, costs }) => ({ size, cost: Math.min(...costs) })) })
}

async function measurePoint({ upstream, gateway, addresses }, about, guess) {
  const { backend, answer, manner, together } = about
  const request = requestOf(about)
  const times = Math.min(most, Math.max(1, Math.ceil(enoughNs / (guess ?? enoughNs / 5))))
  await upstream.call('plan', answer)
  const askAll = () =>
    Promise.all(Array.from({ length: together }, () => ask(addresses[manner], request, answer)))
  if (backend === 'cursor') await upstream.call('playCursor', (together > 1 ? times + 1 : times) * together)
  // Idle connections were closed; opening many of them must not be part of the measurement.
  if (together > 1) await askAll()
  const before = await gateway.call('cpuNs')
  for (let at = 0; at < times; at++) await askAll()
  // Work after an answer counts, too.
  if (backend === 'cursor') await sleep(50)
  const cost = ((await gateway.call('cpuNs')) - before) / times
  await demandArrival(upstream, about)
  return cost
}

async function demandArrival(upstream, { backend, arrive }) {
  const { messages, violations, queued } = await upstream.call('findings')
  if (violations.length > 0) throw new Error(`the simulator: ${violations.join('; ')}`)
  if (queued > 0) throw new Error(`${queued} runs were not asked for`)
  // The Qwen web chat limits the size, and Cursor's history is sent in blobs.
  if (arrive !== undefined && !['qwen-web', 'cursor'].includes(backend) && messages !== arrive)
    throw new Error(`${messages} of ${arrive} messages arrived`)
}

/** Growth below this share of the cost is noise. */
const visible = 0.3

/**
 * The exponent over the three largest sizes (least squares), minus the cost of the smallest; undefined if there is hardly any
 * growth.
 */
export function withSlope(curve) {
  const base = Math.min(...curve.points.map(({ cost }) => cost))
  const grown = curve.points
    .slice(1)
    .slice(-3)
    .filter(({ cost }) => cost - base >= visible * cost)
    .map(({ size, cost }) => [Math.log(size), Math.log(cost - base)])
  const mean = (at) => grown.reduce((sum, pair) => sum + pair[at], 0) / grown.length
  const [x, y] = [mean(0), mean(1)]
  const over = grown.reduce((sum, pair) => sum + (pair[0] - x) * (pair[1] - y), 0)
  const slope = over / grown.reduce((sum, pair) => sum + (pair[0] - x) ** 2, 0)
  return { ...curve, slope: grown.length < 2 ? undefined : slope }
}
