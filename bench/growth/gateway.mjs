// The gateway as a library in its own process, once for each setting of `toolArguments`; it reports its CPU time. Needs
// --expose-gc.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '../../scripts/prepare.mjs'
import { answerCalls } from '../sessions/children.mjs'

const { createGateway, parseConfig, readEnvironment } = await import(join(root, 'dist/src/index.js'))

/** CPU time of all threads in nanoseconds, garbage collector and compiler included. */
function cpuNs() {
  try {
    let sum = 0
    for (const task of readdirSync('/proc/self/task'))
      sum += Number(readFileSync(`/proc/self/task/${task}/schedstat`, 'utf8').split(' ')[0])
    return sum
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) * 1000
  }
}

answerCalls({
  async listen(settings) {
    const environment = readEnvironment({ PATH: process.env.PATH, HOME: '/nonexistent' })
    const { config, secrets } = parseConfig(JSON.stringify(settings), { environment })
    return createGateway({ config, keys: [], secrets, connect: {}, writeLog: () => undefined }).listen()
  },
  cpuNs,
  collect() {
    globalThis.gc()
  },
  async bytesInUse() {
    for (let round = 0; round < 3; round++) {
      globalThis.gc()
      await sleep(20)
    }
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  },
})
