// Watches one gateway from a thread of its own, so that a busy test does not make the gateway look slow: its resident memory from
// /proc, and how long `/healthz` takes. Time in which the gateway's main thread waits for a core does not count: it says how busy
// the machine is, not how long the gateway holds its event loop.

import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

const { pid, url, everyMs, patienceMs } = workerData
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let isOver = false
const seen = { peakBytes: 0, slowestMs: 0, polls: 0, failures: [] }

function sample() {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    seen.peakBytes = Math.max(seen.peakBytes, Number(kilobytes ?? 0) * 1024)
  } catch {
    // The process has ended: the harness says so.
  }
}

/** Milliseconds that the gateway's main thread has waited for a core; 0 where the kernel does not count them. */
function waitedMs() {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[1] ?? 0) / 1e6
  } catch {
    return 0
  }
}

const poll = () =>
  new Promise((resolve) => {
    const waitedBefore = waitedMs()
    const startedAt = performance.now()
    const done = (failure) => {
      seen.polls++
      const took = performance.now() - startedAt - (waitedMs() - waitedBefore)
      seen.slowestMs = Math.max(seen.slowestMs, took)
      if (failure !== undefined && seen.failures.length < 10) seen.failures.push(failure)
      resolve()
    }
    const request = get(`${url}/healthz`, { agent, timeout: patienceMs }, (response) => {
      response.resume()
      response.once('end', () =>
        done(response.statusCode === 200 ? undefined : `status ${response.statusCode}`),
      )
      response.once('error', (error) => done(error.message))
    })
    request.once('timeout', () => request.destroy(new Error(`no answer within ${patienceMs} ms`)))
    request.once('error', (error) => done(error.message))
  })

parentPort.on('message', () => {
  isOver = true
})
const sampling = setInterval(sample, 5)
while (!isOver) {
  sample()
  await poll()
  await new Promise((resolve) => setTimeout(resolve, everyMs))
}
sample()
clearInterval(sampling)
agent.destroy()
parentPort.postMessage(seen)
parentPort.close()
