// A gateway like that of `dragoman serve`, in a process that also reports memory after garbage collection and CPU time. Needs
// --expose-gc.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '../../scripts/prepare.mjs'
import { answerCalls } from './children.mjs'

const { createGateway, parseConfig, readEnvironment } = await import(join(root, 'dist/src/index.js'))

async function collectGarbage() {
  // The second collection frees what weak references and finalizers released in the first.
  for (let round = 0; round < 4; round++) {
    globalThis.gc()
    await sleep(50)
  }
}

answerCalls({
  async listen(settings) {
    const environment = readEnvironment()
    const { config, secrets } = parseConfig(JSON.stringify(settings), { environment })
    return (await createGateway({ config, keys: [], secrets, connect: environment })).listen()
  },
  async memoryInUse() {
    await collectGarbage()
    const { heapUsed, external, rss } = process.memoryUsage()
    // `external` includes array buffers.
    return { inUse: heapUsed + external, heapUsed, external, rss }
  },
  cpuMs() {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  },
})
