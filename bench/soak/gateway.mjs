// The gateway under load, as a library in its own process that also reports what it holds. Needs --expose-gc.
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '../../scripts/prepare.mjs'
import { answerCalls } from '../sessions/children.mjs'

const { createGateway, parseConfig, readEnvironment } = await import(join(root, 'dist/src/index.js'))

/** An uncaught error is reported and fails the soak. */
const stray = []
for (const event of ['uncaughtException', 'unhandledRejection'])
  process.on(event, (thrown) => stray.push(`${event}: ${thrown?.stack ?? thrown}`.slice(0, 2_000)))

const lag = monitorEventLoopDelay({ resolution: 10 })
let gateway
let url

async function collectGarbage() {
  // The second collection frees what weak references and finalizers released in the first.
  for (let round = 0; round < 3; round++) {
    globalThis.gc()
    await sleep(20)
  }
}

async function gauges() {
  const response = await gateway.fetch(new Request('http://127.0.0.1/metrics'))
  const text = await response.text()
  const read = (name) => Number(new RegExp(`^dragoman_${name} (\\S+)$`, 'm').exec(text)?.[1])
  // The request for these figures counts itself.
  return {
    requests: read('active_requests') - 1,
    answering: read('sessions_answering'),
    waiting: read('sessions_waiting'),
  }
}

function resources() {
  const counts = { sockets: 0, timers: 0, other: 0 }
  for (const kind of process.getActiveResourcesInfo()) {
    if (/^(TCP|TLS|Pipe)\w*Wrap$/.test(kind) && !/Server/.test(kind)) counts.sockets++
    else if (kind === 'Timeout') counts.timers++
    else counts.other++
  }
  return counts
}

answerCalls({
  async listen(settings) {
    const environment = readEnvironment({ PATH: process.env.PATH, HOME: '/nonexistent' })
    const { config, secrets } = parseConfig(JSON.stringify(settings), { environment })
    gateway = await createGateway({ config, keys: [], secrets, connect: {}, writeLog: () => undefined })
    lag.enable()
    url = await gateway.listen()
    return url
  },
  inspectorLink: () => gateway.inspector?.link(url),
  async sample() {
    const lagP99Ms = lag.percentile(99) / 1e6
    const held = { ...(await gauges()), ...resources() }
    await collectGarbage()
    // The forced collection blocks the event loop; its delay does not count.
    lag.reset()
    const { heapUsed, external, rss } = process.memoryUsage()
    const { user, system } = process.cpuUsage()
    return { ...held, heapUsed, external, rss, lagP99Ms, cpuMs: (user + system) / 1000 }
  },
  stray: () => stray,
  close: () => gateway.close(),
})
