// The cost of a parked session and of its resumption: memory, CPU time, seconds.
import { setTimeout as sleep } from 'node:timers/promises'
import { demandGoodRuns, park, resume } from './parking.mjs'
import { requests } from './requests.mjs'
import { startMeasuredGateway, startServe, startSimulator } from './serving.mjs'

const warmUps = 32
/** Warm-up sessions before CPU time is measured. */
const longWarmUps = 500
/** Ended runs wait for the service's last message; memory is measured after that. */
const settleMs = 4_000
const idleMs = 6_000

/** Memory after garbage collection, and the CPU time of waiting. */
export async function measureMemory({ kind, transport, count }) {
  return withGateway(startMeasuredGateway, { transport, count }, async (gateway, simulator) => {
    const requestOf = requests[kind]
    await warmUp(gateway.url, requestOf)
    const before = await gateway.call('memoryInUse')
    const parked = await park(gateway.url, requestOf, 0, count)
    await sleep(settleMs)
    const waiting = await gateway.call('memoryInUse')
    const cpuBefore = await gateway.call('cpuMs')
    await sleep(idleMs)
    const idleCores = ((await gateway.call('cpuMs')) - cpuBefore) / idleMs
    await demandGoodRuns(simulator, count + warmUps, count)
    await resume(gateway.url, requestOf, parked)
    await sleep(settleMs)
    await demandGoodRuns(simulator, count + warmUps, 0)
    const after = await gateway.call('memoryInUse')
    return {
      bytesPerSession: (waiting.inUse - before.inUse) / count,
      heapPerSession: (waiting.heapUsed - before.heapUsed) / count,
      externalPerSession: (waiting.external - before.external) / count,
      leftPerSession: (after.inUse - before.inUse) / count,
      idleCores,
    }
  })
}

/** Resident memory of the real program, garbage included, and the time until all sessions have their answers. */
export async function measureResident({ kind, transport, count, pauseMs = 10_000 }) {
  return withGateway(startServe, { transport, count }, async (gateway, simulator) => {
    const requestOf = requests[kind]
    await warmUp(gateway.url, requestOf)
    const before = await gateway.residentBytes()
    const parked = await park(gateway.url, requestOf, 0, count)
    await sleep(settleMs)
    const waiting = await gateway.residentBytes()
    await demandGoodRuns(simulator, count + warmUps, count)
    const started = performance.now()
    await resume(gateway.url, requestOf, parked)
    const resumeSeconds = (performance.now() - started) / 1000
    const resumed = await gateway.residentBytes()
    await sleep(pauseMs)
    await demandGoodRuns(simulator, count + warmUps, 0)
    return { before, waiting, resumed, after: await gateway.residentBytes(), resumeSeconds }
  })
}

/** The cost of parking and resuming by the number of waiting sessions. */
export async function measureGrowth({ kind, transport, count }) {
  return withGateway(startMeasuredGateway, { transport, count }, async (gateway, simulator) => {
    const requestOf = requests[kind]
    await warmUp(gateway.url, requestOf, longWarmUps)
    const parking = await timed(gateway, count, () => park(gateway.url, requestOf, 0, count))
    const resuming = await timed(gateway, count, () => resume(gateway.url, requestOf, parking.result))
    await sleep(settleMs)
    await demandGoodRuns(simulator, count + longWarmUps, 0)
    return { count, park: parking.perSession, resume: resuming.perSession }
  })
}

async function timed(gateway, count, work) {
  const cpuBefore = await gateway.call('cpuMs')
  const started = performance.now()
  const result = await work()
  const perSession = {
    wallMs: (performance.now() - started) / count,
    cpuMs: ((await gateway.call('cpuMs')) - cpuBefore) / count,
  }
  return { result, perSession }
}

async function withGateway(start, { transport, count }, work) {
  const simulator = await startSimulator()
  const gateway = await start(simulator.url, { transport, sessions: { max: Math.max(count, longWarmUps) } })
  try {
    return await work(gateway, simulator)
  } finally {
    await gateway.stop()
    await simulator.stop()
  }
}

/** Warm-up: loads and compiles code and opens connections, which are no cost of a session. */
async function warmUp(url, requestOf, count = warmUps) {
  const first = 1_000_000
  await resume(url, requestOf, await park(url, requestOf, first, first + count))
  await sleep(settleMs)
}
