// What a session costs while it waits, and how it comes back: memory, CPU time, seconds.
import { setTimeout as sleep } from 'node:timers/promises'
import { demandGoodRuns, park, resume } from './parking.mjs'
import { requests } from './requests.mjs'
import { startMeasuredGateway, startServe, startSimulator } from './serving.mjs'

const warmUps = 32
/** Where CPU time is compared: until the code is compiled as well as it will be. */
const longWarmUps = 500
/** Ended runs linger for the service's last word; memory is looked at after that. */
const settleMs = 4_000
const idleMs = 6_000

/** Memory that is really in use, garbage collected, and the CPU time of waiting. */
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

/** The program as it is run, with the garbage it has; and how long it takes until all have their answers. */
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

/** What parking and resuming costs, by the number of sessions that wait at once. */
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

/** Code is loaded and compiled, connections are open: none of it is a session's. */
async function warmUp(url, requestOf, count = warmUps) {
  const first = 1_000_000
  await resume(url, requestOf, await park(url, requestOf, first, first + count))
  await sleep(settleMs)
}
