// The measure itself: an event loop that is held counts, however busy the machine is.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { atTestEnd } from '../at-end.ts'

/** Answers, and once uses 800 ms of CPU time in one go. A part of it may be the compiler's, on another thread. */
const server = `
  const server = require('node:http').createServer((_, response) => response.end())
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))
  server.keepAliveTimeout = 0
  const used = (since) => { const { user, system } = process.cpuUsage(since); return user + system }
  const work = () => { const since = process.cpuUsage(); while (used(since) < 800_000); process.send('done') }
  process.on('message', work)
`

it('the event loop of the watched process', async () => {
  const child = spawn(process.execPath, ['-e', server], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  atTestEnd(() => void child.kill())
  const [port] = (await once(child.stdout ?? child, 'data')) as [Buffer]
  const url = `http://127.0.0.1:${String(port).trim()}`
  const worker = new Worker(new URL('./watch.mjs', import.meta.url), {
    workerData: { pid: child.pid, url, everyMs: 1, patienceMs: 10_000 },
  })
  const seen = once(worker, 'message') as Promise<[{ slowestMs: number; failures: string[]; polls: number }]>
  await sleep(100)
  child.send('work')
  await once(child, 'message')
  await sleep(100)
  worker.postMessage('stop')
  const [{ slowestMs, failures }] = await seen
  expect(failures).toEqual([])
  expect(slowestMs).toBeGreaterThan(300)
})
